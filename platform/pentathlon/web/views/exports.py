"""Tournaments and seasons as CSV: tables, and results in parts of bounded size."""

from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBadRequest
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404
from django.views.decorators.http import require_safe

from pentathlon.core.errors import InvalidInput, NotFound
from pentathlon.ladders.files import answer_division
from pentathlon.ladders.models import Division
from pentathlon.tournaments.models import Tournament
from pentathlon.tournaments.results.files import answer_results, answer_standings
from pentathlon.tournaments.results.hidden_results import are_hidden
from pentathlon.web.requests import get_tournament, person, query_number


@require_safe
def standings_csv(request: HttpRequest, tournament_id: int) -> HttpResponseBase:
    """Send the table, best first, with a column for each of its tie-breaks."""
    tournament = get_tournament(request, tournament_id)
    if are_hidden(tournament, person(request)):
        return _refuse(tournament)
    return answer_standings(request, tournament)


@require_safe
def tournament_csv(request: HttpRequest, tournament_id: int) -> HttpResponseBase:
    """Send results: a line for each seat of each match of a part, in schedule order."""
    tournament = get_tournament(request, tournament_id)
    if are_hidden(tournament, person(request)):
        return _refuse(tournament)
    try:
        return answer_results(request, tournament, part=query_number(request, "part"))
    except NotFound as error:
        raise Http404(error.detail) from error
    except InvalidInput as error:
        sentence = f"{error.detail}\n"
        return HttpResponseBadRequest(sentence, content_type="text/plain; charset=utf-8")


@require_safe
def season_csv(request: HttpRequest, key: str, number: int) -> HttpResponseBase:
    """Send the table of a division of a ladder's season, best first."""
    found = get_object_or_404(
        Division.objects.select_related("season__ladder", "tournament"),
        season__ladder__key=key,
        season__number=number,
        level=query_number(request, "division") or 1,
    )
    return answer_division(request, found.season, found)


def _refuse(tournament: Tournament) -> HttpResponse:
    """Return the refusal for readers who may not see the results of a tournament yet."""
    sentence = f"The results of {tournament.name} are hidden until its organiser releases them.\n"
    return HttpResponse(sentence, content_type="text/plain; charset=utf-8", status=409)
