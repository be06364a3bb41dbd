"""What becomes of matches that are not played because a bot has left.

A bot leaves when it is withdrawn, retired, stopped, disqualified or deleted. That is not an
accident: a *void* match is one that the host has failed to play, is played again, and in the end
is worth nothing to anybody. A match that a bot's leaving has prevented is a *forfeit*: those who
stayed share the first rank, and those who left the last one, so where all have left, nobody gets
anything. Forfeits are never rated. The law of a tournament says what they are worth in its table.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Final, NamedTuple

from pentathlon_engines.tournament.formats.interface import (
    AS_PLAYED,
    CANCEL,
    WIN,
    FieldEntry,
    Format,
    KnownFromStart,
    Plan,
    PlayedBlock,
    count_points,
)
from pentathlon_engines.tournament.tie_breaks import BYE, Counts, Results, RoundResult, Versus

_HALF: Final = 2


class Settlement(NamedTuple):
    """The effect of those who have left on a table."""

    cancelled: frozenset[int] = frozenset()
    """The entries whose results count for nobody."""
    forfeits: Versus = MappingProxyType({})
    """For each entry: wins, draws and losses of forfeited matches, by opponent."""
    wins: Mapping[int, int] = MappingProxyType({})
    """For each entry: the forfeited matches that it has won alone."""

    def apply(self, results: Results) -> Results:
        """Return results of played matches, with forfeits and without what is cancelled."""
        against = {
            player: {other: counts for other, counts in met.items() if other not in self.cancelled}
            for player, met in results.against.items()
            if player not in self.cancelled
        }
        # Results are cancelled at tables of two only, where each match is against one opponent.
        lost = {
            player: sum(counts[0] for other, counts in met.items() if other in self.cancelled)
            for player, met in results.against.items()
        }
        wins = {
            player: won - lost.get(player, 0) + self.wins.get(player, 0)
            for player, won in {**dict.fromkeys(self.wins, 0), **results.wins}.items()
            if player not in self.cancelled
        }
        for player, met in self.forfeits.items():
            own = against.setdefault(player, {})
            for other, counts in met.items():
                own[other] = _sum(own.get(other, (0, 0, 0)), counts)
        return replace(results, against=against, wins=wins)

    def points(self, player: int) -> float:
        """Return the points that a player has got without a match because others have left."""
        met = self.forfeits.get(player, {}).values()
        return sum(won + drawn / 2 for won, drawn, _ in met)


def settle(
    scheduling: Format,
    plan: Plan,
    entries: Sequence[FieldEntry],
    played: Iterable[PlayedBlock],
    *,
    law: str,
) -> Settlement:
    """Return what leaving means for the table; `played` has at least all blocks of leavers.

    Blocks that were never made because a bot had left count like those that were.
    """
    if law == AS_PLAYED:
        return Settlement()
    gone = {entry.number for entry in entries if not entry.is_active}
    made = list(played)
    missed: list[PlayedBlock] = []
    cancelled: frozenset[int] = frozenset()
    if gone and isinstance(scheduling, KnownFromStart):
        theirs = [
            block for block in scheduling.schedule(plan, entries) if gone & {*block.seatings[0]}
        ]
        if law == CANCEL:
            cancelled = _below_half((block.seatings for block in theirs), made, gone)
        known = Counter((block.round, block.seatings) for block in made)
        for block in theirs:
            if known[block.round, block.seatings] > 0:
                known[block.round, block.seatings] -= 1
                continue
            ranks = tuple(forfeit_ranks(seating, gone) for seating in block.seatings)
            every = tuple(range(len(ranks)))
            missed.append(PlayedBlock(block.round, block.seatings, ranks, forfeits=every))
    return _count_forfeits([*made, *missed], cancelled)


def forfeit_ranks(seating: Sequence[int], left: Collection[int]) -> tuple[int, ...]:
    """Return the ranks of a match that was not played because some of its bots had left.

    >>> forfeit_ranks((7, 8), {8}), forfeit_ranks((7, 8), {7, 8}), forfeit_ranks((1, 2, 3), {1})
    ((0, 1), (1, 1), (2, 0, 0))
    """
    stayed = sum(entry not in left for entry in seating)
    return tuple(max(1, stayed) if entry in left else 0 for entry in seating)


def _below_half(
    scheduled: Iterable[Sequence[Sequence[int]]], made: Iterable[PlayedBlock], gone: set[int]
) -> frozenset[int]:
    """Return which of those who have left played less than half of their matches."""
    planned = Counter(entry for seatings in scheduled for seating in seatings for entry in seating)
    done = Counter(
        entry
        for block in made
        for leg, seating in enumerate(block.seatings)
        if block.is_played(leg)
        for entry in seating
    )
    return frozenset(entry for entry in gone if _HALF * done[entry] < planned[entry])


def _count_forfeits(blocks: Iterable[PlayedBlock], cancelled: frozenset[int]) -> Settlement:
    against: dict[int, dict[int, Counts]] = {}
    wins: Counter[int] = Counter()
    for block in blocks:
        if cancelled.isdisjoint(block.seatings[0]):
            for seating, ranks in block.forfeited():
                count_match(against, wins, seating, ranks)
    return Settlement(cancelled, against, wins)


def count_match(
    against: dict[int, dict[int, Counts]],
    wins: Counter[int],
    seating: Sequence[int],
    ranks: Sequence[int],
) -> None:
    """Add a match to what each of its bots has against each other one, and who has won alone."""
    best = [entry for entry, rank in zip(seating, ranks, strict=True) if rank == 0]
    wins.update(best if len(best) == 1 else ())
    for one, own in zip(seating, ranks, strict=True):
        met = against.setdefault(one, {})
        for other, their in zip(seating, ranks, strict=True):
            if one != other:
                met[other] = _sum(met.get(other, (0, 0, 0)), _compared(own, their))


def _compared(own: int, their: int) -> Counts:
    """Return a match as wins, draws and losses against one opponent.

    Two who share a rank that is not the first have both lost: they were at fault, or had left.
    """
    if own == their:
        return (0, 1, 0) if own == 0 else (0, 0, 1)
    return (1, 0, 0) if own < their else (0, 0, 1)


def _sum(one: Counts, other: Counts) -> Counts:
    return (one[0] + other[0], one[1] + other[1], one[2] + other[2])


def results_of_rounds(
    entries: Sequence[FieldEntry], played: Sequence[PlayedBlock], *, fit: Mapping[int, float]
) -> Results:
    """Return the results of rounds of two: blocks, forfeits, byes and absences.

    Matches without a result so far count for nobody. A block whose opponent has left counts as
    two wins, like a bye.
    """
    rounds = rounds_of(entries, played)
    against: dict[int, dict[int, Counts]] = {entry.number: {} for entry in entries}
    wins = Counter(dict.fromkeys(against, 0))
    for block in played:
        won: Counter[int] = Counter()
        for seating, ranks in zip(block.seatings, block.ranks or (), strict=False):
            if ranks is not None:
                count_match(against, won, seating, ranks)
        for seating, ranks in block.forfeited():
            won |= {entry: BYE for entry, rank in zip(seating, ranks, strict=True) if rank == 0}
        wins.update(won)
    byes = {
        number: sum(each.opponent is None and not each.is_voluntary for each in lines)
        for number, lines in rounds.items()
    }
    return Results(wins=wins, against=against, fit=fit, byes=byes, rounds=rounds)


def points_of_forfeits(played: Iterable[PlayedBlock]) -> dict[int, float]:
    """Return the points that entries have without a match because their opponents have left."""
    points: dict[int, float] = {}
    for block in played:
        if not block.forfeits:
            continue
        legs = tuple(
            ranks if block.is_played(leg) else None for leg, ranks in enumerate(block.ranks or ())
        )
        scored = count_points(block._replace(ranks=legs, forfeits=()))
        for entry, half_points in count_points(block).items():
            gained = (half_points - scored[entry]) / WIN
            points[entry] = points.get(entry, 0.0) + gained
    return points


def rounds_of(
    entries: Iterable[FieldEntry], played: Iterable[PlayedBlock]
) -> dict[int, list[RoundResult]]:
    """Return every round so far for each entry."""
    by_round: dict[int, list[PlayedBlock]] = {}
    for block in played:
        by_round.setdefault(block.round, []).append(block)
    lines: dict[int, list[RoundResult]] = {entry.number: [] for entry in entries}
    for _, blocks in sorted(by_round.items()):
        met = {bot: block for block in blocks for bot in block.seatings[0]}
        left = {bot for block in blocks for bot in block.left}
        for number, line in lines.items():
            if number in met:
                line.append(_of_block(met[number], number))
            elif number in left:
                line.append(RoundResult(None, 0.0, is_played=False, is_voluntary=True))
            else:
                line.append(RoundResult(None, BYE, is_played=False))
    return lines


def _of_block(block: PlayedBlock, number: int) -> RoundResult:
    """Return a block for one of its two entries."""
    opponent = next(bot for bot in block.seatings[0] if bot != number)
    is_played = any(block.is_played(leg) for leg in range(len(block.seatings)))
    has_left = any(ranks[seating.index(number)] > 0 for seating, ranks in block.forfeited())
    points = count_points(block)[number] / WIN
    return RoundResult(opponent, points, is_played, is_voluntary=has_left and not is_played)
