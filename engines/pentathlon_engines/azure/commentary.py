"""Commentary on Azure; section numbers refer to its rules page."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from pentathlon_engines.azure.board import CELLS, RULES, SIDE
from pentathlon_engines.commentary.words import count, enumerate_all, name_seat, tell_ranks
from pentathlon_engines.contract.game import CHANCE
from pentathlon_engines.contract.presentation import Change, Position

Told = Mapping[str, Any]
"""An event of an observation (12.4), as JSON."""

_COLOURS: Final[dict[str, str]] = {each["letter"]: each["name"] for each in RULES["colours"]}


def tell(change: Change) -> str:
    """Describe a stone with its cost, boons and favours, or another decision (6 to 9)."""
    if change.seat == CHANCE:
        return _tell_chance(change)
    said = ", ".join(_tell_events(change, _latest(change)))
    boon = f"chooses {change.text[5:]}: " if change.text.startswith("boon") else ""
    return f"{change.who} {boon}{said}"


def _tell_chance(change: Change) -> str:
    if change.text.startswith("setup"):
        first, second = _hand_sizes(change.after)
        return f"The realm is laid; Violet is dealt {first} cards, Amber {second}"
    said = "The hidden deck is empty: cards of all colours are shuffled into a new one"
    more = [_TELLERS[each["kind"]](each) for each in _latest(change) if each["kind"] in _TELLERS]
    whose = [f"{name_seat(each['player'])} " for each in _latest(change) if "player" in each]
    return "; ".join([said, *(who + what for who, what in zip(whose, more, strict=False))])


def _hand_sizes(position: Position) -> list[int]:
    if "hand_sizes" in position:
        return list(position["hand_sizes"])
    return [len(hand) for hand in position["hands"]]


def _latest(change: Change) -> list[Told]:
    """Return the events of this change, from the last event of its kind on."""
    word = change.text.partition(" ")[0]
    events = change.after["events"]
    if word == "boon":
        # The first boons of a stone were told with it, if its event is still in the list.
        told = _from_last(change.before["events"], "place")
        return _from_last(events, "place")[len(told) :] or list(events)
    told = _from_last(events, "place" if word == "gift" else word)
    return told[1:] if word == "reshuffle" else told


def _from_last(events: list[Told], kind: str) -> list[Told]:
    found = [index for index, event in enumerate(events) if event["kind"] == kind]
    return events[found[-1] :] if found else []


def _tell_events(change: Change, events: list[Told]) -> Iterator[str]:
    subject = change.seat
    for event in events:
        if event["kind"] not in _TELLERS:
            continue
        if change.is_foreseen and event["kind"] == "draw":
            event = {**event, "cards": ""}  # noqa: PLW2901  # nobody knows these cards yet
        said = _TELLERS[event["kind"]](event)
        yield said if event["player"] == subject else f"{name_seat(event['player'])} {said}"
        subject = event["player"]


def _tell_place(event: Told) -> str:
    stone = "the gifted stone" if event["gifted"] else "a stone"
    cost = f"pays {event['cost']} {_COLOURS[event['colour']]}" if event["cost"] else "pays nothing"
    return f"puts {stone} on {event['cell']}, {cost}"


def _tell_gather(event: Told) -> str:
    return f"takes {event['n']} {_COLOURS[event['colour']]}"


def _tell_wisdom(event: Told) -> str:
    change = event["change"]
    sign = "+" if change > 0 else "\N{MINUS SIGN}"
    return f"{sign}{abs(change)} wisdom (now {event['now']})"


def _tell_favour(event: Told) -> str:
    loser = event["from"]
    source = "" if loser is None else f" from {name_seat(loser)}"
    return f"gains the favour of the {event['beast'].title()}{source}"


def _tell_mountain(event: Told) -> str:
    if event["on"]:
        return "puts a stone on the black mountain"
    return "takes the stone back from the black mountain"


def _tell_return(event: Told) -> str:
    return f"gives back {_name_cards(event['cards'])}"


def _tell_draw(event: Told) -> str:
    said = f"draws {count(event['n'], 'hidden card')}"
    return f"{said} ({_name_cards(event['cards'])})" if event.get("cards") else said


_TELLERS: Final = {
    "place": _tell_place,
    "gather": _tell_gather,
    "wisdom": _tell_wisdom,
    "favour": _tell_favour,
    "mountain_stone": _tell_mountain,
    "return": _tell_return,
    "draw": _tell_draw,
}


def _name_cards(letters: str) -> str:
    """Return cards in words: `1 azure and 2 black`."""
    return enumerate_all(_count_colours(letters))


def _count_colours(letters: str) -> list[str]:
    return [f"{letters.count(each)} {_COLOURS[each]}" for each in _COLOURS if each in letters]


def ask(position: Position) -> str:
    """Return which decision is due: a stone, cards to give back, or a boon (5, 9, 11)."""
    if position["phase"] == "return":
        return "You have lost the Bird: choose two cards to give back."
    if position["phase"] == "boon":
        return "Choose what the gifted stone takes from the space: its qi or its wisdom."
    gift = any(text.startswith("gift ") for text in position["legal"])
    return f"Place a stone on a space that you can pay for{', or your gifted stone' * gift}."


def refuse(position: Position, name: str) -> str:
    """Return why a space cannot be taken or paid for (6.2, 6.3)."""
    if position["phase"] != "turn" or name not in CELLS:
        return ""
    if name in position["stones"]:
        return f"A stone stands on {name} already."
    row, column = divmod(CELLS.index(name), SIDE)
    printed = position["realm"][row][column]
    if printed.endswith("M"):
        return f"{name} is a mountain: only the Tortoise brings a stone there."
    held = position["hand"].count(printed[0])
    return f"A stone on {name} costs more {_COLOURS[printed[0]]} cards than the {held} you hold."


def tell_end(position: Position) -> str:
    """Return who reached the goal, or who could not place a stone (10)."""
    result = position["result"]
    winner, loser = result["ranks"].index(0), result["ranks"].index(1)
    mine, other = result["scores"][winner], result["scores"][loser]
    if result["reason"] == "wisdom":
        return f"{name_seat(winner)} reaches {mine} wisdom and wins, {mine} to {other}"
    said = f"{name_seat(loser)} has no legal placement"
    if mine < other:
        return f"{said}, so {tell_ranks(result['ranks'])} although {mine} < {other} wisdom"
    return f"{said}, so {tell_ranks(result['ranks'])}, {mine} to {other}"


def endings() -> Mapping[str, str]:
    """Return how each reason decides a match, after who has won."""
    return {"wisdom": "on wisdom", "stuck": "because the other could place no stone"}


def points(position: Position) -> list[int]:
    """Return the wisdom of each seat."""
    return list(position["wisdom"])


def hands(position: Position) -> list[list[str]]:
    """Return the cards of each known hand, by colour: `2 azure`."""
    return [_count_colours(letters) for letters in _known_hands(position)]


def _known_hands(position: Position) -> list[str]:
    if "hands" in position:
        return list(position["hands"])
    you = position.get("you")
    return [position["hand"] if seat == you else "" for seat in (0, 1)]


def cards() -> Mapping[str, str]:
    """Return what guards each beast and what its favour brings (8.3)."""
    return {
        "Tortoise": "Guarded by stones on serpent spaces; brings a stone on the black mountain.",
        "Dragon": "Guarded by stones in line with the azure mountain; brings 3 wisdom.",
        "Tiger": "Guarded by stones in line with the white mountain; brings 2 wisdom.",
        "Bird": "Guarded by stones in the vermillion domain; brings 2 hidden cards.",
    }
