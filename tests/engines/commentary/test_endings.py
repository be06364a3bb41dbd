"""Every reason for which a match can end has words for people who do not know the rules."""

from random import Random

import pytest

from pentathlon_engines import CHANCE, GAMES, Outcome


def played_out(game: str, seed: int) -> Outcome:
    state, luck = GAMES[game].start(), Random(seed)
    while state.to_move is not None:
        if state.to_move == CHANCE:
            state.apply_chance(state.sample_chance(luck))
        else:
            state.apply(state.random_action(luck))
    assert state.outcome is not None
    return state.outcome


@pytest.mark.parametrize("game", GAMES)
def test_reasons_of_played_matches_are_explained(game: str) -> None:
    endings = GAMES[game].commentary().endings()

    reasons = {played_out(game, seed).reason for seed in range(12)}

    assert reasons
    assert reasons <= endings.keys()
    assert all(clause and clause[0].islower() and clause[-1] != "." for clause in endings.values())
