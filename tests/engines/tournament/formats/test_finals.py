"""The search for the best of a few."""

import math
from collections import Counter
from itertools import combinations

from pentathlon_engines.seeds import draw
from pentathlon_engines.strength.best import chances_of_best
from pentathlon_engines.tournament.formats.estimates import estimate
from pentathlon_engines.tournament.formats.finals import Finals
from pentathlon_engines.tournament.formats.interface import PlannedBlock, PlayedBlock
from pentathlon_engines.tournament.formats.registry import FORMATS, newest_format
from tests.engines.tournament.formats.playing import (
    KEY,
    Judge,
    Ranks,
    all_drawn,
    by_number,
    field_of,
    plan_of,
    play,
)

FINALS = Finals()


def _by_strength(*strengths: float) -> Judge:
    """Results of bots of known strengths, in units of a match's noise."""

    def judge(place: int, block: PlannedBlock) -> Ranks:
        ranks = []
        for leg, (first, second) in enumerate(block.seatings):
            lead = strengths[first] - strengths[second]
            chance = 1 / (1 + math.exp(-1.7 * lead))
            is_first = draw(KEY, "strength", place, leg) / 2**53 < chance
            ranks.append((0, 1) if is_first else (1, 0))
        return tuple(ranks)

    return judge


def test_it_starts_with_a_round_robin_of_the_best_eight() -> None:
    field = [entry._replace(strength=float(entry.number)) for entry in field_of(12)]

    event = play(FINALS, plan_of(FINALS, cycles=2), field, by_number)

    first = Counter(tuple(sorted(block.seatings[0])) for block in event.batches[0].blocks)
    assert first == Counter(dict.fromkeys(combinations(range(4, 12), 2), 2))
    assert max(block.round for block in event.batches[0].blocks) == 14


def test_a_clear_best_ends_it_soon() -> None:
    event = play(FINALS, plan_of(FINALS), field_of(8), _by_strength(3, 0, 0, 0, 0, 0, 0, 0))

    assert event.over.places is not None
    assert event.over.places[0] == (0,)
    assert "probability" in event.over.remark
    assert event.matches < 150


def test_close_rivals_meet_most() -> None:
    judge = _by_strength(1.6, 1.3, 0, 0, 0, 0, -1, -1)

    event = play(FINALS, plan_of(FINALS, blocks=120), field_of(8), judge)

    after = Counter(
        bot for batch in event.batches[1:] for block in batch.blocks for bot in block.seatings[0]
    )
    assert {bot for bot, _ in after.most_common(2)} == {0, 1}
    assert all(len(batch.blocks) <= 4 for batch in event.batches[1:])


def test_equals_share_the_first_place_when_the_budget_is_used_up() -> None:
    event = play(FINALS, plan_of(FINALS, blocks=40), field_of(5), all_drawn)

    assert event.over.places == ((0, 1, 2, 3, 4),)
    assert event.over.remark == "the budget is used up"
    assert len(event.played) == 40


def test_who_leaves_is_last_and_meets_nobody() -> None:
    judge = _by_strength(1, 0.8, 0.6, 0.4, 0.2, 0)

    event = play(FINALS, plan_of(FINALS, blocks=60), field_of(6), judge, leavers={0: 2, 5: 0})

    assert event.over.places is not None
    assert event.over.places[-1] == (0, 5)
    assert all(0 not in b.seatings[0] for batch in event.batches[2:] for b in batch.blocks)


def test_the_last_finalist_wins() -> None:
    event = play(FINALS, plan_of(FINALS), field_of(3), all_drawn, leavers={0: 1, 1: 1})

    assert event.over.places == ((2,), (0, 1))


def test_the_estimate_reads_blocks_that_count() -> None:
    event = play(FINALS, plan_of(FINALS), field_of(4), by_number)
    void = event.played[0]._replace(ranks=(None, (0, 1)))

    strengths = estimate(plan_of(FINALS), [void, *event.played[1:]])

    assert strengths.matches == event.matches - 2


def test_a_budget_below_the_round_robin_is_named() -> None:
    (problem,) = FINALS.problems(plan_of(FINALS, blocks=20), 8)

    assert problem.pointer == "/params/blocks"
    assert problem.allowed == {"minimum": 32}


def test_exact_repeats_say_nothing_new() -> None:
    plan = plan_of(FINALS)
    seatings = ((0, 1), (1, 0))
    # The lower number wins, whichever seat it has.
    once = [PlayedBlock(1, seatings, ((0, 1), (1, 0)))]
    again = PlayedBlock(2, seatings, ((0, 1), (1, 0)), repeats=(0, 1))

    told = estimate(plan, once)
    repeated = estimate(plan, [*once, *[again] * 50])
    counted = estimate(plan, [*once, *[again._replace(repeats=())] * 50])

    assert chances_of_best(repeated).chances == chances_of_best(told).chances
    assert max(chances_of_best(counted).chances) > max(chances_of_best(told).chances)


def test_finals_1_stay_as_they_were() -> None:
    assert FORMATS["finals/1"].reads_repeats is False
    assert newest_format("finals") == "finals/2"
