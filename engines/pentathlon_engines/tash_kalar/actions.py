"""All actions of Tash-Kalar by number (16.2).

The number of an action is the index of its text among all texts in plain string order, so a sorted
list of numbers is the list that the rules call `legal`.
"""

from __future__ import annotations

from sys import intern

from pentathlon_engines.tash_kalar.board import (
    ADJACENT,
    DIRECTIONS,
    GRID,
    INDEX,
    MARKED,
    NAMES,
    SQUARES,
    bits,
)
from pentathlon_engines.tash_kalar.cards.catalogue import (
    BEINGS,
    CARDS,
    FIRST_LEGEND,
    FROZEN_CARDS,
    IDS,
    PATTERNS,
    PROGRAMS,
    TASK_FILE,
    WARP_CARDS,
)
from pentathlon_engines.tash_kalar.cards.patterns import ORIENTATIONS, RANKS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Final

GRAMMAR: Final = (
    "'setup <square>', 'place <square>', 'place <square> <rank>', 'pickup <square>', "
    "'summon <card> <square>', 'summon <card> <square> <orientation>', 'discard <card>', "
    "'return <card>', 'take <card>', 'keep <card>', 'throw <card>', 'warp <card>', "
    "'claim <task>', 'flare', 'thaw', 'end', 'done', 'pass', 'move <square> <square>', "
    "'pick', 'leap', 'destroy', 'upgrade', 'downgrade' or 'convert' with a square, "
    "'dir <direction>' or 'opt <label>'"
)
_ON_SQUARES: Final = (
    "place",
    "pickup",
    "pick",
    "leap",
    "destroy",
    "upgrade",
    "downgrade",
    "convert",
)
LABELS: Final = tuple(
    dict.fromkeys(step.label for program in PROGRAMS for step in program.steps if step.label)
)
TASK_IDS: Final[tuple[str, ...]] = tuple(task["id"] for task in TASK_FILE["cards"])


def _texts() -> Iterator[str]:
    yield from ("flare", "thaw", "end", "done", "pass")
    yield from (f"setup {NAMES[square]}" for square in MARKED)
    yield from (f"dir {direction}" for direction in DIRECTIONS)
    yield from (f"opt {label}" for label in LABELS)
    yield from (f"claim {task}" for task in TASK_IDS)
    yield from (f"return {card}" for card in IDS)
    yield from (f"keep {IDS[card]}" for card in FROZEN_CARDS)
    yield from (f"throw {card}" for card in IDS)
    yield from (f"warp {IDS[card]}" for card in bits(WARP_CARDS))
    for card in IDS[:FIRST_LEGEND]:
        yield f"discard {card}"
        yield f"take {card}"
    for square in SQUARES:
        name = NAMES[square]
        yield from (f"{verb} {name}" for verb in _ON_SQUARES)
        yield from (f"place {name} {rank}" for rank in RANKS)
        yield from (f"move {name} {NAMES[to]}" for to in bits(ADJACENT[square]))
    for being in range(BEINGS):
        yield from _summons(being)


def _summons(card: int) -> Iterator[str]:
    pattern = PATTERNS[card]
    if not pattern.refs:
        yield from (f"summon {IDS[card]} {NAMES[square]}" for square in SQUARES)
        return
    for shape in pattern.shapes:
        name = ORIENTATIONS[shape.name]
        for square in bits(shape.valid):
            yield f"summon {IDS[card]} {NAMES[square]} {name}"


TEXTS: Final[tuple[str, ...]] = tuple(sorted(_texts()))
ACTIONS: Final[dict[str, int]] = {text: action for action, text in enumerate(TEXTS)}

# The verbs that the code of the rules asks for.
CLAIM: Final = "claim"
DISCARD: Final = "discard"
END_VERB: Final = "end"
FLARE_VERB: Final = "flare"
PICKUP: Final = "pickup"
RETURN: Final = "return"
SUMMON: Final = "summon"
TAKE: Final = "take"
THAW_VERB: Final = "thaw"
WARP: Final = "warp"
DO_DESTROY: Final = "destroy"
DO_DOWNGRADE: Final = "downgrade"
DO_MOVE: Final = "move"
DO_PICK: Final = "pick"
DO_PLACE: Final = "place"
DO_UPGRADE: Final = "upgrade"

FLARE: Final[int] = ACTIONS["flare"]
THAW: Final[int] = ACTIONS["thaw"]
END: Final[int] = ACTIONS["end"]
FINISH: Final[int] = ACTIONS["done"]
PASS: Final[int] = ACTIONS["pass"]


def _by_square(verb: str, tail: str = "") -> list[int]:
    return [ACTIONS.get(f"{verb} {name}{tail}", -1) for name in NAMES]


PLACES: Final[list[int]] = _by_square("place")
PLACES_OF: Final[tuple[list[int], ...]] = tuple(_by_square("place", f" {rank}") for rank in RANKS)
PICKUPS: Final[list[int]] = _by_square("pickup")
PICKS: Final[list[int]] = _by_square("pick")
LEAPS_TO: Final[list[int]] = _by_square("leap")
DESTROYS: Final[list[int]] = _by_square("destroy")
UPGRADES: Final[list[int]] = _by_square("upgrade")
DOWNGRADES: Final[list[int]] = _by_square("downgrade")
CONVERTS: Final[list[int]] = _by_square("convert")
SETUPS: Final[tuple[int, ...]] = tuple(ACTIONS[f"setup {NAMES[square]}"] for square in MARKED)
DIRS: Final[tuple[int, ...]] = tuple(ACTIONS[f"dir {name}"] for name in DIRECTIONS)
OPTS: Final[dict[str, int]] = {label: ACTIONS[f"opt {label}"] for label in LABELS}
CLAIMS: Final[tuple[int, ...]] = tuple(ACTIONS[f"claim {task}"] for task in TASK_IDS)
RETURNS: Final[tuple[int, ...]] = tuple(ACTIONS[f"return {card}"] for card in IDS)
DISCARDS: Final[tuple[int, ...]] = tuple(ACTIONS[f"discard {card}"] for card in IDS[:FIRST_LEGEND])
KEEPS: Final[dict[int, int]] = {card: ACTIONS[f"keep {IDS[card]}"] for card in FROZEN_CARDS}
TAKES: Final[tuple[int, ...]] = tuple(ACTIONS[f"take {card}"] for card in IDS[:FIRST_LEGEND])
THROWS: Final[tuple[int, ...]] = tuple(ACTIONS[f"throw {card}"] for card in IDS)
WARPS: Final[tuple[int, ...]] = tuple(ACTIONS.get(f"warp {card}", -1) for card in IDS)


def _move_table() -> list[int]:
    table = [-1] * (GRID * GRID)
    for square in SQUARES:
        for to in bits(ADJACENT[square]):
            table[square * GRID + to] = ACTIONS[f"move {NAMES[square]} {NAMES[to]}"]
    return table


def _summon_tables() -> list[list[int]]:
    """Return tables of actions by square, for each being and each of its shapes or all of them."""
    return [
        [ACTIONS.get(f"summon {IDS[card]} {name}{tail}", -1) for name in NAMES]
        for card in range(BEINGS)
        for tail in _tails(card)
    ]


def _tails(card: int) -> list[str]:
    """Return the endings of the texts of a being's summonings."""
    pattern = PATTERNS[card]
    if not pattern.refs:
        return [""]
    return [f" {ORIENTATIONS[shape.name]}" for shape in pattern.shapes]


MOVES_TO: Final[list[int]] = _move_table()
"""The action of each single move, by `from * 81 + to`."""
SUMMONS: Final[list[list[int]]] = _summon_tables()


def _first_tables() -> list[int]:
    first, firsts = 0, []
    for pattern in PATTERNS:
        firsts.append(first)
        first += len(pattern.shapes) if pattern.refs else 1
    return firsts


SUMMON_TABLE: Final[list[int]] = _first_tables()
"""The first table of each being in `SUMMONS`; one per shape if orientations are chosen."""


def _decode() -> tuple[list[str], list[int], list[int], list[int]]:
    """Return, by action, its verb, card, square and other argument.

    For summonings only the verb is set here; the rest follows from their tables, because they are
    so many.
    """
    every = len(TEXTS)
    verbs, cards, squares, others = [SUMMON] * every, [-1] * every, [-1] * every, [-1] * every
    tasks = {task: index for index, task in enumerate(TASK_IDS)}
    for action, text in enumerate(TEXTS):
        if text.startswith(SUMMON):
            continue
        verb, *words = text.split(" ")
        verbs[action] = intern(verb)
        for word in words:
            if word in INDEX and squares[action] < 0:
                squares[action] = INDEX[word]
            elif word in CARDS:
                cards[action] = CARDS[word]
            else:
                others[action] = _other(word, tasks)
    return verbs, cards, squares, others


def _other(word: str, tasks: dict[str, int]) -> int:
    """Return the number of a second square, an orientation, a rank, a direction or a task."""
    if word in INDEX:
        return INDEX[word]
    if word in ORIENTATIONS:
        return ORIENTATIONS.index(word)
    if word in RANKS:
        return RANKS.index(word)
    if word in DIRECTIONS:
        return DIRECTIONS.index(word)
    return tasks.get(word, -1)


_DECODED: Final = _decode()
VERB_OF: Final[list[str]] = _DECODED[0]
CARD_OF: Final[list[int]] = _DECODED[1]
SQUARE_OF: Final[list[int]] = _DECODED[2]
OTHER_OF: Final[list[int]] = _DECODED[3]


def _decode_summons() -> None:
    for card in range(BEINGS):
        pattern, table = PATTERNS[card], SUMMON_TABLE[card]
        shapes = pattern.shapes if pattern.refs else pattern.shapes[:1]
        for place, shape in enumerate(shapes):
            orientation = shape.name if pattern.refs else -1
            for square, action in enumerate(SUMMONS[table + place]):
                if action >= 0:
                    CARD_OF[action] = card
                    SQUARE_OF[action] = square
                    OTHER_OF[action] = orientation


_decode_summons()
