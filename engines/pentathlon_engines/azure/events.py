"""The events of Azure, as its rules page lists them (12.4).

An event is a tuple of numbers: kind, player, and more. The first boons of a stone are part of its
`place` event, although the page lists them as separate events.

| kind | numbers |
| --- | --- |
| place | action, cost, cards gathered, wisdom gained, wisdom now |
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

from pentathlon_engines.azure.actions import GIFT
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
from pentathlon_engines.contract.position import refuse

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any, Final

    from pentathlon_engines.azure.realm import Realm

    Event = tuple[int, ...]

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


def show_all(log: list[Event], realm: Realm, *, secrets_of: Sequence[int]) -> list[dict[str, Any]]:
    """Return events as JSON objects, showing the drawn cards of these seats only."""
    shown: list[dict[str, Any]] = []
    for event in log:
        if event[0] == PLACE:
            shown += _show_stone(event, realm)
        else:
            shown.append(_show(event, secrets_of))
    return shown


def _show_stone(event: Event, realm: Realm) -> list[dict[str, Any]]:
    _, player, action, cost, taken, gained, now = event
    cell, who = action % GIFT, {"player": player}
    domain, qi_colour, _, _ = realm.printed(cell)
    facts = {
        "cell": CELLS[cell],
        "gifted": action >= GIFT,
        "cost": cost,
        "colour": COLOURS[domain],
    }
    shown = [{"kind": KINDS[PLACE], **who, **facts}]
    if taken:
        qi = {"colour": COLOURS[qi_colour], "n": taken}
        shown.append({"kind": KINDS[GATHER], **who, **qi})
    if gained:
        shown.append({"kind": KINDS[WISDOM], **who, "change": gained, "now": now})
    return shown


def _show(event: Event, secrets_of: Sequence[int]) -> dict[str, Any]:
    kind, player, first = event[:3]
    shown: dict[str, Any] = {"kind": KINDS[kind]}
    if kind == END:
        return shown | {"ranks": [player, 1 - player], "reason": REASONS[first]}
    if kind == RESHUFFLE:
        return shown | {"n": {name: first >> 4 * i & 15 for i, name in enumerate(COLOURS)}}
    shown["player"] = player
    if kind == DRAW and player not in secrets_of:
        return shown | {"n": event[3]}
    return shown | _show_change(event)


def _show_change(event: Event) -> dict[str, Any]:
    """Return the fields of an event that changes what one player has."""
    kind, _, first = event[:3]
    if kind == MOUNTAIN:
        return {"on": first == 1}
    if kind == RETURN:
        return {"cards": letters(first)}
    second = event[3]
    if kind == FAVOUR:
        return {"beast": BEASTS[first], "from": second if second >= 0 else None}
    if kind == GATHER:
        return {"colour": COLOURS[first], "n": second}
    if kind == WISDOM:
        return {"change": first, "now": second}
    return {"n": second, "cards": letters(first)}


def read(data: object, realm: Realm, *, field: str, secrets_of: Sequence[int]) -> Event:
    """Return the event of a JSON object, or raise `BadPosition`.

    Of cards drawn by other seats only the number is known; these cards are dealt later.
    """
    if not isinstance(data, dict) or data.get("kind") not in KINDS:
        refuse(field, f"must be an object with one of the kinds {', '.join(KINDS)}")
    kind = KINDS.index(data["kind"])
    player = 1 if data.get("player") == 1 else 0
    numbers = _READERS[kind](data)
    if kind == END:
        player = 0 if data.get("ranks") == [0, 1] else 1
    event = (kind, player, *numbers)
    # Readers accept anything; an event that they did not understand differs when shown again.
    if show_all([event], realm, secrets_of=secrets_of) != [data]:
        refuse(field, f"is not a well-formed event: {data}")
    return event


def _read_place(data: dict[str, Any]) -> Event:
    """Read the stone without its boons, which are events of their own in JSON."""
    action = _index(CELLS, data.get("cell")) + GIFT * _flag(data.get("gifted"))
    return action, _number(data.get("cost")), 0, 0, 0


def _read_gather(data: dict[str, Any]) -> Event:
    return _index(tuple(COLOURS), data.get("colour")), _number(data.get("n"))


def _read_wisdom(data: dict[str, Any]) -> Event:
    return _number(data.get("change")), _number(data.get("now"))


def _read_favour(data: dict[str, Any]) -> Event:
    loser = data.get("from")
    return _index(BEASTS, data.get("beast")), -1 if loser is None else _number(loser)


def _read_mountain(data: dict[str, Any]) -> Event:
    return (_flag(data.get("on")),)


def _read_return(data: dict[str, Any]) -> Event:
    return (_cards(data.get("cards")),)


def _read_draw(data: dict[str, Any]) -> Event:
    if "cards" not in data:
        return 0, _number(data.get("n"))
    cards = _cards(data["cards"])
    return cards, size(cards)


def _read_reshuffle(data: dict[str, Any]) -> Event:
    counts = data.get("n")
    if not isinstance(counts, dict):
        return (0,)
    return (sum(abs(_number(counts.get(name))) << 4 * i for i, name in enumerate(COLOURS)),)


def _read_end(data: dict[str, Any]) -> Event:
    return (_index(REASONS, data.get("reason")),)


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
_READERS: Final[tuple[Callable[[dict[str, Any]], Event], ...]] = (
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
