"""Swiss rounds: no avoidable rematch, equal scores, byes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

import pytest

from pentathlon_engines.tournament.formats.interface import (
    Batch,
    FieldEntry,
    Over,
    Plan,
    PlayedBlock,
)
from pentathlon_engines.tournament.formats.swiss import Swiss, count_byes, round_scores
from tests.deep import mostly_deep
from tests.engines.tournament.formats.playing import (
    Event,
    Judge,
    all_void,
    by_chance,
    by_number,
    field_of,
    plan_of,
    play,
)

SWISS = Swiss()


def _rounds(event: Event) -> list[list[tuple[int, ...]]]:
    return [[block.seatings[0] for block in batch.blocks] for batch in event.batches]


def _all_pairings(bots: Sequence[int | None]) -> Iterator[tuple[tuple[int, int], ...]]:
    """Yield all ways to pair places of a row."""

    def pair(places: tuple[int, ...]) -> Iterator[tuple[tuple[int, int], ...]]:
        if not places:
            yield ()
            return
        one, *others = places
        for other in others:
            rest = tuple(place for place in others if place != other)
            for pairs in pair(rest):
                yield ((one, other), *pairs)

    return pair(tuple(range(len(bots))))


def _priorities(
    pairs: Sequence[tuple[int, int]],
    bots: Sequence[int | None],
    entries: Sequence[FieldEntry],
    played: Sequence[PlayedBlock],
) -> tuple[int, int, int, int]:
    """Judge a pairing as the documentation says, with no unit and no sum of costs in common."""
    met = Counter(tuple(sorted(block.seatings[0])) for block in played)
    scores, byes = round_scores(entries, played), count_byes(entries, played)
    rematches = authors = bye_score = apart = 0
    for places in pairs:
        seated = sorted(bot for place in places if (bot := bots[place]) is not None)
        if len(seated) == 1:
            rematches += byes[seated[0]]
            bye_score = scores[seated[0]]
            continue
        one, other = seated
        rematches += met[one, other]
        authors += entries[one].author == entries[other].author
        apart += (scores[one] - scores[other]) ** 2
    return rematches, authors, bye_score, apart


def _chosen(bots: Sequence[int | None], batch: Batch) -> set[frozenset[int | None]]:
    pairs: set[frozenset[int | None]] = {frozenset(block.seatings[0]) for block in batch.blocks}
    seated = {bot for pair in pairs for bot in pair}
    return pairs | {
        frozenset({bot, None}) for bot in bots if bot not in seated and bot is not None
    }


@pytest.mark.parametrize("entries", mostly_deep(range(2, 11), keep=[2, 3, 6, 7]))
@pytest.mark.parametrize("judge", [by_number, by_chance, all_void])
def test_every_round_is_the_best_of_all_pairings(entries: int, judge: Judge) -> None:
    field = field_of(entries, authors=max(2, entries - 2))
    plan = plan_of(SWISS, rounds=min(7, entries - 1 + entries % 2))

    event = play(SWISS, plan, field, judge)

    played: list[PlayedBlock] = []
    for batch in event.batches:
        bots, costs = SWISS.round_costs(plan, field, played)
        pairings = list(_all_pairings(bots))
        totals = sorted(
            (sum(costs[one][other] for one, other in pairs), pairs) for pairs in pairings
        )
        best = totals[0][1]
        assert len(totals) == 1 or totals[0][0] < totals[1][0]
        assert _chosen(bots, batch) == {frozenset(bots[place] for place in pair) for pair in best}
        wanted = min(_priorities(pairs, bots, field, played) for pairs in pairings)
        assert _priorities(best, bots, field, played) == wanted
        played = event.played[: len(played) + len(batch.blocks)]


@pytest.mark.parametrize(("entries", "rounds"), [(8, 5), (9, 9), (31, 9), (64, 9), (6, 5)])
def test_nobody_meets_twice_or_has_two_byes(entries: int, rounds: int) -> None:
    event = play(SWISS, plan_of(SWISS, rounds=rounds), field_of(entries), by_chance)

    assert max(Counter(event.groups).values()) == 1
    assert max(count_byes(field_of(entries), event.played).values(), default=0) <= 1
    assert len(event.batches) == rounds
    for pairs in _rounds(event):
        players = [bot for pair in pairs for bot in pair]
        assert len(players) == len(set(players)) == entries - entries % 2


def test_the_default_is_as_many_rounds_as_leave_one_unbeaten() -> None:
    for entries, rounds in [(2, 1), (3, 2), (8, 3), (9, 4), (200, 8)]:
        assert SWISS.rounds(plan_of(SWISS), entries) == rounds
    event = play(SWISS, plan_of(SWISS), field_of(16), by_number)
    scores = sorted(round_scores(field_of(16), event.played).values())
    assert scores[-1] == 4 * 4 > scores[-2]


def test_bots_of_one_author_meet_only_where_nothing_else_is_left() -> None:
    field = field_of(12, authors=6)

    event = play(SWISS, plan_of(SWISS, rounds=5), field, by_chance)

    assert all(field[a].author != field[b].author for a, b in event.groups)
    own = play(SWISS, plan_of(SWISS, rounds=3), field_of(4, authors=1), by_chance)
    assert len(own.played) == 6


def test_a_seeded_first_round_pairs_the_halves() -> None:
    field = [entry._replace(strength=float(entry.number)) for entry in field_of(7)]

    event = play(SWISS, plan_of(SWISS, seeded=True), field, by_chance)

    assert {frozenset(pair) for pair in _rounds(event)[0]} == {
        frozenset({6, 3}),
        frozenset({5, 2}),
        frozenset({4, 1}),
    }


def test_the_lowest_has_the_bye_and_its_points() -> None:
    event = play(SWISS, plan_of(SWISS, rounds=2), field_of(5), by_number)

    first = {bot for pair in _rounds(event)[0] for bot in pair}
    after_one = event.played[: len(event.batches[0].blocks)]
    scores = round_scores(field_of(5), after_one)
    (had_bye,) = set(range(5)) - first
    assert scores[had_bye] == 4
    second = {bot for pair in _rounds(event)[1] for bot in pair}
    (has_bye,) = set(range(5)) - second
    assert scores[has_bye] == 0


def test_it_goes_on_with_those_who_have_not_left() -> None:
    event = play(
        SWISS, plan_of(SWISS, rounds=5), field_of(8), by_chance, leavers={3: 1, 4: 1, 5: 3}
    )

    assert [len(pairs) for pairs in _rounds(event)] == [4, 3, 3, 2, 2]
    assert max(Counter(event.groups).values()) == 1


def test_it_ends_when_one_is_left() -> None:
    event = play(SWISS, plan_of(SWISS, rounds=3), field_of(4), leavers={0: 1, 1: 1, 2: 1})

    assert len(event.batches) == 1
    assert event.over == Over()


def test_too_many_rounds_are_named_with_the_largest_number() -> None:
    (problem,) = SWISS.problems(plan_of(SWISS, rounds=8), 8)

    assert problem.pointer == "/params/rounds"
    assert problem.allowed == {"minimum": 1, "maximum": 7}
    assert SWISS.problems(plan_of(SWISS, rounds=7), 8) == []
    assert SWISS.problems(plan_of(SWISS, rounds=7), 7) == []


def test_the_order_of_completion_decides_nothing() -> None:
    """As nothing is paired before a round is complete."""
    plan: Plan = plan_of(SWISS, rounds=3)
    event = play(SWISS, plan, field_of(6))

    partly = [block._replace(ranks=None) for block in event.played[:1]] + event.played[1:3]
    assert not isinstance(SWISS.next(plan, field_of(6), partly), Batch)
