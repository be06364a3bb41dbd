"""A format of few lines whose pairings follow from results."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pentathlon_engines.tournament.formats.interface import (
    FORFEIT,
    Batch,
    FieldEntry,
    Over,
    Parameter,
    Plan,
    PlannedBlock,
    PlayedBlock,
    Problem,
    Size,
    Step,
    Wait,
)


@dataclass(frozen=True, slots=True)
class KingOfTheHill:
    """The winner of each block meets the next entry; a draw is for the one who was there."""

    name: str = "king/1"
    title: str = "King of the hill"
    text: str = "The winner stays."
    reads_results: bool = True
    reads_repeats: bool = False

    @property
    def parameters(self) -> Mapping[str, Parameter]:
        return {}

    @property
    def laws(self) -> tuple[str, ...]:
        return (FORFEIT,)

    def order(self, plan: Plan) -> tuple[str, ...]:
        return ()

    def problems(self, plan: Plan, entries: int) -> list[Problem]:
        return []

    def size(self, plan: Plan, entries: int) -> Size:
        return Size(0, 2 * entries - 2, 2 * entries)

    def next(
        self, plan: Plan, entries: Sequence[FieldEntry], played: Sequence[PlayedBlock]
    ) -> Step:
        if not all(block.is_complete for block in played):
            return Wait()
        active = [entry.number for entry in entries if entry.is_active]
        king, beaten = entries[0].number, []
        for block in played:
            other = next(bot for bot in block.seatings[0] if bot != king)
            if block.counts and block.ranks is not None and _score(block, other) > 0:
                king, other = other, king
            beaten.append(other)
        met = {bot for block in played for bot in block.seatings[0]}
        waiting = [bot for bot in active if bot not in met and bot != king]
        if not waiting or king not in active:
            return Over(((king,), *((bot,) for bot in reversed(beaten))), "Nobody is left.")
        pair = (king, waiting[0])
        return Batch((PlannedBlock(len(played) + 1, (pair, pair[::-1])),))


def _score(block: PlayedBlock, bot: int) -> int:
    return sum(
        (1 if ranks[seating.index(bot)] == 0 else -1)
        for seating, ranks in zip(block.seatings, block.ranks or (), strict=True)
        if ranks is not None and len(set(ranks)) > 1
    )
