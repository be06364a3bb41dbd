"""The home page."""

from dataclasses import dataclass

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from pentathlon.accounts.models import User
from pentathlon.core.clock import database_now
from pentathlon.insight.rivalry.opponents import upset_of_the_day
from pentathlon.ladders.tables import ladder_lines
from pentathlon.matches.models import Match
from pentathlon.ratings.models import live_key
from pentathlon.ratings.rankings.services import latest_table
from pentathlon.web.drawing.boards import MatchCard, Tile, game_tiles, match_cards
from pentathlon.web.requests import person
from pentathlon.web.tables import RatingTable, latest_tournaments, ranking_rows, rating_table
from pentathlon_engines import GameInfo

_CARDS = 3
_BEST = 5
_LEADERBOARDS = 3
_TOURNAMENTS = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class LeaderboardHead:
    """The head of one game's leaderboard."""

    info: GameInfo
    table: RatingTable


@require_safe
def home(request: HttpRequest) -> HttpResponse:
    """Show the games, their leaders, the latest matches and tournaments."""
    tiles, reader = game_tiles(), person(request)
    now = database_now()
    upset = upset_of_the_day(now)
    context = {
        "description": "Bots play five board games. Every result is re-simulated, and every "
        "rating shows how sure it is.",
        "upset": upset,
        "upset_card": match_cards([upset.match])[0] if upset else None,
        "upset_is_today": upset is not None and upset.on == now.date(),
        "tiles": tiles,
        "ranking": ranking_rows(latest_table(), reader=reader, size=_BEST),
        "boards": _leaderboards(tiles, reader),
        "cards": _cards(),
        "ladders": [line for line in ladder_lines() if line.ladder.takes_all],
        "tournaments": latest_tournaments(limit=_TOURNAMENTS),
    }
    return render(request, "web/home.html", context)


@require_safe
def on_now(request: HttpRequest) -> HttpResponse:
    """Show running matches, or the latest ones."""
    return render(request, "web/parts/on_now.html", {"cards": _cards()})


@require_safe
def tournaments_now(request: HttpRequest) -> HttpResponse:
    """Show the progress of the latest tournaments."""
    context = {"tournaments": latest_tournaments(limit=_TOURNAMENTS)}
    return render(request, "web/parts/home_tournaments.html", context)


def _leaderboards(tiles: list[Tile], reader: User | None) -> list[LeaderboardHead]:
    """Return the heads of the leaderboards with results, or an empty one."""
    boards = [
        LeaderboardHead(
            info=tile.info,
            table=rating_table(live_key(tile.info.key), reader=reader, size=_BEST),
        )
        for tile in tiles
    ]
    return [board for board in boards if board.table.rows][:_LEADERBOARDS] or boards[:1]


def _cards() -> list[MatchCard]:
    public = Match.objects.public().with_seats().select_related("replay")
    # The longest-running first: a match that begins now may be over before anybody looks.
    live = list(public.live().order_by("started_at", "pk")[:_CARDS])
    recent = list(public.recent()[: _CARDS - len(live)])
    return match_cards([*live, *recent])
