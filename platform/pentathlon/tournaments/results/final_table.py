"""The final table of a tournament, which follows from its results, whatever their order."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from operator import itemgetter
from typing import Final

from django.db.models import QuerySet

from pentathlon.accounts.models import User
from pentathlon.matches.hidden_lanes import HiddenLane
from pentathlon.ratings.models import Pool
from pentathlon.ratings.results import counting_seats, rows_without_sandbox
from pentathlon.ratings.scores import read_scores
from pentathlon.ratings.skill import Skill, fold, results_of_matches
from pentathlon.tournaments.models import FinalRow, Tournament, TournamentState
from pentathlon.tournaments.results.combined_results import merge_scores
from pentathlon.tournaments.results.table_order import order_entries, read_results
from pentathlon.tournaments.scheduling.lineups import numbers_of_versions
from pentathlon_engines.strength.best import (
    by_strength,
    chances_of_best,
    groups,
    rank_intervals,
)
from pentathlon_engines.strength.pair_model import PlayedMatch
from pentathlon_engines.strength.thurstone import fit

_PAIR: Final = 2
_MEDALS: Final = 3


def final_rows(tournament: Tournament) -> list[FinalRow]:
    """Return unstored rows of the final table, best first; entries that have left have none.

    The order is that of the format and the tie-breaks; whoever is level in all of them shares a
    place. The strengths stand beside it; in them, a result counts the same however late it was. At
    tables of two, rows also have the ratings by the live rule in schedule order; at larger tables,
    these would take half a millisecond a match. Both depend on the results alone, so the same
    tournament gives the same table bit for bit, in whatever order its matches ended.

    An entry is one player, whichever versions have played for it: its place has the points of all
    of them, and a replacement must not be a way to get rid of bad results. Its strength is the
    average of the versions that have played for it; each version has a rating of its own.
    """
    pool = tournament.pool
    if pool is None:
        return []
    entered = numbers_of_versions(tournament)
    # Players are numbers of entries, so that no database id decides anything, even among equals.
    matches = list(_matches(tournament, pool, entered))
    active = {entered[entry.version_id]: entry for entry in tournament.entries.active()}
    fitted = fit(
        matches,
        players=set(entered.values()),
        draw_probability=pool.draw_probability,
        beta=pool.beta,
    )
    strengths = fitted.only(active)
    folded = _folded(matches, pool) if tournament.table_seats == _PAIR else None
    chances = chances_of_best(strengths).chances
    numbers, intervals = groups(strengths), rank_intervals(strengths)
    ranked = [strengths.players[index] for index in by_strength(strengths)]
    found = dict(zip(strengths.players, strengths.mu, strict=True))
    scores = merge_scores(tournament, read_scores(pool))
    left = set(entered.values()) - active.keys()
    table = read_results(tournament, scores, entered, fit=found, left=left)
    groups_by_place = order_entries(tournament, ranked, table.results)
    indexes = {player: index for index, player in enumerate(strengths.players)}
    rows = []
    for place, player in _places(groups_by_place):
        index = indexes[player]
        skill = None if folded is None else folded.get(player, Skill())
        row = FinalRow(
            entry=active[player],
            place=place,
            group=numbers[index],
            mu=strengths.mu[index],
            sigma=strengths.sigma(index),
            rank_low=intervals[index].best,
            rank_high=intervals[index].worst,
            fold_mu=None if skill is None else skill.mu,
            fold_sigma=None if skill is None else skill.sigma,
            chance_of_best=chances[index],
        )
        rows.append(row)
    return rows


def titles_of(author: User) -> QuerySet[FinalRow]:
    """Return podium places in closed tournaments that everybody may see, latest first."""
    # A query of its own: in a join, SQLite would look for each version in each tournament.
    podiums = FinalRow.objects.filter(entry__version__bot__owner=author, place__lte=_MEDALS)
    rows = FinalRow.objects.filter(
        pk__in=podiums.values("pk"), entry__tournament__state=TournamentState.CLOSED
    ).exclude(entry__tournament__in=HiddenLane.objects.in_force().values("lane"))
    loaded = rows.select_related("entry__tournament", "entry__version__bot")
    return loaded.order_by("-entry__tournament__finished_at", "-entry__tournament", "place")


def _places(groups: Sequence[Sequence[int]]) -> Iterator[tuple[int, int]]:
    """Yield place and player, best first; players of one group share a place."""
    place = 1
    for group in groups:
        yield from ((place, player) for player in group)
        place += len(group)


def _folded(matches: Sequence[PlayedMatch], pool: Pool) -> dict[int, Skill]:
    """Return the ratings by the live rule, in schedule order."""
    return fold(
        results_of_matches(matches), draw_probability=pool.draw_probability, beta=pool.beta
    )


def _matches(
    tournament: Tournament, pool: Pool, entered: Mapping[int, int]
) -> Iterator[PlayedMatch]:
    """Yield the matches that count, in schedule order, with entry numbers as players."""
    seats = counting_seats(pool).filter(match__place__tournament=tournament)
    # These were settled when matches without a sandbox counted in no pool, and the table stays so.
    seats = seats.exclude(match__in=rows_without_sandbox(pool).values("match"))
    in_order = seats.order_by("match__place__index", "seat")
    facts = ("match", "match__place__block", "match__course")
    rows = in_order.values_list(*facts, "version", "rank")
    for (_, block, course), part in groupby(rows.iterator(), key=itemgetter(0, 1, 2)):
        ends = [(entered[version], rank or 0) for *_, version, rank in part]
        players, ranks = zip(*ends, strict=True)
        yield PlayedMatch(players, ranks, block, course or None)
