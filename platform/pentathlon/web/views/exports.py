"""Tournaments and seasons as CSV: tables, and results in parts of bounded size."""

from collections.abc import Iterator
from typing import Final

from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBadRequest
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404
from django.views.decorators.http import require_safe

from pentathlon.caching import answer_packed, tag_of
from pentathlon.common.errors import InvalidInput, NotFound
from pentathlon.ladders.models import Division, Season
from pentathlon.ladders.tables import ladder_table
from pentathlon.tournaments.models import Tournament, TournamentMatchQuerySet
from pentathlon.tournaments.results.etags import state_of_matches, state_of_tables
from pentathlon.tournaments.results.hidden_results import are_hidden
from pentathlon.tournaments.results.standings import Standing, standings
from pentathlon.tournaments.scheduling.parts import count_parts, places_of_part
from pentathlon.tournaments.scheduling.secrecy import sealed_blocks
from pentathlon.web.requests import get_tournament, person, query_number
from pentathlon.web.responses import csv_text

_CHUNK: Final = 5000
_MATCH_COLUMNS: Final = ("index", "round", "block", "match", "state", "seed")
_SEAT_COLUMNS: Final = (
    *("seat", "bot", "version", "rank", "score", "reason", "fault", "chain", "revoked"),
)


_STANDING_COLUMNS: Final = (
    *("place", "group", "bot", "version", "author", "state", "points", "matches", "wins"),
    *("draws", "losses", "faults", "strength", "sigma", "low", "high", "rank_low", "rank_high"),
    *("chance_of_best", "former_versions", "byes", "forfeits", "cancelled"),
)


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


def answer_standings(request: HttpRequest, tournament: Tournament) -> HttpResponseBase:
    """Answer with the table of a tournament whose results the reader may see."""
    answer = answer_packed(
        request,
        # Read before the rows: if they change meanwhile, the reader asks again.
        tag=tag_of("standings.csv", *state_of_tables(tournament)),
        content_type="text/csv; charset=utf-8",
        make=lambda: _standings(tournament).encode(),
    )
    return _named(answer, f"tournament-{tournament.pk}-standings")


def answer_division(request: HttpRequest, season: Season, division: Division) -> HttpResponseBase:
    """Answer with the table of a division; the season comes with its ladder."""
    found = division.tournament
    answer = answer_packed(
        request,
        # Read before the rows: if they change meanwhile, the reader asks again.
        tag=tag_of("division.csv", *state_of_tables(found)),
        content_type="text/csv; charset=utf-8",
        make=lambda: csv_text(
            ("rank", "reference", *_STANDING_COLUMNS),
            (
                (row.rank, int(row.is_reference), *_standing(row.standing))
                for row in ladder_table(division)
            ),
        ).encode(),
    )
    name = f"{season.ladder.key}-season-{season.number}-division-{division.level}"
    return _named(answer, name)


def answer_results(
    request: HttpRequest, tournament: Tournament, *, part: int | None
) -> HttpResponseBase:
    """Answer with a part of the results of a tournament that the reader may see.

    Raises:
        InvalidInput: there are several parts, and none is named.
        NotFound: there are fewer parts.
    """
    parts = count_parts(tournament)
    if part is None and parts > 1:
        # Clients would take the first part alone for everything.
        raise InvalidInput(
            f"These results come in {parts} parts: ask for ?part=1 to ?part={parts}.",
            code="part_needed",
            field="part",
        )
    places = places_of_part(tournament, 1 if part is None else part)
    # Read before the rows: a block that is unsealed meanwhile stays sealed in this file.
    sealed = sealed_blocks(places)
    answer = answer_packed(
        request,
        tag=tag_of("results", part, *state_of_matches(tournament, places)),
        content_type="text/csv; charset=utf-8",
        make=lambda: csv_text(_MATCH_COLUMNS + _SEAT_COLUMNS, _lines(places, sealed)).encode(),
    )
    name = f"tournament-{tournament.pk}" + (f"-part-{part}-of-{parts}" if parts > 1 else "")
    return _named(answer, name)


def _named(answer: HttpResponseBase, name: str) -> HttpResponseBase:
    answer.headers["Content-Disposition"] = f'attachment; filename="{name}.csv"'
    return answer


def _refuse(tournament: Tournament) -> HttpResponse:
    """Return the refusal for readers who may not see the results of a tournament yet."""
    sentence = f"The results of {tournament.name} are hidden until its organiser releases them.\n"
    return HttpResponse(sentence, content_type="text/plain; charset=utf-8", status=409)


def _standings(tournament: Tournament) -> str:
    tie_breaks = (f"tie_break_{name}" for name in tournament.tie_breaks)
    return csv_text((*_STANDING_COLUMNS, *tie_breaks), map(_standing, standings(tournament)))


def _standing(row: Standing) -> tuple[object, ...]:
    bot, ranks = row.version.bot, row.rank_interval
    scores = (row.points, row.matches, row.wins, row.draws, row.losses, row.faults)
    return (
        *(row.place, row.group, bot.name, row.version.number, bot.owner.username),
        *(row.entry.state, *scores, row.bar.strength, row.rating.sigma, row.bar.low, row.bar.high),
        *((None, None) if ranks is None else (ranks.best, ranks.worst)),
        *(row.chance_of_best, _former(row), row.byes, row.forfeits, int(row.is_cancelled)),
        *row.tie_breaks.values(),
    )


def _former(row: Standing) -> str:
    """Return the numbers of the versions that have played for an entry before the present one."""
    numbers = (share.version.number for share in row.shares if share.version != row.version)
    return " ".join(map(str, numbers))


def _lines(places: TournamentMatchQuerySet, sealed: set[int]) -> Iterator[tuple[object, ...]]:
    """Yield a line for each seat, from plain columns: objects would take ten times as long."""
    match, seat, version = "match__", "match__seats__", "match__seats__version__"
    rows = places.order_by("index", f"{seat}seat").values_list(
        *("index", "round", "block", "match_id", f"{match}state", f"{match}seed"),
        *(f"{seat}seat", f"{version}bot__name", f"{version}number", f"{seat}rank"),
        *(f"{seat}score", f"{match}outcome_reason", f"{seat}fault_kind", f"{match}chain"),
        f"{match}is_revoked",
    )
    for row in rows.iterator(chunk_size=_CHUNK):
        *columns, revoked = row
        if row[2] in sealed:
            columns[5] = None
        yield *columns, int(revoked)
