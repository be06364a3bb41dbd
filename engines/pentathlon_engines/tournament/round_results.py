"""What rounds that are paired by results were for each player, as tie-breaks read it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from pentathlon_engines.tournament.departures import count_match
from pentathlon_engines.tournament.formats.interface import (
    WIN,
    FieldEntry,
    PlayedBlock,
    count_points,
)
from pentathlon_engines.tournament.tie_breaks import BYE, Counts, Results, RoundResult


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
