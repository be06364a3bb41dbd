"""The actions of Way of the Dragon: numbers and texts, in the order of the rules (9).

The numbers are the same for all lengths of the paths, so that a learner can mask them.

>>> TEXTS[ACTIONS["swap water 3 8"]]
'swap water 3 8'
"""

from __future__ import annotations

from pentathlon_engines.way_of_the_dragon.dice import ALL, DICE, PARTS, RULES, WORDS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final


def _texts() -> tuple[str, ...]:
    kept = [WORDS[number] or "-" for number in range(ALL)]
    swaps = [f"{element} {low} {high}" for element in ELEMENTS for low, high in PAIRS]
    return (
        "stop",
        *(f"keep {word}" for word in kept),
        *(f"eye {word}" for word in kept),
        *(f"move {element}" for element in ELEMENTS),
        *(f"jump {element}" for element in ELEMENTS),
        *(f"wild {element} {spaces}" for element in ELEMENTS for spaces in range(1, DICE + 1)),
        *(f"swap {swap}" for swap in swaps),
        "equilibrium",
        "equilibrium jump",
        "pass",
        "fear",
        "end",
        "again",
        "rebirth",
    )


ELEMENTS: Final[tuple[str, ...]] = tuple(path["element"] for path in RULES["paths"])
PATHS: Final = len(ELEMENTS)
MOST_SPACES: Final[int] = RULES["plain_spaces"]["most"] + len(RULES["paths"][0]["numbers"])
PAIRS: Final = tuple(
    (low, high) for low in range(1, MOST_SPACES) for high in range(low + 1, MOST_SPACES + 1)
)
PAIR_NUMBERS: Final = {pair: number for number, pair in enumerate(PAIRS)}

TEXTS: Final = _texts()
ACTIONS: Final[dict[str, int]] = {text: action for action, text in enumerate(TEXTS)}

STOP: Final = 0
KEEP: Final = 1
"""`keep` with no dice; for others, add their number."""
EYE: Final[int] = KEEP + ALL
MOVE: Final[int] = EYE + ALL
"""`move` on the first path; for others, add the number of the path."""
JUMP: Final[int] = MOVE + PATHS
WILD: Final[int] = JUMP + PATHS
"""`wild` on the first path by one space; each path has DICE actions."""
SWAP: Final[int] = WILD + PATHS * DICE
"""`swap` on the first path; each path has as many actions as there are PAIRS."""
EQUILIBRIUM: Final[int] = SWAP + PATHS * len(PAIRS)
EQUILIBRIUM_JUMP: Final[int] = EQUILIBRIUM + 1
PASS: Final[int] = EQUILIBRIUM + 2
FEAR: Final[int] = EQUILIBRIUM + 3
END: Final[int] = EQUILIBRIUM + 4
AGAIN: Final[int] = EQUILIBRIUM + 5
REBIRTH: Final[int] = EQUILIBRIUM + 6

KEEPS: Final = [[STOP, *(KEEP + kept for kept in parts)] for parts in PARTS]
"""By the number of all dice, what may be done with them while rolls are left."""
MOVES: Final = [
    [MOVE + path for path in range(PATHS) if paths >> path & 1] or [PASS]
    for paths in range(1 << PATHS)
]
"""By mask of paths, what may be done if ordinary moves on these are all that is legal."""

GRAMMAR: Final = (
    f"'stop', '(keep|eye) <dice>', '(move|jump) <element>', 'wild <element> <1-{DICE}>', "
    "'swap <element> <low> <high>', 'equilibrium', 'equilibrium jump', 'pass', 'fear', 'end', "
    f"'again' or 'rebirth'; elements {', '.join(ELEMENTS)}; dice as a word like 'wwm' or '-'"
)
