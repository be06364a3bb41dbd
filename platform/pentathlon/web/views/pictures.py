"""Pictures of a match, a leaderboard and a bot, for those who share a link to one.

They show what everybody may see, and of hidden hands their backs: links are shared with anybody.
"""

from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404
from django.views.decorators.http import require_safe

from pentathlon.bots.models import Bot
from pentathlon.caching import answer_if_changed, tag_of
from pentathlon.matches.models import Match, MatchState
from pentathlon.ratings.models import Pool, Rating, live_key
from pentathlon.replays.services import read_record
from pentathlon.web.pictures import draw_card, list_card, match_card
from pentathlon.web.replay_viewer import draw_board
from pentathlon.web.requests import query_number
from pentathlon.web.tables import rating_table
from pentathlon_engines import GAMES
from pentathlon_engines.contract.info import ordinal

_KEEPS = "public, max-age=3600"
_ROWS = 5


@require_safe
def match_picture(request: HttpRequest, match_id: int) -> HttpResponseBase:
    """Draw a match at `ply`, or at its end, as a spectator sees it."""
    public = Match.objects.public().filter(state=MatchState.DONE).with_seats()
    found = get_object_or_404(public.select_related("replay"), pk=match_id)
    record = read_record(found.replay)
    last, asked = len(record["events"]), query_number(request, "ply")
    ply = last if asked is None else min(asked, last)
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
    if game not in GAMES:
        raise Http404(f"There is no game {game!r}.")
    table = rating_table(live_key(game), reader=None, size=_ROWS)
    return _answer(
        request,
        list_card(
            title=GAMES[game].info.title,
            subtitle=f"The best of {table.total:,} rated bots",
            rows=[
                (ordinal(row.rank - 1), row.rating.version.bot.name, f"{row.rating.score:.1f}")
                for row in table.rows
            ],
        ),
    )


@require_safe
def bot_picture(request: HttpRequest, bot_id: int) -> HttpResponseBase:
    """Draw where a bot stands in its games."""
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


def _answer(request: HttpRequest, card: str) -> HttpResponseBase:
    return answer_if_changed(
        request,
        tag=tag_of(card),
        make=lambda: HttpResponse(draw_card(card), content_type="image/png"),
        keep=_KEEPS,
    )
