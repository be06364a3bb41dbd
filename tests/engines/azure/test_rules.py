"""Azure: its worked examples, a case for each rule, and what holds in every match."""

import random
from collections import Counter
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pentathlon_engines import CHANCE, GAMES, BadChance, NotToMove, Outcome
from pentathlon_engines.azure import AzureState
from tests.engines.azure.oracle import compare_match
from tests.engines.azure.oracle_realm import FACES
from tests.engines.azure.positions import do, kinds, legal, load, position

AZURE = GAMES["azure"]
EXAMPLES = AZURE.examples()
RESHUFFLED = 189
"""The seed of a match with a reshuffle."""
KEPT_BESIDE = {"turn", "known", "events", "since"}
"""Fields that may change without being named in an example."""


def facts(state: AzureState) -> dict[str, Any]:
    """Return the position with the sizes of its hidden parts."""
    data = state.to_json()
    sizes = [len(hand) for hand in data["hands"]]
    return data | {"hand_sizes": sizes, "hidden_size": len(data["hidden"])}


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example["id"])
def test_worked_example_comes_out(example: dict[str, Any]) -> None:
    state = load(example["position"])

    for step in example["steps"]:
        texts = legal(state)
        before = facts(state)
        assert len(texts) == step["legal"]
        assert step.get("legal_texts", texts) == texts
        action = state.parse(step["action"])
        assert step.get("cost", 0) == ("cost" in step and state.cost(action))
        state.apply(action)
        if state.to_move == CHANCE:
            state.apply_chance(state.sample_chance(random.Random(5)))
        after = facts(state)
        assert {name: after[name] for name in step["then"]} == step["then"]
        if "hand_sizes" not in step["then"]:
            same = set(before) - set(step["then"]) - KEPT_BESIDE - {"hand_sizes", "hidden_size"}
            assert {name: after[name] for name in same} == {name: before[name] for name in same}


def test_engine_agrees_with_the_oracle(deep: bool) -> None:
    seen = sum((compare_match(seed) for seed in range(15 if deep else 8)), Counter())

    assert {"wisdom", "stuck", "place", "gift", "return", "boon"} <= set(seen)


def test_engine_agrees_with_the_oracle_on_a_reshuffle() -> None:
    assert compare_match(RESHUFFLED)["reshuffle"] >= 1


def codes_of(face: str) -> list[str]:
    """Return the codes of a face as the rules page prints them."""
    return [code for row in FACES[face] for code in row]


class TestFaces:
    """Section 3 of the rules."""

    @pytest.mark.parametrize("colour", "AWVB")
    def test_both_faces_hold_the_same_cells(self, colour: str) -> None:
        front, back = (sorted(codes_of(colour + side)) for side in "12")

        assert front == back
        assert colour not in "".join(front)

    def test_each_colour_is_on_seven_symbols(self) -> None:
        codes = [code for name in ("A1", "W1", "V1", "B1") for code in codes_of(name)]
        counts = Counter(
            {colour: sum(int(c[0]) for c in codes if c[1:2] == colour) for colour in "AWVB"}
        )

        assert counts == dict.fromkeys("AWVB", 7)
        assert sum(code.endswith("s") for code in codes) == 8

    def test_a_turned_realm_is_the_printed_one(self) -> None:
        state = position(layout=["B1.1", "V2.3", "A2.2", "W1.0"], hands=["AAA", "WWW"])

        realm = state.observation(0)["realm"]

        assert realm[1] == ["B:1V1*", "B:1Ws", "B:7*", "V:4*", "V:M", "V:1A1*"]
        assert realm[4] == ["A:1Ws", "A:2V1*", "A:1W1*", "W:1V1*", "W:1Bs", "W:6*"]


class TestChance:
    """Sections 4.7 and 9.2 of the rules."""

    SETUP = "setup B1.1 V2.3 A2.2 W1.0 AV WWB VABWBVA"

    def test_a_setup_deals_what_it_says(self) -> None:
        state = AZURE.start()

        state.apply_chance(self.SETUP)

        data = state.to_json()
        assert data["hands"] == ["AV", "WWB"]
        assert data["hidden"] == "VABWBVA"
        assert data["decks"] == dict.fromkeys("AWVB", 9)
        assert data["to_move"] == 0
        record = {name: data[name] for name in ("layout", "hands", "hidden", "options")}
        assert load(record).to_json() == data

    @pytest.mark.parametrize(
        "text",
        [
            "",
            "setup",
            "setup B1.1 V2.3 A2.2 A1.0 AV WWB VABWBVA",
            "setup B3.1 V2.3 A2.2 W1.0 AV WWB VABWBVA",
            "setup B1.4 V2.3 A2.2 W1.0 AV WWB VABWBVA",
            "setup B1.1 V2.3 A2.2 W1.0 VA WWB VABWBVA",
            "setup B1.1 V2.3 A2.2 W1.0 AVW WB VABWBVA",
            "setup B1.1 V2.3 A2.2 W1.0 AV WWB VABWBVW",
            "setup B1.1 V2.3 A2.2 W1.0 AV WWB VABWBV",
            "setup B1.1 V2.3 A2.2 W1.0 AX WWB VABWBVA",
            "setup  B1.1 V2.3 A2.2 W1.0 AV WWB VABWBVA",
            "reshuffle AVWB",
        ],
    )
    def test_an_impossible_setup_is_refused(self, text: str) -> None:
        state = AZURE.start()

        with pytest.raises(BadChance):
            state.apply_chance(text)

        assert state.to_json() == AZURE.start().to_json()

    def test_each_seat_is_told_its_own_cards(self) -> None:
        state = AZURE.start()

        told = [state.event_for(seat, self.SETUP) for seat in (0, 1, None)]

        assert [text.partition("W1.0 ")[2] for text in told] == [
            "AV ??? ???????",
            "?? WWB ???????",
            "?? ??? ???????",
        ]

    def test_all_faces_rotations_and_places_are_drawn(self) -> None:
        rng, state = random.Random(3), AZURE.start()
        seen: list[set[str]] = [set(), set(), set(), set()]
        for _ in range(600):
            for place, board in enumerate(state.sample_chance(rng).split()[1:5]):
                seen[place].add(board)

        assert [len(boards) for boards in seen] == [32, 32, 32, 32]

    def reshuffling(self) -> AzureState:
        state = position(hands=["V", "AWWBB"], hidden="W", stones={"c6": 0, "e5": 1})
        return do(state, "place b6")

    def test_a_new_deck_is_made_when_a_card_is_needed(self) -> None:
        state = self.reshuffling()

        assert state.to_move == CHANCE
        assert state.to_json()["draws"] == 1
        assert len(state.chance_outcomes()) == 2520
        state.apply_chance("reshuffle BAWVBAWV")

        data = state.to_json()
        assert data["hidden"] == "AWVBAWV"
        assert data["hands"][0] == "WVBB"
        assert data["to_move"] == 1
        assert state.event_for(0, "place a1") == "place a1"
        assert kinds(state, 0) == ["place", "gather", "favour", "draw", "reshuffle", "draw"]

    @pytest.mark.parametrize(
        "text", ["reshuffle", "reshuffle AAWWVVB", "reshuffle AAAWVVBB", "shuffle AAWWVVBB"]
    )
    def test_an_impossible_deck_is_refused(self, text: str) -> None:
        state = self.reshuffling()

        with pytest.raises(BadChance, match="AAWWVVBB in any order"):
            state.apply_chance(text)

        assert state.event_for(1, "reshuffle AAWWVVBB") == "reshuffle ????????"

    def test_without_any_card_the_draw_ends(self) -> None:
        cards = "A" * 12 + "W" * 12 + "V" * 11 + "B" * 12
        state = position(hands=[cards, "V"], hidden="", stones={"c6": 0, "e5": 1})

        do(state, "place b6")

        # The black qi of b6 was not there to take, and nothing could be drawn.
        assert state.to_json()["hands"][0] == cards
        assert state.to_json()["beasts"]["bird"] == 0
        assert state.to_move == 1


class TestStones:
    """Sections 6 and 7 of the rules."""

    def test_a_mountain_and_a_taken_space_are_no_place(self) -> None:
        state = position(hands=["AAAAAA", "W"], stones={"b1": 1})

        assert "place a1" not in legal(state)
        assert "place b1" not in legal(state)
        assert "place c1" in legal(state)

    def test_enough_bonds_make_a_space_free(self) -> None:
        state = position(hands=["", "AWVB"], stones={"c1": 0, "a2": 0, "b2": 0, "b3": 0})

        assert state.cost(state.parse("place c2")) == 0
        assert state.cost(state.parse("place c3")) == 4
        assert "place c2" in legal(state)

    def test_an_empty_deck_gives_what_is_there(self) -> None:
        state = position(hands=["B", "A" * 12], stones={"f4": 0, "f6": 0, "c5": 0, "d5": 0})

        do(state, "place f5")

        assert state.to_json()["hands"][0] == "B"
        assert "gather" not in kinds(state)

    def test_no_stone_left_is_stuck(self) -> None:
        state = position(hands=["A", "AAAAAA"], supply=[5, 0])

        do(state, "place b3")

        assert state.outcome == Outcome((0, 1), "stuck", (0, 0))

    def test_nobody_acts_after_the_end(self) -> None:
        state = do(position(hands=["A", "AAAAAA"], supply=[5, 0]), "place b3")

        assert legal(state) == []
        with pytest.raises(NotToMove):
            state.random_action(random.Random(1))


@given(
    gifted=st.sampled_from(["none", "mighty", "perceptive", "bountiful", "favored"]),
    seed=st.integers(0, 2**32),
    choices=st.lists(st.integers(0, 63), max_size=80),
)
def test_any_legal_actions_keep_cards_and_stones(
    gifted: str, seed: int, choices: list[int]
) -> None:
    state, rng = AZURE.start(options={"gifted": gifted}), random.Random(seed)
    picks = iter(choices)
    while state.to_move is not None:
        if state.to_move == CHANCE:
            state.apply_chance(state.sample_chance(rng))
        else:
            actions = state.legal_actions()
            state.apply(actions[next(picks, 0) % len(actions)])
        check_invariants(state.to_json())


def check_invariants(data: dict[str, Any]) -> None:
    """Twelve cards of a colour, fourteen common stones each, wisdom within its bounds."""
    cards = Counter("".join([*data["hands"], data["hidden"]])) + Counter(data["decks"])
    assert cards == dict.fromkeys("AWVB", 12)
    for seat in (0, 1):
        stones = sum(owner == seat for owner in data["stones"].values())
        gifted = data["gifted_at"][seat] is not None
        assert stones - gifted + data["supply"][seat] == 14
        assert 0 <= data["wisdom"][seat] <= 25
        assert not Counter(data["known"][seat]) - Counter(data["hands"][seat])
    assert min(data["since"]) == 0


class Counted:
    """A generator whose draws go through all numbers of a range in order."""

    def __init__(self, total: int) -> None:
        self.total, self.next = total, 0

    def random(self) -> float:
        value = (self.next % self.total + 0.5) / self.total
        self.next += 1
        return value


@given(seed=st.integers(0, 2**32), plies=st.integers(1, 30))
def test_random_action_meets_every_legal_action(seed: int, plies: int) -> None:
    state, rng = AZURE.start(options={"gifted": "mighty"}), random.Random(seed)
    state.apply_chance(state.sample_chance(rng))
    for _ in range(plies):
        if state.to_move not in (None, CHANCE):
            state.apply_unchecked(state.random_action(rng))
    if state.to_move in (None, CHANCE):
        return

    # Draws that meet no legal action are repeated, which takes the next number.
    draws = Counted(64)
    drawn = {state.random_action(draws) for _ in range(64)}  # type: ignore[arg-type]

    assert drawn == set(state.legal_actions())
