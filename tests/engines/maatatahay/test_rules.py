"""Maatatahay: its worked examples, a case for each rule, and what holds in every match."""

import copy
import json
import random
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import permutations
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pentathlon_engines import CHANCE, IllegalAction, Outcome
from pentathlon_engines.maatatahay.board import MAP_ENERGY, SPACES
from tests.engines.maatatahay.by_page import Oracle
from tests.engines.maatatahay.oracle import compare_match, count_crystals
from tests.engines.maatatahay.positions import MAATATAHAY, do, legal, position

EXAMPLES = MAATATAHAY.examples()
CROWD = {
    **{f"{column}1": f"0.{tile}x" for column, tile in zip("abcde", (1, 2, 3, 4, 6), strict=True)},
    **{f"{column}5": f"1.{tile}x" for column, tile in zip("abcde", (1, 2, 3, 4, 5), strict=True)},
}
"""Two full rows of dead tiles."""


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example["id"])
def test_worked_example_comes_out(example: dict[str, Any]) -> None:
    state = MAATATAHAY.load(example["position"])

    if "legal" in example:
        assert [state.text(action) for action in state.legal_actions()] == example["legal"]
    for text in example.get("actions", []):
        state.apply(state.parse(text))

    after, counted = state.to_json(), example.get("count", [])
    expected = example.get("after", {})
    assert {name: after[name] for name in expected} == expected
    for seat, count in enumerate(counted):
        assert state.points(seat) == count["points"]  # type: ignore[attr-defined]  # this game's own
        assert after["relics"][seat] == count["relics"]
    for space, strength in example.get("strength", {}).items():
        assert state.strength(SPACES.index(space)) == strength  # type: ignore[attr-defined]  # same


def test_engine_agrees_with_the_oracle(deep: bool) -> None:
    seen: Counter[str] = Counter()
    for seed in range(24 if deep else 12):
        seen += compare_match(seed)

    assert {"settle", "place pay", "deaths", "space"} <= set(seen)


@pytest.fixture
def energy_of_c2() -> Iterator[None]:
    """Let the map itself give 2 energy to a tile on c2 (3.8)."""
    space = SPACES.index("c2")
    MAP_ENERGY[space] = 2
    yield
    MAP_ENERGY[space] = 0


class TestRound:
    """Section 4 of the rules."""

    def test_the_passive_seat_decides_with_the_weaker_tile(self) -> None:
        state = position(
            phase="pair", active=0, pair=None, order=None, stream=[[10, 1], [3, 7], [4, 5]]
        )

        deciders = [do(state.copy(), f"pair {slot}").to_move for slot in (1, 2, 3)]

        assert deciders == [1, 0, 0]

    def test_second_means_the_other_one_begins(self) -> None:
        state = position(phase="order", active=0, order=None, pair=[5, 9])

        do(state, "second")

        assert state.to_json()["order"] == [1, 0]
        assert state.to_move == 1

    def test_after_both_placements_the_other_seat_is_active(self) -> None:
        state = position(stream=[[1, 2], [3, 4]], decks=[[6, 7], [6, 7]], active=0)

        do(state, "place a1", "face n", "add s0e0", "place e5", "face n", "add s0e0")

        after = state.to_json()
        assert (after["active"], after["to_move"], after["round"]) == (1, 1, 4)
        assert after["stream"] == [[1, 2], [3, 4], [7, 7]]
        assert after["decks"] == [[6], [6]]
        assert (after["pair"], after["order"], after["step"], after["hot"]) == (
            None,
            None,
            0,
            None,
        )


class TestPlacement:
    """Section 5 of the rules."""

    @pytest.mark.parametrize(
        ("beside", "payments"),
        [
            ([], ["s1e3", "s2e2"]),
            (["c2"], ["s1e2", "s2e1"]),
            (["c2", "b3"], ["s1e1", "s2e0"]),
            (["c2", "b3", "d3"], ["s1e0"]),
            (["c2", "b3", "d3", "c4"], ["s1e0"]),
        ],
    )
    def test_each_tile_beside_makes_a_relic_cheaper(
        self, beside: list[str], payments: list[str]
    ) -> None:
        board = dict(zip(beside, ["0.1n", "1.1n", "0.2x", "1.2x"], strict=False))
        offered = {
            text.removeprefix("place c3 pay ")
            for storage in ("s1e3", "s2e2")
            for text in legal(position(board, storage=[storage, "s0e0"]))
            if text.startswith("place c3")
        }

        assert sorted(offered) == payments

    def test_at_least_one_spirit_is_paid(self) -> None:
        state = position({"c2": "0.1n", "b3": "1.1n", "d3": "0.2x"}, storage=["s0e4", "s0e0"])

        assert not [text for text in legal(state) if "pay" in text]

    @pytest.mark.parametrize(
        ("bag", "gain"), [("se", "s1e1"), ("ee", "s0e2"), ("s", "s1e0"), ("", "s0e0")]
    )
    def test_a_relic_brings_what_is_last_in_the_bag(self, bag: str, gain: str) -> None:
        board = {"c2": "0.1n", "b3": "1.1n", "d3": "0.2x"}
        state = position(board, storage=["s1e0", "s0e0"], bag="sss"[: 3 * (len(bag) > 1)] + bag)

        do(state, "place c3 pay s1e0")

        after = state.to_json()
        spirit, energy = int(gain[1]), int(gain[3])
        assert after["storage"][0] == {"spirit": spirit, "energy": energy}
        assert after["bag"] == (["s", "s", "s"] if len(bag) > 1 else [])
        assert after["relics"] == [1, 0]
        assert after["last_relic"] == 0
        assert after["supply"] == {"spirit": 1, "energy": 24}

    @pytest.mark.parametrize("tile", range(1, 13))
    def test_faces_with_the_same_arrows_are_one(self, tile: int) -> None:
        faces = legal(do(position(pair=[tile, 9]), "place a1"))

        expected = {4: "n", 10: "n", 5: "ne", 11: "ne"}.get(tile, "nesw")
        assert faces == [f"face {face}" for face in expected]

    def test_support_comes_from_own_living_tiles_only(self) -> None:
        board = {"c1": "0.9n", "b2": "1.7e", "b3": "0.8x", "d2": "0.6w"}
        state = do(position(board), "place c2", "face n")

        assert state.to_json()["board"]["c2"]["energy"] == 2

    def test_support_takes_what_the_supply_has(self) -> None:
        state = position({"c1": "0.9n", "d2": "0.6w"}, supply="s0e1")

        do(state, "place c2", "face n")

        after = state.to_json()
        assert after["board"]["c2"]["energy"] == 1
        assert after["supply"]["energy"] == 0

    @pytest.mark.parametrize(
        ("space", "supply", "given", "left"),
        [("c2", "s0e24", 3, 21), ("c2", "s0e2", 2, 0), ("b2", "s0e24", 1, 23)],
    )
    @pytest.mark.usefixtures("energy_of_c2")
    def test_energy_of_the_map_is_added_to_the_support(
        self, space: str, supply: str, given: int, left: int
    ) -> None:
        state = position({"c1": "0.1n"}, relics_on_map=[], supply=supply)

        after = do(state, f"place {space}", "face n", "add s0e0").to_json()

        assert after["board"][space]["energy"] == given
        assert after["supply"] == {"spirit": 0, "energy": left}

    def test_at_most_four_crystals_are_kept(self) -> None:
        state = position(ground={"a1": "s1e2"}, storage=["s0e4", "s0e0"])

        texts = legal(do(state, "place a1", "face n"))

        assert texts[:3] == ["add s0e3", "add s0e4", "add s0e5"]
        assert texts[-1] == "add s1e6"

    def test_a_shrine_with_its_relic_is_not_free(self) -> None:
        with pytest.raises(IllegalAction):
            do(position(), "place c3")


class TestLifeAndDeath:
    """Section 6 of the rules."""

    def test_a_relic_does_not_surround(self) -> None:
        state = position({"a2": "1.1n", "a1": "0.9n", "a3": "0.10n"})

        do(state, "place e5", "face n", "add s0e0")

        assert state.to_json()["deaths"] == [0, 0]

    def test_the_dead_surround_but_do_not_fight(self) -> None:
        state = position({"a1": "1.1n", "a2": "0.10x"}, deaths=[1, 0])

        do(state, "place b1", "face n", "add s0e0")

        assert state.to_json()["deaths"] == [1, 1]  # 2 against 1, the dead brute adds nothing

    def test_own_spirit_may_come_from_afar(self) -> None:
        board = {"a1": "0.1n s2e1", "a2": "1.9n", "b1": "1.10n"}
        state = position(board, to_move=1, order=[0, 1], step=1, pair=[3, 12])

        do(state, "place e5", "face n", "add s0e0")

        after = state.to_json()
        assert after["board"]["e5"]["spirit"] == 2
        assert after["supply"]["energy"] == 25
        assert after["deaths"] == [1, 0]

    def test_one_open_target_is_settled_without_asking(self) -> None:
        state = position({"a1": "1.3n", "a2": "0.9n"})

        do(state, "place b1", "face n", "add s0e0")

        assert state.to_json()["phase"] == "place"
        assert state.to_json()["deaths"] == [0, 1]

    def test_only_open_targets_are_offered(self) -> None:
        board = {
            "a1": "1.11n",
            "a2": "1.3n",
            "b1": "0.4n",
            "b2": "0.8n",
            "e1": "0.2n",
            "d1": "0.9n",
            "e2": "0.6n",
        }
        state = do(position(board), "place a3", "face n", "add s0e0")

        assert legal(state) == ["settle a1", "settle a2"]
        assert state.to_json()["targets"] == ["a1", "a2"]
        assert state.to_json()["hot_target"] is False

    def test_who_waits_as_hot_tile_is_said(self) -> None:
        board = {"a2": "1.3n", "a1": "1.11n", "b1": "0.4n", "b2": "0.8n", "a4": "1.5n"}
        board |= {"b3": "0.7n"}

        state = do(position(board), "place a3", "face n", "add s0e0")

        assert state.to_json()["hot_target"] is True


def settled(oracle: Oracle, order: tuple[str, ...]) -> str:
    """Return the map after settling in this order, each target once (6.3)."""
    twin = copy.deepcopy(oracle)
    for space in order:
        twin.settle(space)
    assert twin.hot is not None
    if twin.surrounded(twin.hot):
        twin.settle(twin.hot)
    return json.dumps([twin.board, twin.deaths, twin.supply])


def reached(oracle: Oracle) -> set[str]:
    """Return all maps to which the reduced decisions lead (6.7)."""
    if oracle.phase != "settle":
        return {json.dumps([oracle.board, oracle.deaths, oracle.supply])}
    found = set()
    for action in oracle.legal():
        twin = copy.deepcopy(oracle)
        twin.do(action)
        found |= reached(twin)
    return found


def test_reduced_decisions_lose_nothing() -> None:
    compared = 0
    for seed in range(60):
        rng = random.Random(seed)
        oracle = Oracle(rng)
        while oracle.phase != "over":
            action = rng.choice(oracle.legal())
            before = copy.deepcopy(oracle)
            oracle.do(action)
            if oracle.phase == "settle" and before.phase == "add":
                compared += compare_orders(before, oracle, action)

    assert compared > 40


def compare_orders(before: Oracle, after: Oracle, action: str) -> int:
    """Compare all orders with the decisions after an `add`; say if there were few enough."""
    assert before.hot is not None
    for sort, n in (("spirit", int(action[5])), ("energy", int(action[7]))):
        before.board[before.hot][sort] += n
    targets = [space for space in SPACES if before.surrounded(space) and space != before.hot]
    if len(targets) > 5:
        return 0
    orders = {settled(before, order) for order in permutations(targets)}
    assert orders == reached(after)
    return 1


@dataclass(frozen=True, kw_only=True)
class End:
    """What is left after the last action of a match, and how it comes out."""

    name: str
    board: Mapping[str, str] = field(default_factory=lambda: {"a1": "0.1n"})
    relics: tuple[int, int] = (0, 0)
    last: int | None = None
    """The seat that took the last relic; None if nobody did."""
    ranks: tuple[int, int]
    scores: tuple[int, int]


ENDS = (
    End(name="more tiles", board={"a1": "0.3n"}, ranks=(0, 1), scores=(3, 1)),
    End(name="a tie", board={"a1": "0.10n s1e0"}, ranks=(0, 0), scores=(1, 1)),
    End(
        name="more that live", board={"a1": "0.10n", "e5": "0.1n"}, ranks=(0, 1), scores=(1, 1)
    ),
    End(name="last relic of one", relics=(1, 1), last=1, ranks=(1, 0), scores=(2, 2)),
    End(name="last relic of the other", relics=(1, 1), last=0, ranks=(0, 1), scores=(2, 2)),
    End(
        name="points before relics",
        board={"a1": "0.3n"}, relics=(0, 2), last=1, ranks=(1, 0), scores=(3, 4),
    ),
)  # fmt: skip


class TestEnd:
    """Section 8 of the rules."""

    def last_action(self, board: dict[str, str], **more: Any) -> Outcome | None:
        """Place the last tile of a round, on e3."""
        state = position(board, to_move=1, order=[0, 1], step=1, pair=[7, 9], **more)
        return do(state, "place e3", "face n", "add s0e0").outcome

    def test_six_deaths_end_it_only_after_the_round(self) -> None:
        board = {"a1": "1.1n", "a2": "0.9n"}
        state = position(board, deaths=[3, 2], stream=[[1, 2]])

        do(state, "place b1", "face n", "add s0e0")

        assert state.to_json()["result"] is None
        do(state, "place e3", "face n", "add s0e0")
        assert state.to_json()["result"]["reason"] == "deaths"

    def test_all_reasons_are_told_in_their_order(self) -> None:
        second = dict(zip(("a2", "b2", "c2", "d2", "e2"), (6, 7, 8, 10, 11), strict=True))
        third = dict(zip(("a3", "b3", "c3", "d3", "a4"), (7, 8, 9, 10, 11), strict=True))
        board = CROWD | {space: f"1.{tile}x" for space, tile in second.items()}
        board |= {space: f"0.{tile}x" for space, tile in third.items()}
        board |= {"b4": "0.12x", "c4": "0.5x", "d4": "1.12x"}
        state = position(
            board, round=12, to_move=1, step=1, pair=[7, 9], deaths=[6, 0], round_deaths=1
        )
        do(state, "place e3", "face n", "add s0e0")

        assert state.to_json()["result"] == {
            "ranks": [1, 0],
            "reason": "deaths",
            "reasons": ["deaths", "space", "tiles"],
            "scores": [0, 1],
        }

    @pytest.mark.parametrize("end", ENDS, ids=lambda end: end.name)
    def test_points_then_the_living_then_the_last_relic_win(self, end: End) -> None:
        taken = ["b2", "d2", "b4", "d4", "c3"][sum(end.relics) :]
        outcome = self.last_action(
            dict(end.board),
            deaths=[3, 3],
            round_deaths=1,
            relics=list(end.relics),
            last_relic=end.last,
            relics_on_map=taken,
        )

        assert outcome is not None
        assert outcome.ranks == end.ranks
        assert outcome.scores == end.scores


@given(st.integers(0, 2**32), st.lists(st.integers(0, 10**6), max_size=120))
def test_any_legal_actions_keep_the_crystals(seed: int, choices: list[int]) -> None:
    state = MAATATAHAY.start()
    assert count_crystals(state.to_json()) == 60
    state.apply_chance(state.sample_chance(random.Random(seed)))
    after = state.to_json()
    assert sum(sum(there.values()) for there in after["ground"].values()) == 24
    assert len(after["bag"]) == 12

    for choice in choices:
        actions = state.legal_actions()
        if not actions:
            break
        state.apply(actions[choice % len(actions)])
        assert count_crystals(state.to_json()) == 60
        assert all(sum(store.values()) <= 7 for store in state.to_json()["storage"])


def test_the_longest_match_is_bounded_as_the_page_proves() -> None:
    assert MAATATAHAY.info.longest == 1 + 12 * 8 + 24 + 4 * (5 + 2)


def test_every_settle_kills_or_spares_a_special_one() -> None:
    settled: set[bool] = set()
    for seed in range(40):
        rng, state = random.Random(seed), MAATATAHAY.start()
        state.apply_chance(state.sample_chance(rng))
        while state.to_move not in (None, CHANCE):
            action = state.random_action(rng)
            before = state.to_json()
            state.apply(action)
            text = state.text(action)
            if text.startswith("settle"):
                tile = before["board"][text.split()[1]]
                after = state.to_json()["board"][text.split()[1]]
                is_special = tile["tile"] in (11, 12)
                assert after["alive"] is False or is_special
                settled.add(is_special)

    assert settled == {False, True}, "both kinds of tiles were settled"
