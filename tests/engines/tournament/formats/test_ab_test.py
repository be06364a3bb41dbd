"""The sequential test between two versions."""

from collections import Counter

import pytest

from pentathlon_engines.strength.sprt import SprtDecision
from pentathlon_engines.tournament.formats.ab_test import AbTest
from pentathlon_engines.tournament.formats.interface import PlannedBlock, PlayedBlock
from tests.engines.tournament.formats.playing import (
    Ranks,
    all_drawn,
    all_void,
    by_chance,
    by_number,
    field_of,
    plan_of,
    play,
)

AB_TEST = AbTest()


def _the_base_wins(place: int, block: PlannedBlock) -> Ranks:
    return tuple(tuple(int(bot != 1) for bot in seating) for seating in block.seatings)


def test_a_candidate_that_always_wins_is_accepted_soon() -> None:
    event = play(AB_TEST, plan_of(AB_TEST), field_of(2), by_number)

    assert [len(batch.blocks) for batch in event.batches] == [20, 4, 4]
    assert event.over.remark == "accepted"
    assert event.over.places == ((0,), (1,))


def test_a_candidate_that_always_loses_is_rejected() -> None:
    event = play(AB_TEST, plan_of(AB_TEST), field_of(2), _the_base_wins)

    assert len(event.played) == 32
    assert event.over.remark == "rejected"
    assert event.over.places == ((0, 1),)


def test_looks_come_every_four_blocks() -> None:
    event = play(AB_TEST, plan_of(AB_TEST), field_of(2), by_chance)

    sizes = [len(batch.blocks) for batch in event.batches]
    assert sizes[0] == 20
    assert set(sizes[1:]) == {4}
    assert [block.round for block in event.played] == [
        number for number, size in enumerate(sizes, start=1) for _ in range(size)
    ]


def test_equals_that_draw_are_rejected_and_void_blocks_say_nothing() -> None:
    drawn = play(AB_TEST, plan_of(AB_TEST), field_of(2), all_drawn)
    void = play(AB_TEST, plan_of(AB_TEST), field_of(2), all_void)

    assert drawn.over.remark == "rejected"
    assert void.over.remark == "undecided"
    assert void.matches == 2_080


def test_double_faults_are_losses_of_the_candidate() -> None:
    def judge(place: int, block: PlannedBlock) -> Ranks:
        return ((1, 1), (1, 1))

    event = play(AB_TEST, plan_of(AB_TEST), field_of(2), judge)

    assert event.over.remark == "rejected"
    counts = AB_TEST.read(plan_of(AB_TEST), field_of(2), event.played).counts
    assert counts == (len(event.played), 0, 0, 0, 0)


def test_a_void_block_moves_the_look_not_the_rhythm() -> None:
    def judge(place: int, block: PlannedBlock) -> Ranks:
        return all_void(place, block) if place in {3, 22} else by_chance(place, block)

    event = play(AB_TEST, plan_of(AB_TEST), field_of(2), judge)

    assert [len(batch.blocks) for batch in event.batches][:3] == [20, 1, 4]
    # Block 22 was void, too: the look after 24 blocks that count needs one more.
    assert [len(batch.blocks) for batch in event.batches][3] == 1


def test_the_counts_are_pentanomial() -> None:
    event = play(AB_TEST, plan_of(AB_TEST), field_of(2), by_chance)

    reading = AB_TEST.read(plan_of(AB_TEST), field_of(2), event.played)

    assert len(reading.counts) == 5
    assert sum(reading.counts) == len(event.played)
    assert reading.decision != SprtDecision.UNDECIDED or event.matches == 2_080


@pytest.mark.parametrize("seats", [3, 4, 5])
def test_both_take_every_chair_against_the_same_others(seats: int) -> None:
    event = play(AB_TEST, plan_of(AB_TEST, seats=seats), field_of(9), by_number)

    for block in event.played:
        assert len(block.seatings) == 2 * seats
        for chair in range(seats):
            mine, theirs = block.seatings[2 * chair : 2 * chair + 2]
            assert (mine[chair], theirs[chair]) == (0, 1)
            assert mine[:chair] + mine[chair + 1 :] == theirs[:chair] + theirs[chair + 1 :]
    company = Counter(bot for block in event.played for bot in block.seatings[0][1:])
    assert set(company) == set(range(2, 9))
    assert event.over.places == ((0, 1), tuple(range(2, 9)))


def test_at_a_larger_table_the_better_rank_counts() -> None:
    def judge(place: int, block: PlannedBlock) -> Ranks:
        return tuple(
            tuple(0 if bot == 0 else 2 if bot == 1 else 1 for bot in seating)
            for seating in block.seatings
        )

    event = play(AB_TEST, plan_of(AB_TEST, seats=3), field_of(5), judge)

    reading = AB_TEST.read(plan_of(AB_TEST, seats=3), field_of(5), event.played)
    assert reading.counts == (0, 0, 0, 0, 0, 0, 28)
    assert event.over.remark == "accepted"


def test_double_fault_is_a_defeat_of_the_candidate_and_no_draw() -> None:
    plan, field = plan_of(AB_TEST), field_of(2)

    def counts(ranks: tuple[int, int]) -> tuple[int, ...]:
        return AB_TEST.read(plan, field, [PlayedBlock(1, ((0, 1), (1, 0)), (ranks, ranks))]).counts

    assert counts((1, 1)) == (1, 0, 0, 0, 0)
    assert counts((0, 0)) == (0, 0, 1, 0, 0)


def test_block_that_a_bot_has_left_counts_for_nothing() -> None:
    left = PlayedBlock(1, ((0, 1), (1, 0)), ((0, 1), (1, 0)), forfeits=(1,))

    assert sum(AB_TEST.read(plan_of(AB_TEST), field_of(2), [left]).counts) == 0


def test_it_ends_undecided_when_one_of_the_two_leaves() -> None:
    event = play(AB_TEST, plan_of(AB_TEST), field_of(2), by_chance, leavers={1: 1})

    assert len(event.batches) == 1
    assert event.over.remark == "undecided"


def test_impossible_tests_are_named() -> None:
    def pointers(entries: int, seats: int = 2, **params: float) -> list[str]:
        plan = plan_of(AB_TEST, seats=seats)
        plan.params.update(params)  # type: ignore[attr-defined]  # a dict here
        return [problem.pointer for problem in AB_TEST.problems(plan, entries)]

    assert pointers(2) == []
    assert pointers(3) == ["/entries"]
    assert pointers(3, seats=3) == ["/entries"]
    assert pointers(2, null=0.6) == ["/params/alternative"]
    assert pointers(2, alpha=0) == ["/params/alpha"]
    assert pointers(6, seats=5, matches=100) == ["/params/matches"]
