"""Tash-Kalar: scores and the end (10 and 12 of the rules)."""

from typing import Any

import pytest

from tests.engines.tash_kalar.oracle.cards import RANKS, cards_of
from tests.engines.tash_kalar.positions import (
    DUEL,
    do,
    end_turn,
    pattern,
    position,
    ready,
    summoned,
    view,
)


def counted(victims: str) -> dict[str, Any]:
    """Return counters of a turn in which these were destroyed."""
    return {"destroyed": {rank: victims.count(rank[0]) for rank in RANKS}, "summoned": []}


class TestScores:
    """10"""

    @pytest.mark.parametrize(
        ("victims", "points"),
        [
            ("", 0),
            ("c", 0),
            ("cc", 1),
            ("ccc", 1),
            ("cccc", 2),
            ("h", 1),
            ("l", 2),
            ("ccchhll", 7),
        ],
    )
    def test_duel_scores_what_a_turn_destroyed(self, victims: str, points: int) -> None:
        state = position(mode=DUEL, actions_left=1, counters=counted(victims))

        end_turn(state)

        assert view(state)["scores"] == [points, 0]

    def test_unpaired_common_is_not_carried_over(self) -> None:
        state = position("d4 f4", "e5", cards="wild_eagle", mode=DUEL, counters=counted("c"))

        end_turn(end_turn(state))
        assert state.to_move == 0
        do(state, "summon wild_eagle e5", "pass")
        end_turn(state)

        assert view(state)["scores"] == [0, 0]

    def test_duel_scores_a_summoned_legend_at_once(self) -> None:
        assert view(summoned("titan e6", mode=DUEL))["scores"] == [1, 0]

    def test_high_form_counts_legendary_pieces_on_the_board(self) -> None:
        state = position("e5l e6l", "a5l")

        assert view(state)["scores"] == [2, 1]

    def test_flare_user_can_bring_the_opponent_to_the_end(self) -> None:
        enemies = "a5h a6h b5h b6h"
        state = position("", enemies, cards="flare_08", mode=DUEL, scores=[0, 17])

        end_turn(do(state, "flare"))

        assert view(state)["end"] == {"seat": 0, "reason": "points", "turns_left": 2}


def nearly_out(left: int, **more: Any) -> dict[str, Any]:
    """Return a hand of two beings and piles such that the deck of seat 0 has so many cards."""
    rest = cards_of("highland")[2:]
    return {
        "cards": " ".join(cards_of("highland")[:2]),
        "discards": [sorted(rest[left:]), []],
        "actions_left": 1,
    } | more


class TestEnd:
    """12"""

    def test_empty_deck_leaves_two_more_turns(self) -> None:
        state = position(**nearly_out(1))

        end_turn(state)
        assert view(state)["end"] == {"seat": 0, "reason": "deck", "turns_left": 2}
        assert state.to_move == 1
        end_turn(state)
        assert view(state)["end"] == {"seat": 0, "reason": "deck", "turns_left": 1}
        assert state.to_move == 0
        end_turn(state)

        assert view(state)["to_move"] is None
        assert view(state)["phase"] == "over"
        assert view(state)["result"]["reason"] == "deck"

    def test_a_last_card_in_the_deck_ends_nothing(self) -> None:
        state = end_turn(position(**nearly_out(2)))

        assert view(state)["end"] is None

    def test_both_triggers_at_once_are_named_points(self) -> None:
        state = end_turn(position(**nearly_out(1), mode=DUEL, scores=[18, 0]))

        assert view(state)["end"] == {"seat": 0, "reason": "points", "turns_left": 2}

    def test_points_of_the_opponent_trigger_too(self) -> None:
        state = end_turn(position(mode=DUEL, scores=[0, 18]))

        assert view(state)["end"] == {"seat": 0, "reason": "points", "turns_left": 2}

    def test_seventeen_points_end_nothing(self) -> None:
        state = end_turn(position(mode=DUEL, scores=[17, 17]))

        assert view(state)["end"] is None

    def test_later_triggers_change_nothing(self) -> None:
        end = {"seat": 1, "reason": "deck", "turns_left": 2}
        state = end_turn(position(mode=DUEL, scores=[18, 0], end=end))

        assert view(state)["end"] == end | {"turns_left": 1}

    def test_high_form_score_may_drop_again_and_the_game_still_ends(self) -> None:
        """Eight points of tasks and a legendary piece, which the opponent then destroys."""
        claimed = ["task_color_conquest", "task_side_chain", "task_line_dominance"]
        others = ["task_destruction", "task_isolation", "task_red_legends"]
        tasks = {"current": others, "next": "task_imprisonment", "claimed": [claimed, []]}
        state = position(
            "e5l",
            pattern("champion d6"),
            foe="champion",
            schools=("highland", "northern_imperial"),
            scores=[9, 0],
            tasks=tasks | {"under": []},
        )

        end_turn(state)
        assert view(state)["end"] == {"seat": 0, "reason": "points", "turns_left": 2}
        do(state, "summon champion d6", "destroy e5")
        assert view(state)["scores"] == [8, 0]
        end_turn(end_turn(state))

        result = view(state)["result"]
        assert result == {"ranks": [0, 1], "reason": "points", "scores": [8, 0]}

    @pytest.mark.parametrize(
        ("own", "enemy", "scores", "ranks"),
        [
            ("e5", "a5 a6l", [1, 0], [0, 1]),
            ("e5", "a5 a6h", [0, 0], [1, 0]),
            ("e5h e6", "a5l", [0, 0], [0, 1]),
            ("", "a5", [0, 0], [0, 0]),
        ],
    )
    def test_ties_are_broken_by_upgraded_pieces_then_by_all(
        self, own: str, enemy: str, scores: list[int], ranks: list[int]
    ) -> None:
        end = {"seat": 0, "reason": "deck", "turns_left": 1}
        state = position(own, enemy, mode=DUEL, scores=scores, end=end, actions_left=1)

        end_turn(state)

        assert view(state)["result"] == {"ranks": ranks, "reason": "deck", "scores": scores}

    def test_match_ends_after_two_hundred_turns(self) -> None:
        state = end_turn(position(turn=200, actions_left=1))

        assert view(state)["result"]["reason"] == "cap"


class TestExtraTurn:
    """8.7, 12.2"""

    def test_it_is_a_complete_turn_right_after(self) -> None:
        state = summoned("time_elemental e6")

        end_turn(state)

        assert state.to_move == 0
        assert view(state)["actions_left"] == 2
        assert view(state)["counters"]["summoned"] == []
        end_turn(state)
        assert state.to_move == 1

    def test_one_of_the_turn_that_triggers_comes_before_the_final_turns(self) -> None:
        state = ready("time_elemental e6", **nearly_out(1, actions_left=2))
        do(state, "summon time_elemental e6")

        end_turn(state)
        assert view(state)["end"] == {"seat": 0, "reason": "deck", "turns_left": 2}
        assert state.to_move == 0
        end_turn(state)
        assert (state.to_move, view(state)["end"]["turns_left"]) == (1, 2)
        end_turn(state)
        assert (state.to_move, view(state)["end"]["turns_left"]) == (0, 1)
        end_turn(state)
        assert view(state)["to_move"] is None

    @pytest.mark.parametrize(("trigger", "left", "after"), [(1, 2, 1), (0, 1, 0)])
    def test_one_of_a_final_turn_does_not_use_up_another(
        self, trigger: int, left: int, after: int
    ) -> None:
        end = {"seat": trigger, "reason": "deck", "turns_left": left}
        state = summoned("time_elemental e6", end=end, mode=DUEL)

        end_turn(state)
        assert (state.to_move, view(state)["end"]["turns_left"]) == (0, after)
        end_turn(state)

        assert state.to_move == (1 if after else None)
