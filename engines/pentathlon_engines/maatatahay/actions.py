"""The actions of Maatatahay: numbers and texts.

Actions are numbered phase by phase, as the rules list them. Payments for a shrine and additions to
a tile have their numbers whether or not there are crystals for them.

>>> TEXTS[ACTIONS["place c3 pay s1e2"]], len(TEXTS)
('place c3 pay s1e2', 145)
"""

from __future__ import annotations

from pentathlon_engines.maatatahay.board import (
    ARROWS_OF,
    COST,
    FACES,
    LEAST_COST,
    LEAST_SPIRIT,
    MOST_STORED,
    SHRINES,
    SPACES,
    STORAGE,
    STREAM,
    TILES,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final


def _facings(tile: int) -> list[int]:
    """Return the legal `face` actions of a tile: only the first of equal faces (9.1)."""
    turned = [ARROWS_OF[tile << 3 | face << 1] for face in range(len(FACES))]
    return [FACE + face for face, arrows in enumerate(turned) if turned.index(arrows) == face]


PAYMENTS: Final = tuple(
    (spirit, cost - spirit)
    for cost in range(LEAST_COST, COST + 1)
    for spirit in range(LEAST_SPIRIT, cost + 1)
)
"""The pairs of spirit and energy that may be paid for a relic, in order of cost."""
PAYMENTS_OF: Final = tuple(
    tuple(i for i, payment in enumerate(PAYMENTS) if sum(payment) == cost)
    for cost in range(COST + 1)
)
ADDITIONS: Final = tuple(
    (spirit, energy)
    for spirit in range(MOST_STORED + 1)
    for energy in range(MOST_STORED + 1 - spirit)
)
"""The pairs of spirit and energy that may be put on a tile."""

FIRST: Final[int] = STREAM
SECOND: Final = FIRST + 1
PLACE: Final = SECOND + 1
PAY: Final = PLACE + len(SPACES)
FACE: Final = PAY + len(SHRINES) * len(PAYMENTS)
ADD: Final = FACE + len(FACES)
SETTLE: Final = ADD + len(ADDITIONS)

TEXTS: Final[tuple[str, ...]] = (
    *(f"pair {slot + 1}" for slot in range(STREAM)),
    "first",
    "second",
    *(f"place {space}" for space in SPACES),
    *(f"place {SPACES[shrine]} pay s{s}e{e}" for shrine in SHRINES for s, e in PAYMENTS),
    *(f"face {face}" for face in FACES),
    *(f"add s{s}e{e}" for s, e in ADDITIONS),
    *(f"settle {space}" for space in SPACES),
)
ACTIONS: Final[dict[str, int]] = {text: action for action, text in enumerate(TEXTS)}
GRAMMAR: Final = (
    f"'pair <1-{STREAM}>', 'first', 'second', 'place <space>', 'place <shrine> pay s<n>e<n>', "
    f"'face <{'|'.join(FACES)}>', 'add s<n>e<n>' or 'settle <space>', "
    f"spaces {SPACES[0]} to {SPACES[-1]}"
)

FACINGS: Final[list[list[int]]] = [[], *(_facings(tile) for tile in range(1, TILES + 1))]
"""The legal `face` actions of each tile."""
ADDS: Final = [
    [
        [
            ADD + i
            for i, (s, e) in enumerate(ADDITIONS)
            if s <= spirit and e <= energy and spirit + energy - s - e <= STORAGE
        ]
        for energy in range(MOST_STORED + 1 - spirit)
    ]
    for spirit in range(MOST_STORED + 1)
]
"""The legal `add` actions by the spirit and energy in storage (5.6)."""
