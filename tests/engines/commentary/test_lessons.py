"""Lessons are made of legal actions, are short, and teach how a match is won."""

import pytest

from pentathlon_engines import GAMES, Game
from pentathlon_engines.contract.author_guide import steps_of
from tests.engines.twelve_game import TWELVE

_MOST_WORDS = 60


@pytest.mark.parametrize("game", GAMES.values(), ids=list(GAMES))
def test_lesson_has_few_short_steps_that_play_by_the_rules(game: Game) -> None:
    steps = list(steps_of(game))

    assert 4 <= len(steps) <= 6
    for step in steps:
        assert 8 < len(step.text.split()) <= _MOST_WORDS
        assert step.said
        assert step.state.svg(step.viewer).startswith("<svg")
    assert len({step.title for step in steps}) == len(steps)


@pytest.mark.parametrize("name", ["azure", "maatatahay", "tuned", "way_of_the_dragon"])
def test_lesson_shows_how_a_match_ends(name: str) -> None:
    assert any(step.state.outcome for step in steps_of(GAMES[name]))


def test_game_without_a_lesson_has_no_steps() -> None:
    assert list(steps_of(TWELVE)) == []
