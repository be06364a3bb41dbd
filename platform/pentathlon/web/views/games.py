"""Games: the list, a page for each, their explorers and datasets."""

from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import urlencode

from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.utils.safestring import SafeString
from django.views.decorators.http import require_safe

from pentathlon.core.caching import FOR_ALL
from pentathlon.core.documents import render_markdown, rules_summary, title_and_body
from pentathlon.core.errors import Damaged, InvalidInput, Unavailable
from pentathlon.insight.datasets.contents import LICENCE
from pentathlon.insight.datasets.models import Dataset
from pentathlon.insight.explorer.exploration import LONGEST_LINE, Exploration, explore
from pentathlon.insight.explorer.services import DEPTH, GROWS_AT, explored_games
from pentathlon.ladders.tables import ladder_lines
from pentathlon.matches.models import Match, MatchState
from pentathlon.matches.replays.moments import board_svg
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
from pentathlon.web.requests import cursor_page, person, query_number
from pentathlon.web.tables import RatingRow, rating_table
from pentathlon_engines import GAMES
from pentathlon_engines.contract.registry import unknown_game
from pentathlon_engines.dataset.folder import card
from pentathlon_engines.dataset.rows import TABLES, schema
from pentathlon_engines.record.shape import Record

_RECENT = 10
_BEST = 5
_PARTS_SHOWN = 200


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


@require_safe
def explorer(request: HttpRequest, game: str) -> HttpResponse:
    """Show a position: after `line` from the start with `seats`, or from `ply` of a `match` on.

    For a game with hidden parts, say why it has no explorer.
    """
    if game not in GAMES:
        raise Http404(f"There is {unknown_game(game)}.")
    explored = [each.info for each in explored_games()]
    if game not in [info.key for info in explored]:
        context = {"section": "games", "info": GAMES[game].info, "explored": explored}
        return render(request, "web/no_explorer.html", context)
    given = request.GET.get("line", "")[:LONGEST_LINE]
    line = [text for text in given.split(";") if text]
    match_id, ply = query_number(request, "match"), query_number(request, "ply") or 0
    record = None if match_id is None else _record(match_id, game)
    if record is not None:
        ply = min(ply, DEPTH, len(record["events"]))
    at = 0 if record is None else ply
    seats = query_number(request, "seats") if record is None else record["seats"]
    problem = ""
    try:
        found = explore(GAMES[game], line, seats=seats, record=record, ply=at)
    except InvalidInput as error:
        problem, line = error.detail, []
        seats = None if error.field == "seats" else seats
        found = explore(GAMES[game], line, seats=seats, record=record, ply=at)
    origin: dict[str, object] = {} if seats is None else {"seats": seats}
    if record is not None:
        origin = {"match": match_id, "ply": ply}
    lowest, highest = GAMES[game].info.seats
    context = {
        "section": "games",
        "info": GAMES[game].info,
        "found": found,
        "problem": problem,
        "board": inline_board(found.state.svg()),
        "nexts": [
            (each, _address(game, [*line, each.text], origin), _share(found, each.text))
            for each in found.nexts
        ],
        "back": _address(game, line[:-1], origin) if line else "",
        "start": _address(game, [], {} if seats is None else {"seats": seats}),
        "tables": [] if lowest == highest else range(lowest, highest + 1),
        "seats": found.state.seats,
        "match_id": match_id,
        "match_ply": ply,
        "depth": DEPTH,
        "grows_at": GROWS_AT,
    }
    return render(request, "web/explorer.html", context)


def _record(match_id: int, game: str) -> Record:
    public = Match.objects.public().of_game(game).filter(state=MatchState.DONE)
    return read_record(get_object_or_404(public.select_related("replay"), pk=match_id).replay)


def _address(game: str, line: list[str], origin: dict[str, object]) -> str:
    query = urlencode({**origin, **({"line": ";".join(line)} if line else {})})
    return reverse("explorer", args=[game]) + (f"?{query}" if query else "")


def _share(found: Exploration, text: str) -> float:
    """Return how often this event came next, as a share of all next events."""
    total = sum(each.reached.matches for each in found.nexts)
    own = next(each.reached.matches for each in found.nexts if each.text == text)
    return own / total if total else 0.0


@require_safe
def datasets(request: HttpRequest) -> HttpResponse:
    """List the datasets, the newest first, of all games or of one."""
    found = Dataset.objects.listed().filter(is_newest=True)
    game = request.GET.get("game", "")
    if game in GAMES:
        found = found.filter(game=game)
    context = {
        "section": "docs",
        "page": cursor_page(request, found),
        "games": [each.info for each in GAMES.values()],
        "game": game,
    }
    return render(request, "web/datasets.html", context)


@require_safe
def dataset(request: HttpRequest, dataset_id: int) -> HttpResponse:
    """Show one dataset with the first of its parts; `SHA256SUMS` names all."""
    found = get_object_or_404(Dataset.objects.listed(), pk=dataset_id)
    context = {
        "section": "docs",
        "dataset": found,
        "info": GAMES[found.game].info,
        "licence": LICENCE,
        "tables": TABLES,
        "parts": range(1, min(found.parts, _PARTS_SHOWN) + 1),
        "more": max(0, found.parts - _PARTS_SHOWN),
    }
    return render(request, "web/dataset.html", context)


@require_safe
def dataset_card(request: HttpRequest) -> HttpResponse:
    """Show how datasets are made, split and biased."""
    title, body = title_and_body(card())
    context = {"section": "docs", "title": title, "body": render_markdown(body)}
    return render(request, "web/dataset_card.html", context)


@require_safe
def dataset_schema(request: HttpRequest) -> HttpResponse:
    """Return the JSON Schema of the rows."""
    answer = JsonResponse(schema(), json_dumps_params={"indent": 2})
    answer.headers["Content-Type"] = "application/schema+json"
    answer.headers["Cache-Control"] = FOR_ALL
    return answer
