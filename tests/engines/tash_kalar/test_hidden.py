"""What a seat of Tash-Kalar can know of hidden cards, and that a new deal respects just that."""

import random
from collections import Counter
from math import comb, sqrt
from typing import Any

from pentathlon_engines import CHANCE, State
from tests.engines.tash_kalar.oracle.cards import cards_of
from tests.engines.tash_kalar.positions import HIGH, TASH_KALAR, do, position

TIMES = 800
SYLVAN = cards_of("sylvan")


def worlds(state: State, seat: int = 0, times: int = TIMES) -> list[dict[str, Any]]:
    """Return positions that agree with what a seat knows."""
    rng = random.Random(8)
    return [state.determinize(seat, rng).to_json() for _ in range(times)]


def is_near(count: int, chance: float, times: int = TIMES) -> bool:
    """Return whether something came about as often as its probability says."""
    return abs(count - chance * times) <= 5 * sqrt(times * chance * (1 - chance)) + 1e-9


def other(**more: Any) -> State:
    """Return a position in which seat 1 plays Sylvan and has three beings in hand."""
    return position(cards="warlord titan", foe="naiad sapling dryad leviathan flare_03", **more)


def test_every_unseen_being_is_equally_often_in_the_other_hand() -> None:
    held: Counter[str] = Counter()
    for world in worlds(other()):
        held.update(world["hands"][1]["beings"])

    assert set(held) == set(SYLVAN)
    assert all(is_near(count, 3 / 18) for count in held.values())


def test_shared_cards_are_in_the_other_hand_or_in_the_deck() -> None:
    held: Counter[str] = Counter()
    tops: Counter[str] = Counter()
    for world in worlds(other()):
        held.update(world["hands"][1]["legends"])
        tops[world["decks"]["legends"][0]] += 1

    assert set(held) == set(tops) == set(cards_of("legends")) - {"titan"}
    assert all(is_near(count, 1 / 11) for count in (*held.values(), *tops.values()))


def test_own_hand_and_piles_stay_and_the_own_deck_is_shuffled() -> None:
    state = other(
        discards=[["dire_wolf", "wild_eagle"], []], played={"beings": [["dire_wolf"], []]}
    )
    before = state.to_json()
    tops: Counter[str] = Counter()
    for world in worlds(state):
        assert world["hands"][0] == before["hands"][0]
        assert world["discards"][0] == before["discards"][0]
        tops[world["decks"]["beings"][0][0]] += 1

    assert len(tops) == 15
    assert all(is_near(count, 1 / 15) for count in tops.values())


def test_played_beings_lie_in_the_pile_and_discarded_ones_may_be_any() -> None:
    pile = ["kiskin_farseeders", "sylvan_queen", "unicorn"]
    state = other(discards=[[], pile], played={"beings": [[], ["unicorn"]]})
    lying: Counter[str] = Counter()
    for world in worlds(state):
        lying.update(world["discards"][1])

    assert lying.pop("unicorn") == TIMES
    assert len(lying) == 17
    assert all(is_near(count, 2 / 17) for count in lying.values())


def test_a_card_taken_back_may_be_any_of_the_pile() -> None:
    played = ["unicorn", "kiskin_spirit", "sylvan_queen"]
    state = other(
        discards=[[], ["kiskin_spirit", "unicorn"]],
        played={"beings": [[], played]},
        progress={"taken": [0, 1]},
        hands=[
            {"beings": ["warlord"], "legends": ["titan"]},
            {"beings": ["naiad", "sylvan_queen"], "legends": [], "flare": None},
        ],
    )
    missing = Counter(
        next(iter(set(played) - set(world["discards"][1]))) for world in worlds(state)
    )

    assert set(missing) == set(played)
    assert all(is_near(count, 1 / 3) for count in missing.values())


def test_played_and_discarded_cards_are_weighed_by_the_ways_to_lie() -> None:
    played = ["unicorn", "kiskin_spirit", "sylvan_queen"]
    state = other(
        discards=[[], ["kiskin_spirit", "sylvan_princess", "unicorn"]],
        played={"beings": [[], played]},
        progress={"taken": [0, 1]},
        hands=[
            {"beings": ["warlord"], "legends": ["titan"]},
            {"beings": ["naiad", "sylvan_queen"], "legends": [], "flare": None},
        ],
    )
    whole = sum(set(played) <= set(world["discards"][1]) for world in worlds(state))
    ways = (1, comb(3, 2) * 15)

    assert is_near(whole, ways[0] / sum(ways))


def test_who_is_asked_at_the_end_of_its_turn_has_a_task_or_a_flare_that_burns() -> None:
    state = TASH_KALAR.load(
        {
            "options": {"mode": HIGH, "decks": ["highland", "sylvan"]},
            "to_move": 1,
            "phase": "turn_end",
            "board": {
                name: {"owner": 0, "rank": "heroic"} for name in ("a3", "c3", "e3", "g3", "i3")
            },
            "hands": [{"beings": ["warlord"]}, {"beings": [], "legends": [], "flare": "flare_03"}],
            "tasks": {"current": ["task_central_dominance"], "next": "task_isolation"},
        }
    )

    flares = Counter(world["hands"][1]["flare"] for world in worlds(state))

    assert set(flares) == set(cards_of("flares"))
    burning = worlds(_with_three_pieces(state))
    flares = Counter(world["hands"][1]["flare"] for world in burning)
    assert set(flares) == {"flare_01", "flare_03", "flare_05", "flare_11", "flare_12"}
    assert all(is_near(count, 1 / 5) for count in flares.values())


def _with_three_pieces(state: State) -> State:
    """Return the same with three upgraded enemies only, so that few flares burn."""
    data = state.to_json()
    board = {name: data["board"][name] for name in ("a3", "c3", "e3")}
    return TASH_KALAR.load({**data, "board": board, "supply": [
        {"common_heroic": 14, "legendary": 3}, {"common_heroic": 17, "legendary": 3}
    ]})  # fmt: skip


def test_tasks_under_the_deck_stay_where_everybody_saw_them_go() -> None:
    state = other(
        tasks={
            "current": ["task_center_cross", "task_devastation", "task_green_summoning"],
            "next": "task_isolation",
            "under": ["task_side_chain", "task_diagonals"],
        }
    )
    tops: Counter[str] = Counter()
    for world in worlds(state, times=600):
        assert world["decks"]["tasks"][-2:] == ["task_side_chain", "task_diagonals"]
        tops[world["decks"]["tasks"][0]] += 1

    assert len(tops) == 18


def test_hidden_actions_of_the_other_seat_are_not_dealt_anew_with_their_cards() -> None:
    state = do(position(cards="warlord dire_wolf titan"), "discard dire_wolf", "return titan")
    seen = state.observation(1)["events"]

    assert [0, "discard being"] in seen
    assert [0, "return legend"] in seen
    twin = state.determinize(1, random.Random(1))
    assert twin.observation(1)["events"] == seen
    assert "dire_wolf" not in str(twin.to_json()["events"])


def test_a_spectator_sees_no_hand_in_a_whole_match() -> None:
    rng, state = random.Random(5), TASH_KALAR.start()
    while state.to_move is not None:
        seen = state.observation(None)
        assert not {"hand", "hands", "discard", "discards", "decks", "legal"} & set(seen)
        if state.to_move == CHANCE:
            state.apply_chance(state.sample_chance(rng))
        else:
            state.apply_unchecked(state.random_action(rng))
