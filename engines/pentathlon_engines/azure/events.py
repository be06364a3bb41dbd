"""What happens in Azure, as its rules page lists it (12.4).

An event is five numbers: kind, player, and up to three more.

| kind | numbers |
| --- | --- |
| place | cell, 1 if gifted, cost |
| gather | colour, how many |
| wisdom | change, wisdom now |
| favour | beast, who had it or -1 |
| mountain_stone | 1 if put on, 0 if taken back |
| return | cards |
| draw | cards, how many |
| reshuffle | cards |
| end | number of the reason |
"""

from __future__ import annotations

from pentathlon_engines.azure.board import (
    BEASTS,
    CARDS_EACH,
    CELLS,
    COLOURS,
    GOAL,
    letters,
    pack,
    size,
)
from pentathlon_engines.position import refuse

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any, Final

    from pentathlon_engines.azure.realm import Realm

    Event = tuple[int, int, int, int, int]

PLACE: Final = 0
GATHER: Final = 1
WISDOM: Final = 2
FAVOUR: Final = 3
MOUNTAIN: Final = 4
RETURN: Final = 5
DRAW: Final = 6
RESHUFFLE: Final = 7
END: Final = 8
KINDS: Final = (
    "place",
    "gather",
    "wisdom",
    "favour",
    "mountain_stone",
    "return",
    "draw",
    "reshuffle",
    "end",
)
REASONS: Final = ("wisdom", "stuck")


def show(event: Event, realm: Realm, *, secrets_of: Sequence[int]) -> dict[str, Any]:
    """Return an event as a JSON object, with the drawn cards of these seats only."""
    kind, player, first, second, third = event
    shown: dict[str, Any] = {"kind": KINDS[kind]}
    if kind == END:
        return shown | {"ranks": [player, 1 - player], "reason": REASONS[first]}
    if kind == RESHUFFLE:
        return shown | {"n": {name: first >> 4 * i & 15 for i, name in enumerate(COLOURS)}}
    shown["player"] = player
    if kind == PLACE:
        colour = COLOURS[realm.domain[first]]
        more = {"cell": CELLS[first], "gifted": second == 1, "cost": third, "colour": colour}
        return shown | more
    if kind == FAVOUR:
        return shown | {"beast": BEASTS[first], "from": second if second >= 0 else None}
    if kind == DRAW and player not in secrets_of:
        return shown | {"n": second}
    return shown | _show_change(kind, first, second)


def _show_change(kind: int, first: int, second: int) -> dict[str, Any]:
    """Return what one player gained or gave away."""
    if kind == GATHER:
        return {"colour": COLOURS[first], "n": second}
    if kind == WISDOM:
        return {"change": first, "now": second}
    if kind == MOUNTAIN:
        return {"on": first == 1}
    if kind == RETURN:
        return {"cards": letters(first)}
    return {"n": second, "cards": letters(first)}


def read(data: object, realm: Realm, *, field: str, secrets_of: Sequence[int]) -> Event:
    """Return the event of a JSON object, or raise `BadPosition`.

    Of cards drawn by other seats than these only the number is there; they are dealt later.
    """
    if not isinstance(data, dict) or data.get("kind") not in KINDS:
        refuse(field, f"must be an object with one of the kinds {', '.join(KINDS)}")
    kind = KINDS.index(data["kind"])
    player = 1 if data.get("player") == 1 else 0
    first, second, third = _READERS[kind](data)
    if kind == END:
        player = 0 if data.get("ranks") == [0, 1] else 1
    event = (kind, player, first, second, third)
    # Readers take anything; whatever they did not understand comes out differently.
    if show(event, realm, secrets_of=secrets_of) != data:
        refuse(field, f"is not an event as it is written: {data}")
    return event


def _read_place(data: dict[str, Any]) -> tuple[int, int, int]:
    return _index(CELLS, data.get("cell")), _flag(data.get("gifted")), _number(data.get("cost"))


def _read_gather(data: dict[str, Any]) -> tuple[int, int, int]:
    return _index(tuple(COLOURS), data.get("colour")), _number(data.get("n")), 0


def _read_wisdom(data: dict[str, Any]) -> tuple[int, int, int]:
    return _number(data.get("change")), _number(data.get("now")), 0


def _read_favour(data: dict[str, Any]) -> tuple[int, int, int]:
    loser = data.get("from")
    return _index(BEASTS, data.get("beast")), -1 if loser is None else _number(loser), 0


def _read_mountain(data: dict[str, Any]) -> tuple[int, int, int]:
    return _flag(data.get("on")), 0, 0


def _read_return(data: dict[str, Any]) -> tuple[int, int, int]:
    return _cards(data.get("cards")), 0, 0


def _read_draw(data: dict[str, Any]) -> tuple[int, int, int]:
    if "cards" not in data:
        return 0, _number(data.get("n")), 0
    cards = _cards(data["cards"])
    return cards, size(cards), 0


def _read_reshuffle(data: dict[str, Any]) -> tuple[int, int, int]:
    counts = data.get("n")
    if not isinstance(counts, dict):
        return 0, 0, 0
    return sum(abs(_number(counts.get(name))) << 4 * i for i, name in enumerate(COLOURS)), 0, 0


def _read_end(data: dict[str, Any]) -> tuple[int, int, int]:
    return _index(REASONS, data.get("reason")), 0, 0


def _index(names: Sequence[str], value: object) -> int:
    return names.index(value) if isinstance(value, str) and value in names else 0


def _flag(value: object) -> int:
    return 1 if value is True else 0


def _number(value: object) -> int:
    return value if type(value) is int and abs(value) <= _LARGEST else 0


def _cards(value: object) -> int:
    if not isinstance(value, str) or len(value) > CARDS_EACH:
        return 0
    return 0 if value.strip(COLOURS) else pack(value)


_LARGEST: Final = GOAL
_READERS: Final[tuple[Callable[[dict[str, Any]], tuple[int, int, int]], ...]] = (
    _read_place,
    _read_gather,
    _read_wisdom,
    _read_favour,
    _read_mountain,
    _read_return,
    _read_draw,
    _read_reshuffle,
    _read_end,
)
