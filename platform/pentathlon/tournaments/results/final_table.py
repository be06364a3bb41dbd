"""The final table of a tournament, which follows from its results, whatever their order."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from operator import itemgetter
from typing import Final, NamedTuple

from django.db.models import QuerySet

from pentathlon.accounts.models import User
from pentathlon.bots.models import BotVersion
from pentathlon.matches.hidden_lanes import HiddenLane
from pentathlon.ratings.models import Pool, tournament_key
from pentathlon.ratings.scopes import counting_seats, rows_without_sandbox
from pentathlon.ratings.scores import read_scores
from pentathlon.ratings.skill import Skill, fold, results_of_matches
from pentathlon.ratings.verification import Difference, facts_are_equal, is_exact
from pentathlon.tournaments.models import FinalRow, Tournament, TournamentState
from pentathlon.tournaments.results.table_order import merge_scores, order_entries, read_results
from pentathlon.tournaments.scheduling.blocks import numbers_of_versions
from pentathlon_engines.commentary.words import enumerate_all
from pentathlon_engines.strength.best import by_strength, chances_of_best, groups, rank_intervals
from pentathlon_engines.strength.pair_model import PlayedMatch
from pentathlon_engines.strength.thurstone import fit

_PAIR: Final = 2
_MEDALS: Final = 3
_LAST = 3
"""The last place of a podium."""
_MOST_NAMED = 5
_FACTS: Final = (
    *("place", "group", "mu", "sigma", "rank_low", "rank_high"),
    *("fold_mu", "fold_sigma", "chance_of_best"),
)


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


class Step(NamedTuple):
    """One place of a podium, and the versions that share it."""

    place: int
    versions: Sequence[BotVersion]


class Podium(NamedTuple):
    """The best places of a closed tournament, the first one first."""

    steps: Sequence[Step]

    @property
    def story(self) -> str:
        """Return who won, and who came next, in a sentence."""
        first, *others = self.steps
        names = _named(first.versions)
        if not others:
            return (
                f"{names} share the first place." if len(first.versions) > 1 else f"{names} won."
            )
        verb = "share the first place" if len(first.versions) > 1 else "won"
        behind = _named([version for step in others for version in step.versions])
        return f"{names} {verb}, ahead of {behind}."


def podiums(tournaments: Iterable[int]) -> Mapping[int, Podium]:
    """Return the podiums of those of these tournaments that have a final table, by id.

    Whoever shows them asks before whether results are hidden from the reader.
    """
    rows = FinalRow.objects.filter(entry__tournament__in=tournaments, place__lte=_LAST)
    rows = rows.select_related("entry__version__bot").order_by(
        "place", "entry__version__bot__name"
    )
    steps: dict[int, dict[int, list[BotVersion]]] = defaultdict(lambda: defaultdict(list))
    for row in rows:
        steps[row.entry.tournament_id][row.place].append(row.entry.version)
    return {
        tournament: Podium([Step(place, versions) for place, versions in places.items()])
        for tournament, places in steps.items()
        if 1 in places
    }


def _named(versions: Sequence[BotVersion]) -> str:
    """Return the names of bots; of very many, the first ones and how many more there are."""
    names = [version.bot.name for version in versions]
    if len(names) <= _MOST_NAMED:
        return enumerate_all(names)
    return f"{', '.join(names[:_MOST_NAMED])} and {len(names) - _MOST_NAMED} more"


def verify_final_table(*, tournament_id: int) -> list[Difference]:
    """Compute the final table of a closed tournament again; return how the stored one differs.

    It locks nothing, and skips a tournament whose results change meanwhile.
    """
    before = _closed(tournament_id)
    if before is None:
        return []
    stored = _table(FinalRow.objects.filter(entry__tournament=before))
    found = list(_differences(before, stored, _table(final_rows(before))))
    after = _closed(tournament_id)
    if after is None or after.results_version != before.results_version:
        return []
    return found


def _closed(tournament_id: int) -> Tournament | None:
    closed = Tournament.objects.filter(state=TournamentState.CLOSED).select_related("pool")
    return closed.filter(pk=tournament_id).first()


def _table(rows: Iterable[FinalRow]) -> dict[int, tuple[object, ...]]:
    return {row.entry_id: tuple(getattr(row, fact) for fact in _FACTS) for row in rows}


def _differences(
    tournament: Tournament,
    stored: Mapping[int, tuple[object, ...]],
    computed: Mapping[int, tuple[object, ...]],
) -> Iterator[Difference]:
    for entry_id in sorted(stored.keys() | computed.keys()):
        kept, made = stored.get(entry_id), computed.get(entry_id)
        if not facts_are_equal(kept, made, exactly=is_exact_table(tournament)):
            place = f"final table, entry {entry_id}"
            yield Difference(pool=_key(tournament), place=place, stored=kept, computed=made)


def is_exact_table(tournament: Tournament) -> bool:
    """Return whether a final table was computed with the arithmetic of this process."""
    return tournament.pool is not None and is_exact(tournament.pool)


def _key(tournament: Tournament) -> str:
    return tournament.pool.key if tournament.pool else tournament_key(tournament.pk)
