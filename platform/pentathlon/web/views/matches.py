"""Matches: the list, the page with its replay viewer, boards and records."""

from http import HTTPStatus

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_safe

from pentathlon.core.caching import answer_for_ever
from pentathlon.core.errors import NotFound
from pentathlon.insight.analyses.services import NOT_READY, read_curve
from pentathlon.insight.explorer.services import DEPTH
from pentathlon.insight.stories import story_of
from pentathlon.matches.dispatch.reasons import why_waiting
from pentathlon.matches.models import Match, MatchState
from pentathlon.matches.replays.explanations import (
    as_text,
    bundle_seat,
    explain_match,
    explain_seat,
)
from pentathlon.matches.replays.moments import score_line
from pentathlon.matches.replays.services import read_record
from pentathlon.matches.transparency.services import log_index_of
from pentathlon.tournaments.guards import is_organiser_of
from pentathlon.tournaments.models import TournamentState
from pentathlon.tournaments.scheduling.secrecy import with_seals
from pentathlon.web.drawing.boards import match_title
from pentathlon.web.replay.viewer import answer_actions, answer_board, answer_moment, make_viewer
from pentathlon.web.replay.win_chances import chance_chart, score_chart
from pentathlon.web.requests import (
    cursor_page,
    handle_domain_errors,
    person,
    query_number,
    reload_page,
    signed_in_user,
    wants_part,
)
from pentathlon.web.views.embeds import frame_of_match
from pentathlon_engines import GAMES

_STATES_SHOWN = (
    ("running", "running"),
    ("done", "finished"),
    ("pending", "waiting"),
    ("void", "void"),
)
_VISIT_S = 3600
_COMES = "The win-chance curve is being computed and will appear here by itself."


@require_safe
def matches(request: HttpRequest) -> HttpResponse:
    """List matches that have begun, newest first; `state` and `game` narrow it down."""
    found = Match.objects.public().with_seats()
    state, game = request.GET.get("state", ""), request.GET.get("game", "")
    is_known = state in MatchState.values
    found = found.filter(state=state) if is_known else found.exclude(state=MatchState.PENDING)
    if game in GAMES:
        found = found.of_game(game)
    context = {
        "section": "games",
        "page": cursor_page(request, found),
        "state": state,
        "states": _STATES_SHOWN,
        "game": game,
        "games": [each.info for each in GAMES.values()],
    }
    return render(request, "web/matches.html", context)


@require_safe
def match(request: HttpRequest, match_id: int) -> HttpResponse:
    """Show a match: its replay if it is done, otherwise its state."""
    found = _get_match(request, match_id)
    info = GAMES[found.game].info
    context = {"section": "tournaments", "match": found, "title": match_title(found), "info": info}
    if found.state != MatchState.DONE:
        context["reason"] = why_waiting(found)
        context["attempts"] = found.attempts.order_by("number")
        context["can_requeue"] = found.state == MatchState.VOID and _can_rerun(request, found)
        part = "web/parts/match_state.html" if wants_part(request) else "web/match_waiting.html"
        return render(request, part, context)
    if wants_part(request):
        return reload_page()
    reader = person(request)
    context["can_rerun"] = _can_rerun(request, found)
    record = read_record(found.replay)
    viewer = make_viewer(
        found.seats.all(),
        record=record,
        ply=query_number(request, "ply"),
        seat=query_number(request, "seat"),
    )
    context["story"] = story = story_of(found, line=score_line(record))
    context["description"] = f"A match of {info.title}, ply by ply in words: {context['title']}."
    if viewer.is_at_end:
        context["heading"], context["description"] = story[0].removesuffix("."), " ".join(story)
    context["viewer"], context["explored"] = viewer, _explored(found, viewer.ply)
    if not found.is_private:
        context["frame"] = frame_of_match(request, found).html()
    context["log_index"] = log_index_of(found)
    context |= _chances_of(request, found, viewer.ply)
    line = None if "chances" in context else score_line(record)
    if line is not None:
        is_whole = "curve" in request.GET
        context["chances"] = score_chart(line, ply=viewer.ply, is_whole=is_whole)
    explained = explain_match(match=found, actor=reader) if reader else []
    context["explanations"] = sorted(explained, key=lambda each: not each.has_lost)
    return render(request, "web/match.html", context)


def _chances_of(request: HttpRequest, found: Match, ply: int) -> dict[str, object]:
    """Return the win-chance curve of a match for its page, or why there is none yet."""
    is_whole = "curve" in request.GET
    try:
        return {"chances": chance_chart(read_curve(found), ply=ply, is_whole=is_whole)}
    except NotFound as error:
        if found.is_private:
            return {}
        comes = error.code == NOT_READY
        return {"chances_note": _COMES if comes else error.detail, "chances_come": comes}


@require_safe
def chances(request: HttpRequest, match_id: int) -> HttpResponse:
    """Show the win-chance curve of a match once it is there; before, 204: ask again."""
    found = _get_done_match(request, match_id)
    ply, seat = min(query_number(request, "ply") or 0, found.ply), query_number(request, "seat")
    context = _chances_of(request, found, ply)
    if context.get("chances_come"):
        return HttpResponse(status=HTTPStatus.NO_CONTENT)
    if "chances" not in context:
        raise Http404(context.get("chances_note", "Its win chances are not public."))
    seat_query = "" if seat is None else f"&seat={seat}"
    context["viewer"] = {"ply": ply, "seat_query": seat_query}
    return render(request, "web/parts/chances.html", context)


@require_safe
def board(request: HttpRequest, match_id: int) -> HttpResponseBase:
    """Draw the position after `ply` events, as a spectator or a seat sees it."""
    found = _get_done_match(request, match_id)
    return answer_board(
        request,
        found.chain,
        read=lambda: read_record(found.replay),
        is_private=found.is_private,
    )


@require_safe
def moment(request: HttpRequest, match_id: int) -> HttpResponse:
    """Show what happened at `ply`, as a spectator or a seat sees it: a part of the replay."""
    found = _get_done_match(request, match_id)
    explored = _explored(found, query_number(request, "ply") or 0)
    answer = answer_moment(request, read_record(found.replay), explored=explored)
    return _keep_for_a_visit(found, answer)


@require_safe
def actions(request: HttpRequest, match_id: int) -> HttpResponse:
    """List the events around `ply`, as a spectator or a seat sees them: a part of the replay."""
    found = _get_done_match(request, match_id)
    return _keep_for_a_visit(found, answer_actions(request, read_record(found.replay)))


def _keep_for_a_visit(found: Match, response: HttpResponse) -> HttpResponse:
    """Let browsers cache a part of a replay: the match never changes, the words may one day."""
    keeper = "private" if found.is_private else "public"
    response["Cache-Control"] = f"{keeper}, max-age={_VISIT_S}"
    return response


@require_safe
def record(request: HttpRequest, match_id: int) -> HttpResponseBase:
    """Send the record of a finished match, for `pentathlon verify`."""
    found = _get_unsealed_match(request, match_id)
    return answer_for_ever(
        request,
        *("record.json", found.chain),
        is_private=found.is_private,
        make=lambda: _as_file(JsonResponse(read_record(found.replay)), f"match-{found.pk}.json"),
    )


@login_required
@require_safe
@handle_domain_errors
def seat_log(request: HttpRequest, match_id: int, seat: int) -> HttpResponse:
    """Send the owner of a bot the whole explanation of its match as plain text."""
    found = _get_done_match(request, match_id)
    explained = explain_seat(match=found, actor=signed_in_user(request), seat=seat)
    response = HttpResponse(as_text(explained), content_type="text/plain; charset=utf-8")
    return _as_file(response, f"match-{found.pk}-seat-{seat}.txt")


@login_required
@require_safe
@handle_domain_errors
def seat_bundle(request: HttpRequest, match_id: int, seat: int) -> HttpResponse:
    """Send the owner of a bot the bundle that repeats the requests of a match."""
    found = _get_unsealed_match(request, match_id)
    bundle = bundle_seat(match=found, actor=signed_in_user(request), seat=seat)
    return _as_file(HttpResponse(bundle.data, content_type="application/zip"), bundle.name)


def _explored(found: Match, ply: int) -> dict[str, int] | None:
    """Return the place of a position in the explorer; None if it cannot be there."""
    has_explorer = not (found.is_private or GAMES[found.game].info.hidden)
    return {"match": found.pk, "ply": ply} if has_explorer and ply <= DEPTH else None


def _as_file(response: HttpResponse, name: str) -> HttpResponse:
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    return response


def _get_match(request: HttpRequest, match_id: int) -> Match:
    seen = with_seals(Match.objects.visible_to(person(request)).with_seats().with_privacy())
    return get_object_or_404(seen.select_related("replay", "place__tournament"), pk=match_id)


def _can_rerun(request: HttpRequest, found: Match) -> bool:
    """Return whether this person organises the tournament that an ended match is part of."""
    reader = person(request)
    place = getattr(found, "place", None)
    if reader is None or place is None:
        return False
    is_over = place.tournament.state == TournamentState.CANCELLED
    organises = reader.is_superuser or is_organiser_of(reader, place.tournament)
    return not is_over and organises


def _get_done_match(request: HttpRequest, match_id: int) -> Match:
    found = _get_match(request, match_id)
    if found.state != MatchState.DONE:
        raise Http404("This match is not done: there is nothing to show yet.")
    return found


def _get_unsealed_match(request: HttpRequest, match_id: int) -> Match:
    found = _get_done_match(request, match_id)
    if found.is_sealed:
        raise Http404("The record is sealed until the last match of its block is done.")
    return found
