"""Sentences to the person in a seat, made of those of the commentaries."""

import re
from random import Random
from typing import Any

import pytest

from pentathlon_engines import CHANCE, GAMES
from pentathlon_engines.commentary.second_person import speak_to
from pentathlon_engines.contract.presentation import Change
from tests.engines.commentary.test_prompts import PLAYED

_SUBJECT = re.compile(r"(?:^|; |: |, and |, | and )[Yy]ou (\w+)")


@pytest.mark.parametrize(
    ("said", "told"),
    [
        (
            "Violet pays nothing, gains the Tiger from Amber, Amber loses 2, Violet takes 1 white",
            "You pay nothing, gain the Tiger from Amber, Amber loses 2, you take 1 white",
        ),
        (
            "Amber takes pair 3, a drummer: Violet has the weaker tile and decides the order",
            "Amber takes pair 3, a drummer: you have the weaker tile and decide the order",
        ),
        (
            "With Swordmaster, Amber destroys Violet's common piece on i4; Amber leads 1 to 0",
            "With Swordmaster, Amber destroys your common piece on i4; Amber leads 1 to 0",
        ),
        (
            "With Ice Wyvern, Violet leaps to b6, capturing its common piece",
            "With Ice Wyvern, you leap to b6, capturing your common piece",
        ),
    ],
)
def test_sentence_speaks_to_its_seat(said: str, told: str) -> None:
    assert speak_to(0, said) == told


@pytest.mark.parametrize(("game", "seats", "options"), PLAYED)
def test_no_sentence_keeps_the_third_person_for_you(
    game: str, seats: int, options: dict[str, Any]
) -> None:
    state, rng = GAMES[game].start(seats, options), Random(5)
    commentary = GAMES[game].commentary()
    while (seat := state.to_move) is not None:
        before = state.observation(0)
        is_chance = seat == CHANCE
        text = state.sample_chance(rng) if is_chance else state.text(state.random_action(rng))
        event = state.event_for(0, text)
        if is_chance:
            state.apply_chance(text)
        else:
            state.apply(state.parse(text))

        told = speak_to(0, commentary.tell(Change(before, seat, event, state.observation(0))))

        assert "Violet" not in told
        assert not any(verb.endswith("s") and verb != "pass" for verb in _SUBJECT.findall(told)), (
            told
        )
