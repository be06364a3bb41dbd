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
from pentathlon_engines.azure.board import BEASTS, CARDS_EACH, CELLS, COLOURS, GOAL, letters, pack
from pentathlon_engines.contract.kinds import (
    Flag,
    Integer,
    Kind,
    Object,
    OneOf,
    Optional,
    Text,
    refuse,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
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
    numbers = [part.read(f"{field}.{name}", data.get(name)) for name, part in _PARTS[kind].items()]
    if kind == PLACE:
        cell, gifted, cost = numbers
        # The boons of a stone are events of their own in JSON.
        numbers = [cell + GIFT * gifted, cost, 0, 0, 0]
    elif kind == DRAW:
        cards = _CARDS.read(f"{field}.cards", data.get("cards", ""))
        numbers = [cards, *numbers]
    is_second = data.get("ranks") != [0, 1] if kind == END else data.get("player") == 1
    event = (kind, int(is_second), *numbers)
    if show_all([event], realm, secrets_of=secrets_of) != [data]:
        refuse(field, f"is not a well-formed event: {data}")
    return event


class _Cards(Text):
    """Letters of cards; the state has them as one number."""

    def read(self, field: str, data: Any) -> Any:  # Any: JSON
        """Return the cards."""
        return pack(super().read(field, data))


class _Counts(Object):
    """The number of cards of each colour; the state has them as one number."""

    def read(self, field: str, data: Any) -> Any:  # Any: JSON
        """Return the cards."""
        return sum(n << 4 * i for i, n in enumerate(super().read(field, data).values()))


_NUMBER: Final = Integer(-GOAL, GOAL)
_COLOUR: Final = OneOf(COLOURS)
_CARDS: Final = _Cards(COLOURS, most=CARDS_EACH)
_PARTS: Final[tuple[dict[str, Kind], ...]] = (
    {"cell": OneOf(CELLS, what="a cell"), "gifted": Flag(), "cost": _NUMBER},
    {"colour": _COLOUR, "n": _NUMBER},
    {"change": _NUMBER, "now": _NUMBER},
    {"beast": OneOf(BEASTS), "from": Optional(Integer(0, 1))},
    {"on": Flag()},
    {"cards": _CARDS},
    {"n": Integer(0, GOAL)},
    {"n": _Counts(**dict.fromkeys(COLOURS, Integer(0, CARDS_EACH)))},
    {"reason": OneOf(REASONS)},
)
"""By kind, the fields beside `kind` and `player`."""
