"""Tash-Kalar: setup, actions, draws and flares (4, 5 and 9 of the rules)."""

import random

import pytest

from pentathlon_engines import CHANCE, State
from tests.engines.tash_kalar.oracle.cards import DATA, SCHOOLS, cards_of
from tests.engines.tash_kalar.positions import (
    DUEL,
    HIGH,
    TASH_KALAR,
    do,
    end_turn,
    far,
    legal,
    position,
    shown,
    summoned,
    view,
)


def dealt(mode: str, seed: int) -> State:
    """Return a match after its deal."""
    rng = random.Random(seed)
    state = TASH_KALAR.start(options={"mode": mode, "decks": ["highland", "sylvan"]})
    while state.to_move == CHANCE:
        state.apply_chance(state.sample_chance(rng))
    return state


@pytest.mark.parametrize("mode", [HIGH, DUEL])
def test_deal_gives_both_three_beings_two_legends_and_a_flare(mode: str) -> None:
    seen = view(dealt(mode, 1))

    assert seen["hand_sizes"] == [{"beings": 3, "legends": 2, "flare": 1}] * 2
    assert seen["deck_sizes"]["beings"] == [15, 15]
    assert seen["deck_sizes"]["legends"] == 8
    assert seen["deck_sizes"]["flares"] == 10
    assert seen["scores"] == [0, 0]
    assert seen["actions_left"] == 1


@pytest.mark.parametrize("seed", range(12))
def test_tasks_are_turned_up_by_their_types(seed: int) -> None:
    tasks = view(dealt(HIGH, seed))["tasks"]

    current = [DATA["tasks"][task] for task in tasks["current"]]
    types = [fact["type"] for fact in current]
    upcoming = DATA["tasks"][tasks["next"]]["type"]
    assert not any(fact["advanced"] for fact in current)
    assert len(types) == 3
    assert len(set(types)) > 1
    assert max([*types, upcoming].count(one) for one in types) < 3


def test_second_player_chooses_where_its_common_goes() -> None:
    state = dealt(DUEL, 3)
    second = state.to_move
    assert second is not None

    assert legal(state) == ["setup c5", "setup g5"]
    do(state, "setup g5")

    assert shown(state) == {"c5": f"{1 - second}c", "g5": f"{second}c"}
    assert state.to_move == 1 - second
    assert view(state)["phase"] == "main"


def test_first_turn_has_one_action_and_the_others_two() -> None:
    state = dealt(HIGH, 1)
    first = state.to_move

    do(state, "place e5")

    assert state.to_move != first
    assert view(state)["actions_left"] == 2
    assert view(state)["turn"] == 2


def test_actions_cannot_be_left() -> None:
    state = position()

    assert not {"end", "pass"} & set(legal(state))
    do(state, "place e5")
    assert view(state)["actions_left"] == 1
    assert not {"end", "pass"} & set(legal(state))


class TestPlace:
    """5.5"""

    def test_every_empty_square_is_offered(self) -> None:
        state = position("e5", "e6")

        assert len(legal(state, "place")) == 67

    def test_without_supply_a_piece_is_picked_up_first(self) -> None:
        state = position(far(16) + " e5h f5l")

        assert not legal(state, "place")
        assert "pickup e5" in legal(state)
        assert "pickup f5" not in legal(state)

    def test_picked_up_piece_comes_back_as_a_common(self) -> None:
        state = do(position(far(16) + " e5h"), "pickup e5")

        assert view(state)["phase"] == "place_at"
        assert view(state)["actions_left"] == 1
        assert "place e5" in legal(state)
        assert len(legal(state)) == 69 - 16
        do(state, "place e5")
        assert shown(state)["e5"] == "0c"

    def test_duel_has_one_piece_less(self) -> None:
        state = position(far(16), mode=DUEL)

        assert view(state)["supply"][0] == {"common_heroic": 0, "legendary": 3}
        assert legal(state, "pickup")


class TestDiscard:
    """5.6"""

    def test_only_beings_are_discarded(self) -> None:
        state = position(cards="wild_eagle titan flare_01")

        assert legal(state, "discard") == ["discard wild_eagle"]

    def test_once_in_a_turn(self) -> None:
        state = do(position(cards="wild_eagle dire_wolf"), "discard wild_eagle", "done")

        assert not legal(state, "discard")
        assert view(state)["discard"] == ["wild_eagle"]

    def test_other_cards_go_under_their_decks(self) -> None:
        state = position(cards="wild_eagle dire_wolf titan flare_01")

        do(state, "discard wild_eagle")
        assert legal(state) == ["done", "return dire_wolf", "return flare_01", "return titan"]
        do(state, "return titan", "return flare_01", "return dire_wolf")

        decks = state.to_json()["decks"]
        assert decks["legends"][-1] == "titan"
        assert decks["flares"][-1] == "flare_01"
        assert decks["beings"][0][-1] == "dire_wolf"
        assert view(state)["phase"] == "main"

    def test_nothing_is_asked_without_other_cards(self) -> None:
        state = do(position(cards="wild_eagle"), "discard wild_eagle")

        assert view(state)["phase"] == "main"

    def test_others_learn_only_the_kinds(self) -> None:
        state = position(cards="wild_eagle dire_wolf titan")

        do(state, "discard wild_eagle", "return titan", "done")

        said = [[0, "discard being"], [0, "return legend"], [0, "done"]]
        assert view(state, 1)["events"] == said
        assert view(state, 1)["discard_sizes"] == [1, 0]
        assert view(state, 1)["played"]["beings"] == [[], []]
        for seat, text, told in (
            (0, "discard wild_eagle", "discard wild_eagle"),
            (1, "discard wild_eagle", "discard being"),
            (None, "return titan", "return legend"),
        ):
            assert position(cards="wild_eagle titan").event_for(seat, text) == told


class TestDraw:
    """5.7, 3.5"""

    def test_hand_is_filled_up(self) -> None:
        state = end_turn(position(cards="wild_eagle"))

        assert view(state)["hand_sizes"][0] == {"beings": 3, "legends": 2, "flare": 1}

    def test_hand_above_the_limits_is_kept(self) -> None:
        cards = "wild_eagle dire_wolf clan_axeman clan_healer titan leviathan hell_bull flare_01"
        state = end_turn(position(cards=cards))

        assert view(state)["hand_sizes"][0] == {"beings": 4, "legends": 3, "flare": 1}

    def test_empty_shared_deck_is_made_of_its_pile_at_once(self) -> None:
        played = cards_of("legends")[2:]
        state = position(
            cards="flare_01 wild_eagle dire_wolf clan_axeman",
            actions_left=1,
            played={"beings": [[], []], "legends": played, "flares": []},
        )

        do(state, "place e5")

        assert (state.to_move, view(state)["phase"]) == (CHANCE, "shuffle")
        text = state.sample_chance(random.Random(1))
        assert sorted(text.split()[2].split("."), key=int) == [str(n) for n in range(3, 13)]
        state.apply_chance(text)
        assert view(state)["deck_sizes"]["legends"] == 10
        assert view(state)["played"]["legends"] == []
        assert view(state)["hand_sizes"][0]["legends"] == 2

    def test_extra_cards_are_drawn_last(self) -> None:
        """The flares are shuffled before the extra legend of the Forest Mystic is drawn."""
        state = summoned(
            "forest_mystic e5",
            actions_left=1,
            played={"beings": [[], []], "legends": [], "flares": cards_of("flares")[1:]},
        )

        assert (state.to_move, view(state)["phase"]) == (CHANCE, "shuffle")
        assert view(state)["hand_sizes"][0] == {"beings": 3, "legends": 2, "flare": 1}

    def test_pile_that_was_empty_is_shuffled_at_the_next_draw(self) -> None:
        others = " ".join(card for card in cards_of("legends") if card != "titan")
        state = summoned("titan e6", actions_left=1, foe=others)

        assert (state.to_move, view(state)["phase"]) == (CHANCE, "shuffle")
        state.apply_chance("shuffle legends 12")

        assert view(state)["hand"]["legends"] == ["titan"]
        assert view(state)["deck_sizes"]["legends"] == 0


class TestFlare:
    """9"""

    def test_criteria_are_differences(self) -> None:
        cards = {"cards": "flare_02"}

        assert "flare" not in legal(position("e5", "a5 a6 a7 b7", **cards))
        assert "flare" in legal(position("e5", "a5 a6 a7 b7 b6", **cards))
        assert "flare" in legal(position("e5l d5 c5 b5", "a5h a6h a7h b7h b6l", **cards))

    def test_only_the_half_that_holds_is_resolved(self) -> None:
        state = position("e5 e6 e7", "a5h a6h a7h", cards="flare_01")

        do(state, "flare", "place e8")

        assert shown(state)["e8"] == "0c"
        assert view(state)["phase"] == "main"
        assert view(state)["hand"]["flare"] is None
        assert view(state)["played"]["flares"] == ["flare_01"]
        assert view(state)["actions_left"] == 2

    def test_lower_half_follows_even_if_the_upper_changed_the_counts(self) -> None:
        state = position("", "a5h a6h a7h b7 b6 b5", cards="flare_01")

        do(state, "flare", "place e8")
        assert view(state)["step"] == 1
        do(state, "place e7")

        assert shown(state)["e8"] == "0c"
        assert shown(state)["e7"] == "0h"

    def test_after_the_last_action_a_flare_may_bring_another_one(self) -> None:
        state = position("", "a5h a6h b5h b6h", cards="flare_08", actions_left=1)

        do(state, "place e5")
        assert view(state)["phase"] == "turn_end"
        assert legal(state) == ["end", "flare"]
        do(state, "flare")

        assert view(state)["phase"] == "main"
        assert view(state)["actions_left"] == 1

    def test_opponent_scores_in_a_duel(self) -> None:
        state = position("", "a5h a6h b5h b6h", cards="flare_08", mode=DUEL)

        do(state, "flare")

        assert view(state)["scores"] == [0, 1]

    def test_flare_without_effect_may_be_invoked(self) -> None:
        state = position("", "a5h a6h", cards="flare_12")

        do(state, "flare")

        assert view(state)["phase"] == "main"
        assert view(state)["played"]["flares"] == ["flare_12"]

    def test_choice_between_two_things_lists_both(self) -> None:
        state = position("", "a5 a6 a7 b7 b6", cards="flare_04")

        do(state, "flare")

        assert legal(state, "convert") == [
            f"convert {there}" for there in ("a5", "a6", "a7", "b6", "b7")
        ]
        assert len(legal(state, "place")) == 64
        assert "pass" not in legal(state)

    def test_free_leap_is_asked_in_two_parts(self) -> None:
        state = position("e5 e6h", "a5 a6 a7 b7h b6h b5", cards="flare_06")

        do(state, "flare")
        assert legal(state) == ["pass", "pick e5"]
        do(state, "pick e5")

        assert "leap a5" in legal(state)
        assert not {"leap b7", "leap e6", "leap e5", "pass"} & set(legal(state))


def test_every_school_may_meet_every_other() -> None:
    for one in SCHOOLS:
        for other in SCHOOLS:
            if one != other:
                state = TASH_KALAR.start(options={"decks": [one, other]})
                assert state.observation(None)["options"] == {"mode": HIGH, "decks": [one, other]}


def test_both_imperial_players_have_the_same_cards() -> None:
    state = position(cards="bomb", foe="bomb", schools=("northern_imperial", "southern_imperial"))

    assert view(state)["hand"]["beings"] == view(state, 1)["hand"]["beings"] == ["bomb"]


def test_position_tells_no_event_that_both_seats_have_heard() -> None:
    rng, state = random.Random(4), dealt(HIGH, 4)
    while state.to_move is not None:
        if state.to_move == CHANCE:
            state.apply_chance(state.sample_chance(rng))
            continue
        state.apply_unchecked(state.random_action(rng))
        told = state.to_json()

        assert min(told["since"]) == 0
        for seat, since in enumerate(told["since"]):
            assert len(told["events"]) - since == len(state.observation(seat)["events"])
