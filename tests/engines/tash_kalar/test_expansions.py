"""Tash-Kalar: what holds for the option and in the matches of every expansion (18)."""

import random
import re
from itertools import combinations
from typing import Any

import pytest

from pentathlon_engines import CHANCE, BadOption
from pentathlon_engines.tash_kalar.cards.catalogue import EXPANSIONS
from tests.deep import mostly_deep
from tests.engines.tash_kalar.positions import DUEL, HIGH, TASH_KALAR
from tests.engines.tash_kalar.test_rules import SCHOOLS, check_invariants

PAIRS = [pair for pair in combinations([*EXPANSIONS, *SCHOOLS], 2) if pair[0] in EXPANSIONS]
CASES = [(mode, pair) for pair in PAIRS for mode in (HIGH, DUEL)]


@pytest.mark.parametrize("expansion", EXPANSIONS)
class TestOption:
    """The deck is chosen, never drawn."""

    def test_it_may_be_chosen_against_a_drawn_school(self, expansion: str) -> None:
        state = TASH_KALAR.start(options={"decks": [expansion, "drawn"]})

        assert [text for text, _ in state.chance_outcomes()] == [
            f"decks {expansion} {school}" for school in SCHOOLS
        ]

    def test_it_is_never_drawn(self, expansion: str) -> None:
        assert expansion not in str(TASH_KALAR.start().chance_outcomes())

    def test_it_cannot_meet_itself(self, expansion: str) -> None:
        with pytest.raises(BadOption, match="must differ"):
            TASH_KALAR.start(options={"decks": [expansion, expansion]})

    def test_it_is_marked_as_unofficial(self, expansion: str) -> None:
        decks = next(option for option in TASH_KALAR.info.options if option.name == "decks")

        assert decks.unofficial_in(["sylvan", expansion]) == [expansion]
        assert decks.unofficial_in(["sylvan", "drawn"]) == []


@pytest.mark.parametrize(
    "case", mostly_deep(CASES, keep=CASES[::5]), ids=lambda case: f"{case[0]}-{'-'.join(case[1])}"
)
def test_matches_keep_what_always_holds(case: tuple[str, tuple[str, str]]) -> None:
    mode, pair = case
    rng = random.Random(f"{mode}:{pair}")
    decks = list(pair if mode == HIGH else reversed(pair))
    state = TASH_KALAR.start(options={"mode": mode, "decks": decks})
    while state.to_move is not None:
        if state.to_move == CHANCE:
            state.apply_chance(state.sample_chance(rng))
            continue
        data = state.to_json()
        _check(data, decks)
        if rng.random() < 0.05 or data["phase"] == "effect" or "summon_now" in str(data):
            assert TASH_KALAR.load(data).to_json() == data
            for seat in (0, 1):
                seen = state.observation(seat)
                assert TASH_KALAR.load(seen).observation(seat) == seen
                twin = state.determinize(seat, rng)
                assert twin.observation(seat) == seen
                twin.legal_actions()
        actions = state.legal_actions()
        wanted = [a for a in actions if re.match("summon|claim|thaw|warp", state.text(a))]
        state.apply(rng.choice(wanted or actions))
    assert state.to_json()["turn"] <= 200


def _check(data: dict[str, Any], decks: list[str]) -> None:
    check_invariants(data)
    if data.get("gateway"):
        gateway = data["board"][data["gateway"]]
        assert gateway["owner"] == decks.index("nethervoid")
        assert gateway["rank"] != "legendary"
    if data.get("pending"):
        assert data["pending"] in data["hands"][decks.index("etherweave")]["beings"]
