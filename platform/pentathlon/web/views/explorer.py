"""The position explorer: how often a position was reached in public matches, and who won then."""

from urllib.parse import urlencode

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.views.decorators.http import require_safe

from pentathlon.core.errors import InvalidInput
from pentathlon.insight.explorer.exploration import LONGEST_LINE, Exploration, explore
from pentathlon.insight.explorer.services import DEPTH, GROWS_AT, explored_games
from pentathlon.matches.models import Match, MatchState
from pentathlon.matches.replays.services import read_record
from pentathlon.web.drawing.boards import inline_board
from pentathlon.web.requests import query_number
from pentathlon_engines import GAMES
from pentathlon_engines.contract.registry import unknown_game
from pentathlon_engines.record.shape import Record


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
