"""What a person is asked at a decision, and why a cell or a card cannot be chosen."""

import re
from collections.abc import Iterator
from random import Random
from typing import Any

import pytest

from pentathlon_engines import CHANCE, GAMES, State
from tests.engines.commentary.test_sentences import example

_MARK = re.compile(r'data-(?:cell|card|mark)="([^"]+)"')
PLAYED = [
    ("azure", 2, {}),
    ("azure", 2, {"gifted": "favored"}),
    ("azure", 2, {"gifted": "mighty"}),
    ("maatatahay", 2, {}),
    ("tuned", 2, {}),
    ("way_of_the_dragon", 2, {"powers": True}),
    ("way_of_the_dragon", 5, {"powers": True, "immunity": True}),
    ("tash_kalar", 2, {}),
    ("tash_kalar", 2, {"mode": "deathmatch_duel", "decks": ["everfrost", "etherweave"]}),
]


def decisions(game: str, seats: int, options: dict[str, Any], *, seed: int) -> Iterator[State]:
    """Yield the positions of a random match in which a seat decides."""
    state, rng = GAMES[game].start(seats, options), Random(seed)
    while state.to_move is not None:
        if state.to_move == CHANCE:
            state.apply_chance(state.sample_chance(rng))
            continue
        yield state
        state.apply(state.random_action(rng))


@pytest.mark.parametrize(("game", "seats", "options"), PLAYED)
def test_every_decision_has_a_prompt_and_every_mark_an_answer(
    game: str, seats: int, options: dict[str, Any]
) -> None:
    commentary = GAMES[game].commentary()

    for seed in range(2):
        for ply, state in enumerate(decisions(game, seats, options, seed=seed)):
            seen = state.observation(state.to_move)
            said = commentary.ask(seen)
            assert re.fullmatch(r"[A-Z0-9][^{}_]+\.", said), said
            if ply % 10 == 0:
                for name in set(_MARK.findall(state.svg(state.to_move))):
                    why = commentary.refuse(seen, name)
                    assert why == "" or re.fullmatch(r"[A-Za-z0-9][^{}_]+\.", why), why


def test_prompt_names_the_decision() -> None:
    state = GAMES["tuned"].start()
    ask = state.game.commentary().ask

    adding = ask(state.observation(0))
    for text in ("add donkey b2", "add dog b2"):
        state.apply(state.parse(text))

    assert adding == "Add an animal of your hand to the board: choose it, then its square."
    assert ask(state.observation(0)) == (
        "Add an animal of your hand, or move animals from one square to another."
    )


@pytest.mark.parametrize(
    ("name", "mark", "why"),
    [
        ("tuned-3", "c3", "Only a dog may stand on the donkey of c3, and no move begins there."),
        ("tuned-3", "donkey", "No donkey of yours fits anywhere now."),
        ("azure-3", "d5", "A stone on d5 costs more black cards than the 2 you hold."),
    ],
)
def test_refused_mark_says_why(name: str, mark: str, why: str) -> None:
    state = example(name)

    assert state.game.commentary().refuse(state.observation(state.to_move), mark) == why
