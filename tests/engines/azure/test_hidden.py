"""What a seat of Azure can know of hidden cards, and that redrawing respects exactly that."""

import random
from collections import Counter
from collections.abc import Iterator
from itertools import product
from math import comb, prod
from typing import Any

import pytest

from pentathlon_engines import CHANCE, GAMES
from pentathlon_engines.azure import AzureState, hidden

AZURE = GAMES["azure"]
COLOURS = "AWVB"
RESHUFFLED = 120
"""The seed of a match with Favored and a reshuffle."""
Cards = tuple[int, ...]
"""The number of cards of each colour."""


def cards(letters: str) -> Cards:
    return tuple(letters.count(colour) for colour in COLOURS)


def plus(first: Cards, second: Cards) -> Cards:
    return tuple(a + b for a, b in zip(first, second, strict=True))


def minus(first: Cards, second: Cards) -> Cards:
    return tuple(a - b for a, b in zip(first, second, strict=True))


def subsets(of: Cards, n: int) -> list[Cards]:
    """Return all ways to take `n` of these cards."""
    return [part for part in product(*(range(count + 1) for count in of)) if sum(part) == n]


def ways(of: Cards, part: Cards) -> int:
    """Return how many sets of single cards a part stands for."""
    return prod(comb(n, k) for n, k in zip(of, part, strict=True))


class Reasoner:
    """A seat that remembers each hand the other one may have, from open events alone."""

    def __init__(self, seat: int, hand: str, other_size: int) -> None:
        self.seat = seat
        self.heap = minus((3, 3, 3, 3), cards(hand))
        """All cards in the other hand and the hidden deck."""
        self.hands = set(subsets(self.heap, other_size))

    def hear(self, event: dict[str, Any]) -> None:
        if event["kind"] == "reshuffle":
            self.heap = plus(self.heap, tuple(event["n"][colour] for colour in COLOURS))
        elif event.get("player") == self.seat:
            if event["kind"] == "draw":
                self.see_drawn(cards(event["cards"]))
        elif event["kind"] == "draw":
            self.hands = {
                plus(hand, drawn)
                for hand in self.hands
                for drawn in subsets(minus(self.heap, hand), event["n"])
            }
        else:
            self.change(event)

    def see_drawn(self, drawn: Cards) -> None:
        self.hands = {
            hand for hand in self.hands if min(minus(minus(self.heap, hand), drawn)) >= 0
        }
        self.heap = minus(self.heap, drawn)

    def change(self, event: dict[str, Any]) -> None:
        """Cards enter or leave the other hand openly."""
        if event["kind"] == "gather":
            change = cards(event["colour"] * event["n"])
        elif event["kind"] == "place":
            change = minus((0, 0, 0, 0), cards(event["colour"] * event["cost"]))
        elif event["kind"] == "return":
            change = minus((0, 0, 0, 0), cards(event["cards"]))
        else:
            return
        changed = {plus(hand, change) for hand in self.hands}
        self.hands = {hand for hand in changed if min(hand) >= 0}
        self.heap = plus(self.heap, change)


def follow(seed: int, gifted: str) -> Iterator[tuple[AzureState, list[Reasoner]]]:
    """Play a match that keeps many cards and give each position with what both seats think."""
    state, rng = AZURE.start(options={"gifted": gifted}), random.Random(seed)
    assert isinstance(state, AzureState)
    state.apply_chance(state.sample_chance(rng))
    hands = state.to_json()["hands"]
    reasoners = [Reasoner(seat, hands[seat], len(hands[1 - seat])) for seat in (0, 1)]
    while state.to_move is not None:
        known = 0
        if state.to_move == CHANCE:
            known = len(state.observation(None)["events"])
            state.apply_chance(state.sample_chance(rng))
        else:
            state.apply(state.random_action(rng))
        for reasoner in reasoners:
            told = state.observation(reasoner.seat)["events"]
            news = len(state.observation(None)["events"]) - known
            for event in told[len(told) - news :]:
                reasoner.hear(event)
        yield state, reasoners


@pytest.mark.parametrize(
    ("seed", "gifted"), [*((seed, "none") for seed in range(6)), (RESHUFFLED, "favored")]
)
def test_known_cards_are_what_can_be_deduced(seed: int, gifted: str) -> None:
    for state, reasoners in follow(seed, gifted):
        data = state.to_json()
        for reasoner in reasoners:
            other = 1 - reasoner.seat
            known = cards(data["known"][other])
            unseen = minus(reasoner.heap, known)
            drawn = subsets(unseen, len(data["hands"][other]) - sum(known))
            assert {plus(known, part) for part in drawn} == reasoner.hands


def position(**fields: Any) -> AzureState:
    """Return a small position: seat 0 knows one of three cards of seat 1, five are unseen."""
    layout = ["A1.0", "W1.0", "V1.0", "B1.0"]
    usual = {"layout": layout, "to_move": 0, "hands": ["AA", "AWB"], "hidden": "VAB"}
    state = AZURE.load(usual | {"known": ["", "W"]} | fields)
    assert isinstance(state, AzureState)
    return state


def check_distribution(state: AzureState, weights: dict[str, float], *, draws: int = 3000) -> None:
    """Compare the redrawn hands of seat 1 with exact weights, by a chi-square test."""
    rng = random.Random(11)
    twins = [state.determinize(0, rng).to_json() for _ in range(draws)]
    drawn = Counter(twin["hands"][1] for twin in twins)

    assert set(drawn) == set(weights)
    total = sum(weights.values())
    square = 0.0
    for hand, weight in weights.items():
        expected = draws * weight / total
        square += (drawn[hand] - expected) ** 2 / expected
    freedom = len(weights) - 1
    assert abs(square - freedom) <= 5 * (2 * freedom) ** 0.5
    for twin in twins[:50]:
        whole = Counter("".join([*twin["hands"], twin["hidden"]])) + Counter(twin["decks"])
        assert whole == dict.fromkeys(COLOURS, 12)


def hands_of(known: str, unseen: str, n: int) -> dict[str, float]:
    """Return each hand with the number of ways in which it can be dealt."""
    of = cards(unseen)
    return {
        "".join(c * k for c, k in zip(COLOURS, plus(part, cards(known)), strict=True)): ways(
            of, part
        )
        for part in subsets(of, n)
    }


@pytest.fixture(params=["by dealing", "by weighing"])
def redealing(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Try both ways to redeal: again until it fits, and by the weights of all hands."""
    if request.param == "by weighing":
        monkeypatch.setattr(hidden, "_TRIES", 0)


@pytest.mark.usefixtures("redealing")
class TestRedealing:
    """Section 12.5 of the rules."""

    def test_every_way_to_lie_is_equally_likely(self) -> None:
        check_distribution(position(), hands_of("W", "AABBV", 2))

    def test_the_order_of_the_hidden_deck_is_redrawn(self) -> None:
        state, rng = position(), random.Random(4)

        tops = Counter(state.determinize(0, rng).to_json()["hidden"][0] for _ in range(3000))

        shares = {colour: 5 * n / 3000 for colour, n in tops.items()}
        assert shares == pytest.approx({"A": 2, "B": 2, "V": 1}, abs=0.2)

    def test_who_is_on_turn_has_a_stone_to_place(self) -> None:
        # The cheap white spaces are taken, so that a white card alone would be stuck.
        state = position(
            to_move=1, hands=["AA", "A"], hidden="WWV", known=["", ""], stones={"f1": 0, "e2": 0}
        )

        check_distribution(state, {"A": 1, "V": 1})

    def test_who_lost_by_being_stuck_has_none(self) -> None:
        stones = {"f1": 0, "e2": 0, "b6": 0}
        state = position(hands=["A", "W"], hidden="VWA", known=["", ""], stones=stones)
        state.apply(state.parse("place b3"))
        assert state.outcome is not None
        assert state.outcome.reason == "stuck"

        check_distribution(state, {"W": 2, "V": 1})

    def test_draws_agree_with_the_redrawn_hand(self) -> None:
        state = position(to_move=1, hands=["AA", "V"], known=["", ""], stones={"c6": 1})
        state.apply(state.parse("place b6"))

        rng = random.Random(2)
        for _ in range(50):
            twin = state.determinize(0, rng).to_json()
            draw = next(event for event in twin["events"] if event["kind"] == "draw")
            assert not Counter(draw["cards"]) - Counter(twin["hands"][1])
