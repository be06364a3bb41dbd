"""Tournaments as CSV: tables, and results in parts of bounded size."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from django.db.models import Count, Max, Q, Sum
from django.http import HttpRequest
from django.http.response import HttpResponseBase

from pentathlon.accounts.models import names_version
from pentathlon.core.caching import answer_packed, tag_of
from pentathlon.core.csv_files import csv_text
from pentathlon.core.errors import InvalidInput
from pentathlon.matches.models import Match
from pentathlon.ratings.models import Pool
from pentathlon.tournaments.batches import BlockState
from pentathlon.tournaments.models import FinalRow, Tournament, TournamentMatchQuerySet
from pentathlon.tournaments.results.standings import Standing, standings
from pentathlon.tournaments.scheduling.secrecy import count_parts, places_of_part, sealed_blocks

_POOL = ("pk", "algorithm_version", "ledger_version", "applied_seq", "recomputes", "done", "void")
_CHUNK: Final = 5000
_MATCH_COLUMNS: Final = ("index", "round", "block", "match", "state", "seed")
_SEAT_COLUMNS: Final = (
    *("seat", "bot", "version", "rank", "score", "reason", "fault", "chain", "revoked"),
)
STANDING_COLUMNS: Final = (
    *("place", "group", "bot", "version", "author", "state", "points", "matches", "wins"),
    *("draws", "losses", "faults", "strength", "sigma", "low", "high", "rank_low", "rank_high"),
    *("chance_of_best", "former_versions", "byes", "forfeits", "cancelled"),
)


def state_of_tables(tournament: Tournament) -> tuple[object, ...]:
    """Return values that change whenever standings, crosstable or seats do; cheap at any size."""
    rows = tournament.entries.order_by("pk").annotate(replaced=Count("replacements"))
    entries = rows.values_list("pk", "version", "state", "number", "replaced")
    final = FinalRow.objects.filter(entry__tournament=tournament).order_by("pk")
    return (
        *(tournament.pk, tournament.created_at, tournament.state, names_version()),
        tournament.scheduled,  # a new round may have byes
        tournament.blocks.filter(state=BlockState.PARTIAL).count(),  # and these have forfeits
        list(Pool.objects.filter(tournament=tournament).values_list(*_POOL)),
        list(entries),
        list(final.values_list("pk", "place", "group", "mu", "sigma", "fold_mu", "fold_sigma")),
    )


def state_of_matches(
    tournament: Tournament, places: TournamentMatchQuerySet
) -> tuple[object, ...]:
    """Return values that change with every state of a match and every seed that is revealed."""
    matches = Match.objects.filter(place__in=places.order_by()).order_by("state", "is_revoked")
    states = matches.values_list("state", "is_revoked").annotate(Count("pk"), Max("finished_at"))
    # Reads the present row of the tournament, since the caller's may be older. A replacement
    # changes the bots of waiting matches, but not their states.
    rows = Tournament.objects.filter(pk=tournament.pk).annotate(
        replaced=Count("replacements"),
        settled=Count("replacements", filter=Q(replacements__is_settled=True)),
        checked=Sum("replacements__checked_block"),
    )
    row = rows.values_list("state", "revealed_at", "replaced", "settled", "checked")
    return (tournament.pk, tournament.created_at, names_version(), *row, list(states))


def answer_standings(request: HttpRequest, tournament: Tournament) -> HttpResponseBase:
    """Answer with the table of a tournament whose results the reader may see."""
    answer = answer_packed(
        request,
        # Read before the rows: if they change meanwhile, the reader asks again.
        tag=tag_of("standings.csv", *state_of_tables(tournament)),
        content_type="text/csv; charset=utf-8",
        make=lambda: _standings(tournament).encode(),
    )
    return named(answer, f"tournament-{tournament.pk}-standings")


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
    return named(answer, name)


def named(answer: HttpResponseBase, name: str) -> HttpResponseBase:
    """Add the name of the file to an answer."""
    answer.headers["Content-Disposition"] = f'attachment; filename="{name}.csv"'
    return answer


def standing_columns(row: Standing) -> tuple[object, ...]:
    """Return the values of a row of a table, in the order of `STANDING_COLUMNS`."""
    bot, ranks = row.version.bot, row.rank_interval
    scores = (row.points, row.matches, row.wins, row.draws, row.losses, row.faults)
    return (
        *(row.place, row.group, bot.name, row.version.number, bot.owner.username),
        *(row.entry.state, *scores, row.bar.strength, row.rating.sigma, row.bar.low, row.bar.high),
        *((None, None) if ranks is None else (ranks.best, ranks.worst)),
        *(row.chance_of_best, _former(row), row.byes, row.forfeits, int(row.is_cancelled)),
        *row.tie_breaks.values(),
    )


def _standings(tournament: Tournament) -> str:
    tie_breaks = (f"tie_break_{name}" for name in tournament.tie_breaks)
    return csv_text((*STANDING_COLUMNS, *tie_breaks), map(standing_columns, standings(tournament)))


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
