"""The actions of Azure: numbers and texts.

Actions are numbered in the order in which the rules list them: `place`, `gift` (each by cell),
`return`, `boon`. Every cell has its actions in every layout, so their number is fixed.

>>> TEXTS[ACTIONS["gift c4"]], len(TEXTS)
('gift c4', 84)
"""

from __future__ import annotations

from pentathlon_engines.azure.board import CELLS, COLOURS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

PAIRS: Final = tuple((x, y) for x in range(len(COLOURS)) for y in range(x, len(COLOURS)))
"""All pairs of cards that a hand may hold, in the order of the rules."""
GIFT: Final = len(CELLS)
"""The first action that places the gifted stone; below it are those of common stones."""
RETURN: Final = 2 * GIFT
BOON_QI: Final = RETURN + len(PAIRS)
BOON_WISDOM: Final = BOON_QI + 1

TEXTS: Final[tuple[str, ...]] = (
    *(f"place {cell}" for cell in CELLS),
    *(f"gift {cell}" for cell in CELLS),
    *(f"return {COLOURS[x]}{COLOURS[y]}" for x, y in PAIRS),
    "boon qi",
    "boon wisdom",
)
ACTIONS: Final[dict[str, int]] = {text: action for action, text in enumerate(TEXTS)}
GRAMMAR: Final = (
    f"'place <cell>', 'gift <cell>', 'return <two of {COLOURS}, in this order>', 'boon qi' "
    f"or 'boon wisdom', cells {CELLS[0]} to {CELLS[-1]}"
)
