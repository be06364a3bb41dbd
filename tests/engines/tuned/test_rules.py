"""Tuned: its worked examples, a case for each rule, and what holds in every match."""

import json
import random
from collections import Counter
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pentathlon_engines import GAMES, BadAction, IllegalAction, NotToMove, Outcome
from pentathlon_engines.tuned import TunedState
from pentathlon_engines.tuned.game import first_position
from tests.engines.tuned.oracle import compare_match

TUNED = GAMES["tuned"]
EXAMPLES = TUNED.examples()
# All animals are on the board: seat 0 to move may go to and fro.
PLACED = EXAMPLES[8]["position"]


def position(
    board: dict[str, str],
    hands: tuple[str, str],
    rooster: tuple[str | None, str | None] = ("add", "add"),
    **more: Any,
) -> TunedState:
    """Return a position with seat 0 to move."""
    fields = {"board": board, "hands": list(hands), "rooster": list(rooster), "to_move": 0}
    state = TUNED.load(fields | more)
    assert isinstance(state, TunedState)
    return state


def do(state: TunedState, *texts: str) -> TunedState:
    """Do actions by their texts."""
    for text in texts:
        state.apply(state.parse(text))
    return state


def legal(state: TunedState) -> list[str]:
    """Return the texts of the legal actions."""
    return [state.text(action) for action in state.legal_actions()]


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example["id"])
def test_worked_example_comes_out(example: dict[str, Any]) -> None:
    state = TUNED.load(example["position"])
    before = state.to_json()

    for text in example["refused"]:
        with pytest.raises((BadAction, IllegalAction)):
            state.apply(state.parse(text))
    assert state.to_json() == before
    for step in example["steps"]:
        texts = [state.text(action) for action in state.legal_actions()]
        assert len(texts) == step["legal"]
        assert step.get("legal_texts", texts) == texts
        state.apply(state.parse(step["action"]))
        after = state.to_json()
        assert {name: after[name] for name in step["then"]} == step["then"]


def test_engine_agrees_with_the_oracle(deep: bool) -> None:
    reasons = Counter(compare_match(seed) for seed in range(60 if deep else 30))

    assert set(reasons) == {"line", "stuck", "repetition", "limit"}


class TestPlacement:
    """Sections 4 to 6 of the rules."""

    @pytest.mark.parametrize(
        ("stack", "animals"),
        [
            ("", {"donkey", "dog", "cat"}),
            ("D", {"dog"}),
            ("G", {"cat"}),
            ("C", set()),
            ("DG", {"cat"}),
            ("GC", set()),
            ("DGC", set()),
        ],
    )
    def test_an_animal_stands_on_the_one_before_it(self, stack: str, animals: set[str]) -> None:
        hand = "DDGGCC"
        for letter in stack:
            hand = hand.replace(letter, "", 1)
        state = position({"b3": stack} if stack else {}, (hand, "DDGGCC"))

        names = {"donkey", "dog", "cat"}
        assert {name for name in names if f"add {name} b3" in legal(state)} == animals

    def test_a_block_goes_by_its_lowest_animal(self) -> None:
        state = position({"a1": "DGC", "c3": "D", "b1": "G"}, ("DGCC", "DGC"))

        moves = [text for text in legal(state) if text.startswith("move a1 c3")]

        assert moves == ["move a1 c3 2"]

    def test_a_block_keeps_its_order(self) -> None:
        state = position({"a1": "DGC", "c3": "D", "b1": "G"}, ("DGCC", "DGC"))

        do(state, "move a1 b2 3")

        assert state.to_json()["board"] == {"b1": "G", "b2": "DGC", "c3": "D"}

    def test_equal_animals_in_hand_are_one_action(self) -> None:
        texts = legal(first_position())

        assert len(texts) == len(set(texts)) == 27


class TestRooster:
    """Section 3 of the rules."""

    def test_after_a_move_only_adds_are_legal(self) -> None:
        state = do(first_position(), "add dog a1", "add dog b1", "move a1 b2 1", "move b1 c3 1")

        assert all(text.startswith("add") for text in legal(state))

    def test_after_an_add_both_are_legal(self) -> None:
        state = do(first_position(), "add dog a1", "add dog b1")

        assert {text.split()[0] for text in legal(state)} == {"add", "move"}

    def test_an_empty_hand_has_no_rooster_and_always_moves(self) -> None:
        state = TUNED.load(PLACED)

        assert state.to_json()["rooster"] == [None, None]
        for _ in range(4):
            assert {state.text(action).split()[0] for action in state.legal_actions()} == {"move"}
            state.apply(state.legal_actions()[0])
            if state.to_move is None:
                break


class TestTakingBack:
    """Section 6.4 of the rules."""

    def moved(self) -> TunedState:
        board = {"a1": "D", "c3": "DGC", "b2": "G"}
        last = "move a1 c3 2"
        return position(board, ("DGC", "DGCC"), ("add", "move"), last=last)

    def test_the_last_move_may_not_be_taken_back(self) -> None:
        state = self.moved()
        action = state.parse("move c3 a1 2")

        with pytest.raises(IllegalAction) as refused:
            state.apply(action)

        assert refused.value.seat == 0
        assert refused.value.text == "move c3 a1 2"
        assert "'c3': 'DGC'" in refused.value.position

    def test_the_block_may_go_elsewhere_and_another_block_too(self) -> None:
        texts = legal(self.moved())

        assert "move c3 b1 2" in texts
        assert "move c3 c2 3" in texts

    def test_it_may_be_taken_back_later(self) -> None:
        state = do(self.moved(), "add cat a2", "add cat a3")

        assert "move c3 a1 2" in legal(state)

    def test_after_an_add_nothing_is_banned(self) -> None:
        state = do(first_position(), "add donkey a1", "add dog a1")

        assert "move a1 b1 1" in legal(state)


class TestEnd:
    """Section 7 of the rules."""

    @pytest.mark.parametrize(
        "line",
        [
            "a1 b1 c1",
            "a2 b2 c2",
            "a3 b3 c3",
            "a1 a2 a3",
            "b1 b2 b3",
            "c1 c2 c3",
            "a1 b2 c3",
            "c1 b2 a3",
        ],
    )
    @pytest.mark.parametrize("letter", ["D", "G", "C"])
    def test_every_line_of_every_animal_wins(self, line: str, letter: str) -> None:
        first, second, third = line.split()
        hand = "DDGGCC".replace(letter, "", 1)
        state = position({first: letter, second: letter}, (hand, hand))
        name = {"D": "donkey", "G": "dog", "C": "cat"}[letter]

        do(state, f"add {name} {third}")

        assert state.outcome == Outcome((0, 1), "line")
        assert state.to_move is None

    def test_covered_animals_make_no_line(self) -> None:
        state = position({"a1": "DG", "b1": "D"}, ("DGGCC", "DGCC"))

        do(state, "add donkey c1")

        assert state.outcome is None

    def test_uncovering_makes_a_line(self) -> None:
        state = position({"a1": "G", "b1": "DGC", "c1": "G", "a3": "D"}, ("DGC", "DCC"))

        do(state, "move b1 c3 1")

        assert state.outcome == Outcome((0, 1), "line")

    def test_who_must_add_and_cannot_has_lost(self) -> None:
        example = next(example for example in EXAMPLES if example["id"] == "tuned-8")
        state = TUNED.load(example["position"])

        state.apply(state.parse(example["steps"][0]["action"]))

        assert state.outcome == Outcome((1, 0), "stuck")

    def test_the_third_occurrence_is_a_draw(self) -> None:
        state = TUNED.load(PLACED)
        seen = []
        for text in ("move c3 c2 1", "move c1 b3 2", "move c2 c3 1", "move b3 c1 2") * 2:
            state.apply(state.parse(text))
            seen.append(state.to_json()["seen"])

        assert seen == [1, 1, 1, 2, 2, 2, 2, 3]
        assert state.outcome == Outcome((0, 0), "repetition")

    def test_the_loaded_position_remembers_what_occurred(self) -> None:
        state = TUNED.load(PLACED)
        for text in ("move c3 c2 1", "move c1 b3 2", "move c2 c3 1", "move b3 c1 2"):
            state.apply(state.parse(text))
            state = TUNED.load(json.loads(json.dumps(state.to_json())))
        for text in ("move c3 c2 1", "move c1 b3 2", "move c2 c3 1", "move b3 c1 2"):
            state.apply(state.parse(text))

        assert state.outcome == Outcome((0, 0), "repetition")

    def test_action_200_without_a_result_is_a_draw(self) -> None:
        state = TUNED.load(PLACED | {"actions": 199})

        state.apply(state.parse("move c3 c2 1"))

        assert state.outcome == Outcome((0, 0), "limit")

    def test_a_line_at_action_200_still_wins(self) -> None:
        state = position({"a1": "D", "b1": "D"}, ("DGGCC", "DGGCC"), actions=199)

        do(state, "add donkey c1")

        assert state.outcome == Outcome((0, 1), "line")

    def test_nobody_acts_after_the_end(self) -> None:
        state = do(position({"a1": "D", "b1": "D"}, ("DGGCC", "DGGCC")), "add donkey c1")

        assert state.legal_actions() == []
        with pytest.raises(NotToMove):
            state.apply(0)
        with pytest.raises(NotToMove):
            state.random_action(random.Random(1))


def _stack_counts(left: dict[str, int], stacks: tuple[str, ...]) -> list[dict[str, int]]:
    """Return all ways to use up the animals left in these kinds of stacks."""
    if not stacks:
        return [{}] if not any(left.values()) else []
    first, rest = stacks[0], stacks[1:]
    found = []
    for count in range(min(left[letter] for letter in first) + 1):
        after = {letter: n - count * (letter in first) for letter, n in left.items()}
        found += [{first: count} | more for more in _stack_counts(after, rest)]
    return found


def test_who_may_move_always_has_two_moves() -> None:
    # Rules, 7.4: moves depend only on how many stacks of each form there are. Fewest animals
    # matter when the board is full, so all sets of 6 to 12 animals are counted.
    fewest = 99
    for animals in [(d, g, c) for d in range(5) for g in range(5) for c in range(5)]:
        if sum(animals) < 6:
            continue
        left = dict(zip("DGC", animals, strict=True))
        for counts in _stack_counts(left, ("D", "G", "C", "DG", "GC", "DGC")):
            if sum(counts.values()) <= 9:
                fewest = min(fewest, _moves(counts))

    assert fewest >= 2


def _moves(counts: dict[str, int]) -> int:
    """Count block moves: every animal is the lowest of one block, which needs a place."""
    empty = 9 - sum(counts.values())
    donkeys = counts["D"] + counts["DG"] + counts["DGC"]
    dogs = counts["G"] + counts["DG"] + counts["GC"] + counts["DGC"]
    cats = counts["C"] + counts["GC"] + counts["DGC"]
    on_donkey, on_dog = counts["D"], counts["G"] + counts["DG"]
    return donkeys * empty + dogs * (empty + on_donkey) + cats * (empty + on_dog)


class Counted:
    """A generator whose draws go through all numbers of a range in order."""

    def __init__(self, total: int) -> None:
        self.total, self.next = total, 0

    def random(self) -> float:
        value = (self.next + 0.5) / self.total
        self.next += 1
        return value


@given(seed=st.integers(0, 2**32), plies=st.integers(0, 30))
def test_random_action_meets_every_legal_action_once(seed: int, plies: int) -> None:
    state, rng = first_position(), random.Random(seed)
    for _ in range(plies):
        if state.to_move is not None:
            state.apply_unchecked(state.random_action(rng))
    actions = state.legal_actions()
    banned = state.banned >= 0 and not (state.hand and state.blocked)
    draws = Counted(len(actions) + banned)

    if state.to_move is not None:
        # A draw of the banned move is repeated, which takes the next number.
        drawn = [state.random_action(draws) for _ in actions]  # type: ignore[arg-type]
        assert sorted(drawn) == actions


@given(st.lists(st.integers(0, 10**6), max_size=60))
def test_any_legal_actions_keep_the_animals(choices: list[int]) -> None:
    state = first_position()
    for choice in choices:
        actions = state.legal_actions()
        if not actions:
            break
        state.apply(actions[choice % len(actions)])
        data = state.to_json()
        stacks = list(data["board"].values())
        assert set(stacks) <= {"D", "G", "C", "DG", "GC", "DGC"}
        assert Counter("".join([*stacks, *data["hands"]])) == {"D": 4, "G": 4, "C": 4}
        for hand, rooster in zip(data["hands"], data["rooster"], strict=True):
            assert (rooster is None) == (hand == "")
