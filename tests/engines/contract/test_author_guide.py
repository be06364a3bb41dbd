"""What authors read about the games is what the engines send."""

import json
import re
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import pentathlon_engines
from pentathlon_engines import CHANCE, GAMES
from pentathlon_engines.contract.author_guide import (
    author_guide,
    example_position,
    observed_fields,
)
from pentathlon_engines.contract.game import State
from pentathlon_engines.light_json import read_data
from pentathlon_engines.tools.match_sizes import decisions, main, measure, read_setup

FILES = sorted((Path(__file__).parents[1] / "playthroughs").glob("*.txt"))


class Played:
    """What the golden playthroughs of a game have shown."""

    def __init__(self, game: str) -> None:
        self.guide = author_guide(game)
        self.paths: set[str] = set()
        self.actions: set[str] = set()
        self.told: set[str] = set()
        files = [file for file in FILES if read_setup(file)["game"] == game]
        self.sizes = measure(self._watch(decisions(read_setup(file))) for file in files)

    def _watch(self, match: Any) -> Any:  # Any: an iterator of positions
        for state, text in match:
            self._look(state)
            if text is not None:
                self._hear(state, text)
            yield state, text

    def _look(self, state: State) -> None:
        # The seat to move sees most; before and after the match all seats see equally much.
        seat = state.to_move if state.to_move not in (None, CHANCE) else 0
        seen = state.observation(seat)
        self.paths.update(path for path, _ in observed_fields(seen, self.guide.fields))
        self.actions.update(seen.get("legal", ()))

    def _hear(self, state: State, text: str) -> None:
        is_chance = state.to_move == CHANCE
        told = {state.event_for(seat, text) for seat in (None, *range(state.seats))}
        self.told |= told if is_chance else told - {text}


played = cache(Played)


@pytest.mark.parametrize("game", GAMES)
def test_every_field_is_explained_and_every_explanation_has_a_field(game: str) -> None:
    explained = set(played(game).guide.fields)

    assert played(game).paths - explained == set(), "these fields have no explanation"
    assert explained - played(game).paths == set(), "these fields never occur"


@pytest.mark.parametrize("game", GAMES)
def test_every_action_is_of_one_kind_of_the_guide(game: str) -> None:
    kinds = author_guide(game).actions

    for text in played(game).actions:
        matching = [kind.pattern for kind in kinds if re.fullmatch(kind.pattern, text)]
        assert len(matching) == 1, (text, matching)


@pytest.mark.parametrize("game", GAMES)
def test_every_event_is_of_one_kind_of_the_guide(game: str) -> None:
    kinds = author_guide(game).events

    for text in played(game).told:
        matching = [kind.pattern for kind in kinds if re.fullmatch(kind.pattern, text)]
        assert len(matching) == 1, (text, matching)


@pytest.mark.parametrize("game", GAMES)
def test_examples_are_texts_of_the_game(game: str) -> None:
    state = example_position(game)

    for kind in author_guide(game).actions:
        assert re.fullmatch(kind.pattern, kind.example)
        assert state.text(state.parse(kind.example)) == kind.example
    for kind in author_guide(game).events:
        assert re.fullmatch(kind.pattern, kind.example)


@pytest.mark.parametrize("game", GAMES)
def test_example_is_a_decision_and_the_same_every_time(game: str) -> None:
    first, again = example_position(game), example_position(game)

    assert first.to_move not in (None, CHANCE)
    assert first.to_json() == again.to_json()
    assert len(json.dumps(first.observation(first.to_move))) > 0


@pytest.mark.parametrize("game", GAMES)
def test_sizes_are_those_of_the_playthroughs(game: str) -> None:
    written = read_data(pentathlon_engines.__file__, f"{game}/match_sizes.json")

    assert written == played(game).sizes, "print them anew: see match_sizes.py"


def test_command_prints_the_sizes(capsys: pytest.CaptureFixture[str]) -> None:
    file = next(file for file in FILES if file.stem == "tuned-1")

    assert main([str(file)]) == 0

    assert json.loads(capsys.readouterr().out)["plies"] == [26, 26, 26]
