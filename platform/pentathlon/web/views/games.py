"""Games: the list, and a page for each."""

from collections.abc import Mapping
from dataclasses import dataclass

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.safestring import SafeString
from django.views.decorators.http import require_safe

from pentathlon.core.documents import rules_summary
from pentathlon.core.errors import Damaged, Unavailable
from pentathlon.ladders.tables import ladder_lines
from pentathlon.matches.models import Match
from pentathlon.matches.replays.boards import board_svg
from pentathlon.matches.replays.services import read_record
from pentathlon.ratings.models import Pool, live_key
from pentathlon.tournaments.results.standings import seat_rates_of_game
from pentathlon.web.docs.game_guides import usual_plies
from pentathlon.web.drawing.boards import (
    Tile,
    game_tiles,
    inline_board,
    lesson_picture,
    lesson_steps,
    match_title,
    seats_in_words,
    start_board,
)
from pentathlon.web.requests import person
from pentathlon.web.tables import RatingRow, rating_table
from pentathlon_engines import GAMES
from pentathlon_engines.contract.registry import unknown_game

_RECENT = 10
_BEST = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class GameLine:
    """One game in the list of games."""

    tile: Tile
    picture: SafeString
    summary: SafeString
    plies: int | None
    """The plies of a usual match; None if not measured."""
    has_lesson: bool
    leader: RatingRow | None
    results: int
    """How many results its leaderboard counts."""


@require_safe
def games(request: HttpRequest) -> HttpResponse:
    """List the games of this installation, with their subjects and leaders."""
    results = dict(Pool.objects.live().values_list("key", "applied_seq"))
    lines = [_line(tile, results, request) for tile in game_tiles()]
    return render(request, "web/games.html", {"section": "games", "lines": lines})


def _line(tile: Tile, results: Mapping[str, int], request: HttpRequest) -> GameLine:
    key = tile.info.key
    best = rating_table(live_key(key), reader=person(request), size=1).rows
    return GameLine(
        tile=tile,
        picture=lesson_picture(key),
        summary=rules_summary(key),
        plies=usual_plies(key),
        has_lesson=bool(GAMES[key].lesson()),
        leader=best[0] if best else None,
        results=results.get(live_key(key), 0),
    )


@require_safe
def game(request: HttpRequest, game: str) -> HttpResponse:
    """Show a game: its board, its best bots, and how to begin."""
    if game not in GAMES:
        raise Http404(f"There is {unknown_game(game)}.")
    info = GAMES[game].info
    recent = Match.objects.public().recent().of_game(game).with_seats()
    latest = list(recent.select_related("replay")[:_RECENT])
    board, caption = _board(game, latest[0] if latest else None)
    context = {
        "section": "games",
        "info": info,
        "description": f"{info.title}: rules, a lesson, the best bots and their matches.",
        "summary": rules_summary(game),
        "seats": seats_in_words(info),
        "board": inline_board(board),
        "caption": caption,
        "table": rating_table(live_key(game), reader=person(request), size=_BEST),
        "has_lesson": bool(GAMES[game].lesson()),
        "ladders": ladder_lines(game=game),
        "seat_rates": seat_rates_of_game(game),
        "matches": latest,
    }
    return render(request, "web/game.html", context)


@require_safe
def lesson(request: HttpRequest, game: str) -> HttpResponse:
    """Show a game in a minute: a few steps, each with its board."""
    if game not in GAMES:
        raise Http404(f"There is {unknown_game(game)}.")
    steps = lesson_steps(game)
    if not steps:
        raise Http404(f"There is no lesson for {GAMES[game].info.title} yet.")
    context = {"section": "games", "info": GAMES[game].info, "steps": steps}
    return render(request, "web/lesson.html", context)


def _board(game: str, latest: Match | None) -> tuple[str, str]:
    if latest is None or not hasattr(latest, "replay"):
        return start_board(game), "The start of a match."
    try:
        record = read_record(latest.replay)
    except (Damaged, Unavailable):  # the page tells enough without its picture
        return start_board(game), "The start of a match."
    ply = len(record["events"])
    return board_svg(record, ply), f"How {match_title(latest)} ended, ply {ply}."
