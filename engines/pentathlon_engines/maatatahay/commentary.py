"""Describes what happens in Maatatahay; sections are those of its rules page."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from pentathlon_engines.commentary.words import (
    count,
    enumerate_all,
    name_ordinal,
    name_seat,
    tell_result,
)
from pentathlon_engines.contract.game import CHANCE
from pentathlon_engines.contract.presentation import Change, Position
from pentathlon_engines.maatatahay.board import RELIC_POINTS, RULES, TRACK_END

_TILES: Final[dict[int, dict[str, Any]]] = {tile["id"]: tile for tile in RULES["tiles"]}
_FACES: Final = {"n": "north", "e": "east", "s": "south", "w": "west"}
_SPECIALS: Final = {
    None: "",
    "elder": " +1 for each own living tile beside it.",
    "convert": " +1 for each living enemy on its diagonals.",
}


def tell(change: Change) -> str:
    """Return a decision with what it brought: crystals, support, deaths (5, 6)."""
    if change.seat == CHANCE:
        active = name_seat(change.after["active"])
        return f"Decks and crystals are shuffled and laid; {active} is active first"
    word = change.text.partition(" ")[0]
    said = f"{change.who} {_TELLERS[word](change)}"
    return said + _tell_track(change)


def _tell_pair(change: Change) -> str:
    number = int(change.text[5:])
    tiles = [_TILES[tile] for tile in change.before["stream"][number - 1]]
    said = " against ".join(f"{tile['name']} ({count(tile['claws'], 'claw')})" for tile in tiles)
    decides = name_seat(change.after["to_move"])
    if tiles[0]["claws"] == tiles[1]["claws"]:
        return (
            f"takes pair {number}, {said}: equally strong, so {decides} decides who places first"
        )
    return f"takes pair {number}, {said}: {decides} has the weaker tile and decides the order"


def _tell_first(_change: Change) -> str:
    return "places first"


def _tell_second(change: Change) -> str:
    return f"lets {name_seat(1 - change.seat)} place first"


def _tell_place(change: Change) -> str:
    words = change.text.split(" ")
    space = words[1]
    said = f"places the {_name_hot(change)} on {space}"
    if len(words) > 2:  # noqa: PLR2004  # if there is a payment
        return f"{said}{_tell_relic(change, words[3])}"
    found = change.before["ground"].get(space)
    return f"{said} and takes {_crystals(found)}" if found else said


def _tell_relic(change: Change, paid: str) -> str:
    """Describe the price of a relic, the relic, and the draw from the bag (5.3)."""
    spirit, energy = _amounts(paid)
    had, has = (side["storage"][change.seat] for side in (change.before, change.after))
    drawn = {
        "spirit": has["spirit"] - had["spirit"] + spirit,
        "energy": has["energy"] - had["energy"] + energy,
    }
    relic = name_ordinal(change.after["relics"][change.seat])
    cost = _crystals({"spirit": spirit, "energy": energy})
    said = f", pays {cost} for the relic there, {change.who}'s {relic}"
    if not any(drawn.values()):
        return said
    crystals = count(sum(drawn.values()), "crystal") if change.is_foreseen else _crystals(drawn)
    return f"{said}, and draws {crystals}"


def _tell_face(change: Change) -> str:
    hot = change.after["board"][change.after["hot"]]
    energy = hot["energy"]
    support = f"gets {energy} energy of support" if energy else "gets no support"
    return f"turns the {_name_hot(change)} {_FACES[change.text[5:]]}; it {support}"


def _tell_add(change: Change) -> str:
    spirit, energy = _amounts(change.text[4:])
    put = _crystals({"spirit": spirit, "energy": energy})
    return f"puts {put} on the {_name_hot(change)}{_tell_fights(change)}"


def _tell_settle(change: Change) -> str:
    space = change.text[7:]
    tile = change.before["board"][space]
    name = _TILES[tile["tile"]]["name"]
    if change.after["board"][space]["alive"]:
        name = f"{name_seat(tile['owner'])}'s {name}"
        return f"settles {space}: {name} lives{_tell_fights(change)}"
    return f"settles {space}{_tell_fights(change)}"


_TELLERS: Final = {
    "pair": _tell_pair,
    "first": _tell_first,
    "second": _tell_second,
    "place": _tell_place,
    "face": _tell_face,
    "add": _tell_add,
    "settle": _tell_settle,
}


def _tell_fights(change: Change) -> str:
    """Describe who died, where the spirit went, and what is still to be settled (6)."""
    dead = [
        f"{name_seat(tile['owner'])}'s {_TILES[tile['tile']]['name']} on {space}"
        for space, tile in change.before["board"].items()
        if tile["alive"] and not change.after["board"][space]["alive"]
    ]
    said = ""
    if dead:
        said = f"; {enumerate_all(dead)} {'dies' if len(dead) == 1 else 'die'}"
        said += _tell_spirit(change)
    left = change.after["targets"]
    if left and change.after["phase"] == "settle":
        said += f"; still to settle: {enumerate_all(left)}"
    return said


def _tell_spirit(change: Change) -> str:
    """Describe how much spirit of the dead went to the tile just placed (6.5)."""
    hot = change.before["hot"]
    before, after = (side["board"][hot] for side in (change.before, change.after))
    put = _amounts(change.text[4:])[0] if change.text.startswith("add") else 0
    moved = after["spirit"] - before["spirit"] - put
    verb = "goes" if moved == 1 else "go"
    return f", and {moved} spirit {verb} to the {_name_hot(change)}" if moved > 0 else ""


def _tell_track(change: Change) -> str:
    track = change.after["track"]
    if track == change.before["track"]:
        return ""
    return f"; the spirit track moves to {track} of {TRACK_END}"


def _name_hot(change: Change) -> str:
    """Return the tile that the seat places in this round."""
    tile: str = _TILES[change.before["pair"][change.seat]]["name"]
    return tile


def _amounts(text: str) -> tuple[int, int]:
    """Return the spirit and energy of a text such as `s1e2`."""
    spirit, _, energy = text[1:].partition("e")
    return int(spirit), int(energy)


def _crystals(amounts: Mapping[str, int]) -> str:
    """Return some crystals in words."""
    some = [f"{amounts[kind]} {kind}" for kind in ("spirit", "energy") if amounts[kind]]
    return enumerate_all(some) if some else "no crystal"


_ASKED: Final = {
    "pair": "Take one of the pairs of tiles below the board.",
    "order": "Your tile is the weaker one, or they are equal: decide who places first.",
    "place": "Place your {tile} on a free space, or on a relic that you can pay for.",
    "face": "Turn your {tile}: choose where its front looks.",
    "add": "Choose how many of your crystals to put on your {tile}.",
    "settle": "Several tiles are surrounded: choose which one is settled first.",
}


def ask(position: Position) -> str:
    """Return which decision of the round is due (4 to 6)."""
    tile = position["pair"] and _TILES[position["pair"][position["you"]]]["name"]
    return _ASKED[position["phase"]].format(tile=tile)


def refuse(position: Position, name: str) -> str:
    """Return why no tile can be placed or settled on a space (5.1, 5.3, 6.2)."""
    if position["phase"] == "settle":
        return f"Nothing on {name} is to be settled now."
    if position["phase"] != "place":
        return ""
    if name in position["board"]:
        return f"A tile lies on {name} already."
    return f"You cannot pay for the relic on {name}."


def tell_end(position: Position) -> str:
    """Return why the match ended, and who won by which count (8.1, 8.3)."""
    result = position["result"]
    reasons = {
        "deaths": f"the spirit track is at {position['track']}",
        "space": "at most one space is free",
        "tiles": "all tiles are placed",
    }
    why = enumerate_all([reasons[reason] for reason in result["reasons"]])
    first, second = result["scores"]
    said = f"{why[0].upper()}{why[1:]}: {tell_result(result['ranks'], result['scores'])}"
    return f"{said}{_tell_tie(position)}" if first == second else said


def _tell_tie(position: Position) -> str:
    """Describe what decided between equal points (8.3)."""
    living = [
        sum(tile["alive"] and tile["owner"] == seat for tile in position["board"].values())
        for seat in (0, 1)
    ]
    if living[0] != living[1]:
        return f", with {max(living)} living tiles to {min(living)}"
    if position["result"]["ranks"] == [0, 0]:
        return ""
    return ", who took the last relic"


def endings() -> Mapping[str, str]:
    """Return how each reason decides a match, after who has won."""
    return {
        "deaths": "at the end of the spirit track",
        "space": "on a full board",
        "tiles": "after the last tile",
    }


def points(position: Position) -> list[int]:
    """Return gems and spirit on living tiles, and relics, of each seat (8.2)."""
    totals = [RELIC_POINTS[owned] for owned in position["relics"]]
    for tile in position["board"].values():
        if tile["alive"]:
            totals[tile["owner"]] += _TILES[tile["tile"]]["gems"] + tile["spirit"]
    return totals


def hands(_position: Position) -> None:
    """Return None: nobody has a hand."""


def cards() -> Mapping[str, str]:
    """Return claws, gems and arrows of each tile (2)."""
    return {tile["name"]: _describe(tile) for tile in _TILES.values()}


def _describe(tile: Mapping[str, Any]) -> str:
    arrows = enumerate_all([arrow.upper() for arrow in tile["arrows"]] or ["none"])
    facts = f"{count(tile['claws'], 'claw')}, {count(tile['gems'], 'gem')}, arrows: {arrows}."
    return facts + _SPECIALS[tile["special"]]
