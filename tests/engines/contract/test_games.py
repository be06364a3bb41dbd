"""The mapping of games, the facts about them, and what importing them costs."""

import doctest
import json
import pkgutil
import random
import subprocess
import sys
from importlib import import_module

import pytest

import pentathlon_engines
from pentathlon_engines import GAMES, BadOption, BadSeats, GameInfo, Option, Outcome, UnknownGame
from pentathlon_engines.contract.bits import IS_COMPILED, count_bits
from pentathlon_engines.contract.draws import shuffle

HEAVY = {"asyncio", "dataclasses", "enum", "inspect", "pathlib", "random", "typing"}
INFO = GameInfo(
    "show",
    title="Show",
    version=2,
    seats=(2, 4),
    default_seats=3,
    hidden=False,
    chance=False,
    actions=4,
    longest=9,
    options=(
        Option("quick", kind="flag", default=False),
        Option("deck", kind="choice", default="north", choices=("north", "south")),
        Option("rounds", kind="integer", default=3, choices=(1, 5)),
    ),
)


def test_games_are_found_by_key() -> None:
    assert list(GAMES) == sorted(GAMES)
    for key in GAMES:
        game = GAMES[key]
        assert game is GAMES[key]
        assert game.info.key == key
        assert repr(game) == f"GAMES['{key}']"
    assert len(GAMES) == len(list(GAMES))
    assert repr(GAMES).startswith("GAMES(")


def test_an_unknown_game_is_refused_with_the_known_ones() -> None:
    with pytest.raises(UnknownGame, match=r"^no game 'chess'; the games are .*tuned"):
        GAMES["chess"]
    assert GAMES.get("chess") is None
    assert "chess" not in GAMES


def test_options_left_out_take_their_defaults() -> None:
    assert INFO.check_options(None) == {"quick": False, "deck": "north", "rounds": 3}
    assert INFO.check_options({"rounds": 5})["rounds"] == 5


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"speed": 1}, "no option 'speed'; its options: quick, deck, rounds"),
        ({"quick": 1}, "'quick' may be False, True, not 1"),
        ({"deck": "east"}, "'deck' may be 'north', 'south', not 'east'"),
        ({"rounds": 6}, "'rounds' may be 1 to 5, not 6"),
        ({"rounds": True}, "'rounds' may be 1 to 5, not True"),
    ],
)
def test_a_bad_option_is_refused_with_what_it_may_be(
    options: dict[str, object], message: str
) -> None:
    with pytest.raises(BadOption) as refused:
        INFO.check_options(options)

    assert message in str(refused.value)


def test_of_many_values_only_some_are_named() -> None:
    option = Option("word", kind="choice", default="a", choices=tuple("abcdefghijklmn"))

    assert option.allowed().endswith("'i', 'j' or one of 4 others")


@pytest.mark.parametrize("seats", [1, 5, True, "2"])
def test_a_bad_number_of_seats_is_refused(seats: int) -> None:
    with pytest.raises(BadSeats, match="Show has 2 to 4 seats"):
        INFO.check_seats(seats)


def test_outcomes_are_values() -> None:
    outcome = Outcome((0, 1), "line")

    assert outcome == Outcome((0, 1), "line")
    assert len({outcome, Outcome((0, 1), "line"), Outcome((0, 1), "line", (3, 2))}) == 2
    assert outcome != "line"
    assert repr(Outcome((0, 1), "points", (3, 2))) == "Outcome((0, 1), 'points', (3, 2))"
    assert Outcome((0, 1), "points", (3, 2)).to_json()["scores"] == [3, 2]


def test_facts_are_json() -> None:
    facts = json.loads(json.dumps(INFO.to_json()))

    assert facts["seats"] == [2, 4]
    assert facts["options"][1] == {
        "name": "deck",
        "kind": "choice",
        "default": "north",
        "choices": ["north", "south"],
        "unofficial": [],
    }


@pytest.mark.parametrize(
    ("statement", "allowed"),
    [
        ("import pentathlon_engines", set()),
        # `json` brings `enum`; a bot needs it for the protocol anyway.
        ("import json; from pentathlon_engines.tuned import GAME; GAME.start()", {"enum"}),
        ("import json; from pentathlon_engines.azure import GAME; GAME.start()", {"enum"}),
    ],
)
def test_a_bot_imports_nothing_heavy(statement: str, allowed: set[str]) -> None:
    path = [path for path in sys.path if path.endswith("engines")]
    code = f"import sys; sys.path += {path}; {statement}; print(*sys.modules)"

    loaded = subprocess.run(
        [sys.executable, "-I", "-S", "-c", code], capture_output=True, text=True, check=True
    ).stdout.split()

    assert not HEAVY & set(loaded) - allowed
    assert not [name for name in loaded if "drawing" in name]


def test_the_package_has_what_it_lists() -> None:
    for name in pentathlon_engines.__all__:
        assert getattr(pentathlon_engines, name)
    with pytest.raises(AttributeError, match="no attribute 'chess'"):
        pentathlon_engines.chess  # noqa: B018  # looked up for its error


MODULES = [
    module.name
    for module in pkgutil.walk_packages(pentathlon_engines.__path__, "pentathlon_engines.")
    if not module.name.startswith("pentathlon_engines.bots")
    and not module.name.endswith("__main__")
]


def test_examples_in_docstrings_are_true() -> None:
    tried = {
        name: doctest.testmod(import_module(name)) for name in ("pentathlon_engines", *MODULES)
    }

    # Each failure is in the output, with its line.
    assert [name for name, result in tried.items() if result.failed] == []
    # Compiled functions carry no docstrings.
    fewest = 50 if IS_COMPILED else 100
    assert sum(result.attempted for result in tried.values()) > fewest


def test_masks_of_every_size_are_counted() -> None:
    rng = random.Random(1)
    masks = [0, 1, (1 << 62) - 1, *(rng.getrandbits(size) for size in range(1, 63))]

    assert [count_bits(mask) for mask in masks] == [mask.bit_count() for mask in masks]


@pytest.mark.parametrize("length", [0, 1, 2, 3, 4, 5, 8, 9, 15, 16, 17, 33, 70])
def test_shuffle_gives_what_the_generator_gives(length: int) -> None:
    for seed in range(20):
        items, wanted = list(range(length)), list(range(length))
        rng, same = random.Random(seed), random.Random(seed)

        shuffle(items, rng)
        same.shuffle(wanted)

        assert items == wanted
        assert rng.random() == same.random()
