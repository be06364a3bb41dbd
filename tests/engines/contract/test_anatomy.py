"""One anatomy: every game has the same file for the same role, and classes of the same names."""

from importlib import import_module
from pathlib import Path

import pytest

import pentathlon_engines
from pentathlon_engines import GAMES
from pentathlon_engines.contract.game import Game, State
from pentathlon_engines.contract.info import Outcome
from pentathlon_engines.contract.registry import PACKAGES

ALWAYS = (
    "actions",
    "board",
    "commentary",
    "drawing",
    "encoding",
    "game",
    "moves",
    "serialization",
    "state",
)
"""The roles that each game has."""
HOOKS = {
    "evaluation": "evaluation",
    "keys": "position_key",
    "policies": "policies",
    "prospects": "prospects",
}
"""Roles that only some games have, with their hook in `Game`."""
SOMETIMES = ("chance", "constants", "events", "hidden", "touches", *HOOKS)
OWN = {
    "azure": {"realm"},
    "maatatahay": set(),
    "tash_kalar": {
        "cards",
        "deal",
        "effect",
        "etherweave",
        "everfrost",
        "hand",
        "interpreter",
        "legality",
        "offers",
        "seat_pieces",
        "selection",
        "square_lists",
        "summoning",
        "tasks",
        "turns",
    },
    "tuned": set(),
    "way_of_the_dragon": {"dice"},
}
"""Roles that only one game needs; if a second game needs one, it becomes a common role."""


def roles_of(key: str) -> set[str]:
    folder = Path(pentathlon_engines.__file__).parent / key
    return {
        path.stem
        for path in folder.iterdir()
        if (path.suffix == ".py" or (path / "__init__.py").exists()) and path.stem != "__init__"
    }


def title_of(key: str) -> str:
    return "".join(word.capitalize() for word in key.split("_"))


def overrides(game: Game, method: str) -> bool:
    return getattr(type(game), method) is not getattr(Game, method)


@pytest.mark.parametrize("key", GAMES)
def test_files_are_called_by_their_roles(key: str) -> None:
    found = roles_of(key)

    assert found.issuperset(ALWAYS)
    assert found.difference(ALWAYS, SOMETIMES) == OWN[key]


@pytest.mark.parametrize("key", GAMES)
def test_role_that_a_game_lacks_has_no_file(key: str) -> None:
    game, found = GAMES[key], roles_of(key)

    assert ("chance" in found) == game.info.chance
    assert ("hidden" in found) == game.info.hidden
    for role, method in HOOKS.items():
        assert (role in found) == (role in game.rooms or overrides(game, method)), role


@pytest.mark.parametrize("key", GAMES)
def test_classes_are_named_alike(key: str) -> None:
    package, title = PACKAGES[key], title_of(key)

    module = import_module(f"{package}.game")
    ancestors = {base.__name__: base for base in getattr(module, f"{title}State").__mro__}

    assert issubclass(ancestors[f"{title}Position"], State)
    assert ancestors[f"{title}Position"].__module__ == f"{package}.state"
    assert isinstance(module.GAME, getattr(module, f"{title}Game"))
    for found in vars(import_module(f"{package}.moves")).values():
        if isinstance(found, type) and issubclass(found, Outcome) and found is not Outcome:
            assert found.__name__ == f"{title}Outcome"


@pytest.mark.parametrize("key", GAMES)
def test_actions_and_chance_have_their_effects_in_moves(key: str) -> None:
    moves = import_module(f"{PACKAGES[key]}.moves")

    assert callable(moves.apply)
    assert hasattr(moves, "apply_chance") == GAMES[key].info.chance
