"""The rules written a second time, from the rules pages, agree with the test vectors."""

import copy
import json
from collections.abc import Callable
from random import Random
from typing import Any, NamedTuple

import pytest

from pentathlon_engines import CHANCE, GAMES
from pentathlon_engines.desk.vectors import Json, read_vectors
from tests.engines.azure.oracle import Oracle as Azure
from tests.engines.maatatahay.by_page import Oracle as Maatatahay
from tests.engines.tash_kalar.oracle.flow import Oracle as TashKalar
from tests.engines.tash_kalar.oracle.views import observation as tash_kalar_observation
from tests.engines.tuned.oracle import SQUARES
from tests.engines.tuned.oracle import Oracle as Tuned
from tests.engines.way_of_the_dragon.oracle import Oracle as WayOfTheDragon

WIDEST = 30
"""The most actions of a position of which the oracle counts what follows each."""


class Reader(NamedTuple):
    """How the oracle of a game is put into a position, and what it says of one."""

    put: Callable[[Json], Any]  # Any: each game has its own oracle
    view: Callable[[Any], Json]
    left_out: tuple[str, ...] = ()
    """The phases into which the oracle cannot be put."""
    unknown: tuple[str, ...] = ()
    """The fields that the oracle does not know."""
    cases: int = 12


def put_tuned(position: Json) -> Tuned:
    oracle = Tuned()
    oracle.board = dict.fromkeys(SQUARES, "") | position["board"]
    oracle.hands, oracle.rooster = position["hands"], position["rooster"]
    oracle.player = position["to_move"] or 0
    oracle.actions = ["add"] * position["actions"]
    oracle.actions[-1:] = [position["last"]] if position["last"] else []
    oracle.positions = [oracle.position()] * position["seen"]
    oracle.result = position["result"]
    return oracle


def put_azure(position: Json) -> Azure:
    hands, gift = position["hands"], position["options"]["gifted"]
    words = ["setup", *position["layout"], *(hand or "-" for hand in hands), position["hidden"]]
    oracle = Azure(gift, " ".join(words))
    for name in ("stones", "supply", "wisdom", "beasts", "turn", "phase", "boon_at", "events"):
        setattr(oracle, name, position[name])
    oracle.hands, oracle.hidden = [list(hand) for hand in hands], list(position["hidden"])
    oracle.gifted, oracle.begun = position["gifted_at"], position["since"]
    oracle.player, oracle.ranks = position["to_move"], position["result"]
    return oracle


def put_maatatahay(position: Json) -> Maatatahay:
    oracle = Maatatahay(Random(0))
    vars(oracle).update(position)
    oracle.player = position["to_move"] or 0
    return oracle


def put_way_of_the_dragon(position: Json) -> WayOfTheDragon:
    plain, dead = position["plain_spaces"], position["dead"]
    oracle = WayOfTheDragon(position["players"], position["options"], plain)
    for name in ("turn", "dice", "kept", "rolls_left", "phase", "result"):
        setattr(oracle, name, position[name])
    oracle.player, oracle.at = position["turn_of"], position["positions"]
    oracle.dead, oracle.used = oracle.dead | dead, position["power_used"]
    return oracle


READERS = {
    "tuned": Reader(put_tuned, Tuned.observation),
    "azure": Reader(
        put_azure, lambda oracle: oracle.observation(None), ("setup",), unknown=("events",)
    ),
    "maatatahay": Reader(put_maatatahay, Maatatahay.position, ("setup",)),
    "way_of_the_dragon": Reader(put_way_of_the_dragon, WayOfTheDragon.observation),
    "tash_kalar": Reader(
        lambda position: TashKalar(position["options"], position),
        lambda oracle: tash_kalar_observation(oracle, None),
        # Its oracle is one story, which can begin at a turn and nowhere else.
        ("deal", "setup", "place_at", "return", "effect", "over"),
        ("events", "progress"),
        cases=4,
    ),
}


def put(reader: Reader, position: Json) -> Any:  # Any: each game has its own oracle
    return reader.put(copy.deepcopy(position))


def legal(oracle: Any) -> list[str]:
    texts: list[str] = oracle.listed if isinstance(oracle, TashKalar) else oracle.legal()
    return texts


def after(reader: Reader, position: Json, text: str) -> Any:
    oracle = put(reader, position)
    if position["to_move"] == CHANCE and isinstance(oracle, WayOfTheDragon):
        oracle.chance(text)
    else:
        oracle.do(text)
    return oracle


def compare(reader: Reader, oracle: Any, position: Json) -> None:
    """Compare each field that both have."""
    view = json.loads(json.dumps(reader.view(oracle)))
    common = (view.keys() & position.keys()) - {*reader.unknown}
    assert len(common) >= 10
    assert {name: view[name] for name in common} == {name: position[name] for name in common}


@pytest.mark.parametrize("key", GAMES)
def test_oracle_agrees_with_the_vectors(key: str) -> None:
    reader, checked = READERS[key], 0
    for case in read_vectors(GAMES[key])["cases"]:
        position = case["position"]
        if position["phase"] in reader.left_out:
            continue
        assert legal(put(reader, position)) == case["legal"]
        compare(reader, put(reader, position), case["observations"][-1])
        for text, then in case["after"].items():
            compare(reader, after(reader, position, text), then)
        if len(case["perft"]) > 1 and case["perft"][0] <= WIDEST:
            lines = (legal(after(reader, position, text)) for text in case["legal"])
            assert sum(map(len, lines)) == case["perft"][1]
        checked += bool(case["legal"])

    assert checked >= reader.cases
