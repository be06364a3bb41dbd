"""Pictures of pages, for people who share links.

They show what everybody may see, and only the backs of hidden hands, because links are shared with
anybody.
"""

from functools import cache

from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404
from django.views.decorators.http import require_safe

from pentathlon.bots.models import Bot
from pentathlon.core.caching import answer_if_changed, tag_of
from pentathlon.matches.models import Match, MatchState
from pentathlon.matches.replays.services import read_record
from pentathlon.ratings.models import Pool, Rating, live_key
from pentathlon.tournaments.models import UNSTARTED, Tournament
from pentathlon.tournaments.results.hidden_results import are_hidden
from pentathlon.tournaments.results.podium import podiums
from pentathlon.tournaments.results.standings import standings
from pentathlon.web.drawing.boards import Tile, game_tiles, lesson_board, lesson_picture
from pentathlon.web.drawing.pictures import draw_card, game_card, list_card, match_card, site_card
from pentathlon.web.replay.viewer import draw_board
from pentathlon.web.requests import query_number
from pentathlon.web.tables import format_name, rating_table
from pentathlon.web.templatetags.components import state_words
from pentathlon.web.templatetags.formats import points
from pentathlon_engines import GAMES
from pentathlon_engines.commentary.words import count
from pentathlon_engines.contract.info import ordinal
from pentathlon_engines.contract.registry import unknown_game

_KEEPS = "public, max-age=3600"
_ROWS = 5
_ACROSS = 'class="board wide"'


@require_safe
def home_picture(request: HttpRequest) -> HttpResponseBase:
    """Draw the site: a board of each game."""
    return _answer(request, _site_card())


@require_safe
def game_picture(request: HttpRequest, game: str) -> HttpResponseBase:
    """Draw a game: a board, and its best bots."""
    tile = _tile(game)
    table = rating_table(live_key(game), reader=None, size=_ROWS)
    card = game_card(
        board=_board(game),
        title=tile.info.title,
        facts=tile.facts,
        rows=[(row.rating.version.bot.name, f"{row.rating.score:.1f}") for row in table.rows],
    )
    return _answer(request, card)


@require_safe
def tournament_picture(request: HttpRequest, tournament_id: int) -> HttpResponseBase:
    """Draw the standings of a tournament, as everybody may see them."""
    shown = Tournament.objects.visible_to(None).select_related("owner", "pool")
    found = get_object_or_404(shown, pk=tournament_id)
    said, rows = state_words(found.state), list[tuple[str, str, str]]()
    if found.state in UNSTARTED:
        said = f"{said}, {count(found.entries.count(), 'bot')}"
    elif are_hidden(found, None):
        said = "results are shown when it is over"
    else:
        won = podiums([found.pk]).get(found.pk)
        said = won.story if won else said
        rows = [
            (ordinal(row.place - 1), row.version.bot.name, points(row.points))
            for row in standings(found)[:_ROWS]
            if row.place is not None
        ]
    kind = f"{GAMES[found.game].info.title} · {format_name(found)}"
    return _answer(request, list_card(title=found.name, subtitle=f"{kind} · {said}", rows=rows))


@require_safe
def match_picture(request: HttpRequest, match_id: int) -> HttpResponseBase:
    """Draw a match at `ply` as a spectator sees it; by default half-way, which hides the end."""
    public = Match.objects.public().filter(state=MatchState.DONE).with_seats()
    found = get_object_or_404(public.select_related("replay"), pk=match_id)
    record = read_record(found.replay)
    last, asked = len(record["events"]), query_number(request, "ply")
    ply = last // 2 if asked is None else min(asked, last)
    seats = list(found.seats.all())
    return _answer(
        request,
        match_card(
            board=draw_board(record, ply=ply, seat=None),
            game=GAMES[found.game].info.title,
            names=[seat.version.bot.name for seat in seats],
            winners=[seat.seat for seat in seats if seat.rank == 0 and ply == last],
            place=f"match {found.pk}, ply {ply} of {last}",
        ),
    )


@require_safe
def leaderboard_picture(request: HttpRequest, game: str) -> HttpResponseBase:
    """Draw the best bots of a game."""
    tile = _tile(game)
    table = rating_table(live_key(game), reader=None, size=_ROWS)
    return _answer(
        request,
        list_card(
            title=tile.info.title,
            subtitle=f"The best of {table.total:,} rated bots",
            rows=[
                (ordinal(row.rank - 1), row.rating.version.bot.name, f"{row.rating.score:.1f}")
                for row in table.rows
            ],
        ),
    )


@require_safe
def bot_picture(request: HttpRequest, bot_id: int) -> HttpResponseBase:
    """Draw the places of a bot in its games."""
    found = get_object_or_404(Bot.objects.select_related("owner"), pk=bot_id)
    ratings = Rating.objects.filter(version__bot=found, pool__in=Pool.objects.live())
    newest: dict[str, tuple[str, str, str]] = {}
    for rating in ratings.select_related("pool").ranked().order_by("-version__number"):
        row = (ordinal(rating.rank - 1), rating.pool.title, f"{rating.score:.1f}")
        newest.setdefault(rating.pool.title, row)
    card = list_card(
        title=found.name,
        subtitle=f"by {found.owner.username}" + ("" if newest else ", not rated yet"),
        rows=list(newest.values())[:_ROWS],
    )
    return _answer(request, card)


@cache
def _site_card() -> str:
    boards = [(tile.info.title, _board(tile.info.key)) for tile in game_tiles()]
    return site_card(
        title="Five games, one honest table",
        subtitle="Bots play, every result is re-simulated, every rating shows how sure it is.",
        boards=boards,
    )


def _board(game: str) -> str:
    """Return the playing area of a board, or all of a wide drawing, which a square can hold."""
    board = lesson_board(game)
    return board if _ACROSS in board.partition(">")[0] else lesson_picture(game)


def _tile(game: str) -> Tile:
    for tile in game_tiles():
        if tile.info.key == game:
            return tile
    raise Http404(f"There is {unknown_game(game)}.")


def _answer(request: HttpRequest, card: str) -> HttpResponseBase:
    return answer_if_changed(
        request,
        tag=tag_of(card),
        make=lambda: HttpResponse(draw_card(card), content_type="image/png"),
        keep=_KEEPS,
    )
