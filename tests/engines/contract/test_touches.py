"""What a person points at for each action, in random matches of every game."""

import re
from random import Random

import pytest

from pentathlon_engines import CHANCE, GAMES, State

_MARK = re.compile(r'data-(?:cell|card|mark)="([^"]*)"')
_PLIES = 150

OFTEN: dict[str, set[str]] = {
    "azure": {"place"},
    "maatatahay": {"pair", "place"},
    "tash_kalar": {"discard", "leap", "pick", "pickup", "place", "return", "summon"},
    "tuned": {"add", "move"},
    "way_of_the_dragon": {"keep", "move"},
}
"""Actions that every few matches have, and of which each names a cell, a card, a pair or dice."""
RARELY: dict[str, set[str]] = {
    "azure": {"gift", "return"},
    "maatatahay": {"settle"},
    "tash_kalar": {
        "claim",
        "convert",
        "destroy",
        "downgrade",
        "move",
        "setup",
        "take",
        "upgrade",
        "warp",
    },
    "tuned": set(),
    "way_of_the_dragon": {"eye", "jump", "swap", "wild"},
}
TYPED: dict[str, set[str]] = {
    "azure": {"boon"},
    "maatatahay": {"add", "face", "first", "second"},
    "tash_kalar": {"dir", "done", "end", "flare", "opt", "pass", "thaw"},
    "tuned": set(),
    "way_of_the_dragon": {
        "again",
        "end",
        "equilibrium",
        "fear",
        "keep -",
        "pass",
        "rebirth",
        "stop",
    },
}
"""Actions that name nothing on the board, so a person chooses them by their words."""


def _positions(game: str, *, seats: int, seed: int) -> list[State]:
    """Play a random match, and return some of its positions in which a seat is to move."""
    state, rng = GAMES[game].start(seats), Random(seed)
    found: list[State] = []
    for ply in range(_PLIES):
        if state.to_move is None:
            break
        if state.to_move == CHANCE:
            state.apply_chance(state.sample_chance(rng))
            continue
        if ply < 40 or ply % 5 == 0:
            found.append(state.copy())
        state.apply(state.random_action(rng))
    return found


def _marks(state: State) -> set[str]:
    return set(_MARK.findall(state.svg(state.to_move)))


@pytest.mark.parametrize(
    ("game", "seats"), [*((key, 2) for key in sorted(GAMES)), ("way_of_the_dragon", 5)]
)
class TestTouches:
    def test_action_that_names_a_thing_can_be_pointed_at(self, game: str, seats: int) -> None:
        pointed: set[str] = set()
        typed: set[str] = set()
        for seed in (1, 2, 3):
            for state in _positions(game, seats=seats, seed=seed):
                marks = _marks(state)
                for action in state.legal_actions():
                    touches = GAMES[game].touches(state, action)
                    verbs = pointed if marks.intersection(touches) else typed
                    verbs.add(_verb(state.text(action)))

        assert OFTEN[game] <= pointed <= OFTEN[game] | RARELY[game]
        assert typed <= TYPED[game]

    def test_actions_with_the_same_touches_have_different_texts(
        self, game: str, seats: int
    ) -> None:
        for state in _positions(game, seats=seats, seed=2):
            marks = _marks(state)
            told = [
                (
                    tuple(name for name in GAMES[game].touches(state, action) if name in marks),
                    state.text(action),
                )
                for action in state.legal_actions()
            ]
            assert len(set(told)) == len(told)


def _verb(text: str) -> str:
    """Return the first word of an action; keeping no dice is an action of its own."""
    return text if text == "keep -" else text.split(maxsplit=1)[0]


class TestWayOfTheDragon:
    def test_kept_dice_are_pointed_at_from_the_left(self) -> None:
        game = GAMES["way_of_the_dragon"]
        states = _positions("way_of_the_dragon", seats=2, seed=3)
        state = next(
            each for each in states if "keep -" in each.observation(each.to_move)["legal"]
        )
        dice = state.to_json()["dice"]

        touched = {
            state.text(action): game.touches(state, action) for action in state.legal_actions()
        }

        assert touched["keep -"] == []
        assert touched[f"keep {dice[0]}"] == ["die 1"]
        assert touched[f"keep {dice[0]}{dice[-1]}"][0] == "die 1"


def test_pair_of_the_stream_is_pointed_at() -> None:
    game = GAMES["maatatahay"]
    states = _positions("maatatahay", seats=2, seed=1)
    state = next(each for each in states if each.text(each.legal_actions()[0]) == "pair 1")

    assert game.touches(state, state.legal_actions()[0]) == ["pair 1"]
    assert 'data-mark="pair 1"' in state.svg(0)
