"""Leaving: what the others get, by the law of the document, and never by the moment chosen."""

from collections import Counter
from collections.abc import Mapping, Sequence
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pentathlon_engines.tournament.batches import Note
from pentathlon_engines.tournament.departures import (
    Settlement,
    count_match,
    results_of_rounds,
    settle,
)
from pentathlon_engines.tournament.formats.estimates import estimate
from pentathlon_engines.tournament.formats.interface import (
    AS_PLAYED,
    CANCEL,
    FORFEIT,
    LAWS,
    FieldEntry,
    Format,
    Over,
    PlayedBlock,
)
from pentathlon_engines.tournament.formats.registry import FORMATS
from pentathlon_engines.tournament.proof_schedule import StatedMatch, find_wrong_result
from pentathlon_engines.tournament.tie_breaks import Counts, Results, order
from tests.engines.tournament.formats.playing import (
    Event,
    by_chance,
    by_number,
    field_of,
    plan_of,
    play,
)

ROUND_ROBIN = FORMATS["round_robin/2"]
GAUNTLET = FORMATS["gauntlet/1"]
SWISS = FORMATS["swiss/1"]


def _played(event: Event) -> Results:
    """Return what was played, counted match by match, forfeits left out."""
    against: dict[int, dict[int, Counts]] = {}
    wins: Counter[int] = Counter()
    for block in event.played:
        for leg, seating in enumerate(block.seatings):
            ranks = None if block.ranks is None else block.ranks[leg]
            if ranks is not None and block.is_played(leg):
                count_match(against, wins, seating, ranks)
    return Results(wins=wins, against=against, fit={})


def _table(
    scheduling: Format,
    event: Event,
    entries: Sequence[FieldEntry],
    *,
    law: str = "",
    **params: Any,
) -> tuple[Settlement, Results]:
    plan = plan_of(scheduling, **params)
    settled = settle(scheduling, plan, entries, event.played, law=law or scheduling.laws[0])
    return settled, settled.apply(_played(event))


def _points(results: Results, entries: int) -> list[float]:
    return [results.points(number) for number in range(entries)]


def test_every_format_has_a_law_and_an_order() -> None:
    for scheduling in FORMATS.values():
        assert set(scheduling.laws) <= set(LAWS)
        assert scheduling.laws
        assert all(name for name in scheduling.order(plan_of(scheduling)))


def test_early_leaver_of_a_round_robin_is_cancelled_for_everybody() -> None:
    """0 would win everything; after two rounds of five, half of its matches are not played."""
    field = field_of(6, gone=[0])
    event = play(ROUND_ROBIN, plan_of(ROUND_ROBIN), field_of(6), by_number, leavers={0: 2})

    settled, table = _table(ROUND_ROBIN, event, field)

    assert settled.cancelled == {0}
    # Everybody has played everybody else: 8, 6, 4, 2 and 0 points among 1 to 5.
    assert _points(table, 6) == [0, 8, 6, 4, 2, 0]
    assert [table.matches(number) for number in range(1, 6)] == [8] * 5


def test_wins_against_a_cancelled_bot_count_for_nobody() -> None:
    """5 would lose everything."""
    field = field_of(6, gone=[5])
    event = play(ROUND_ROBIN, plan_of(ROUND_ROBIN), field_of(6), by_number, leavers={5: 2})

    settled, table = _table(ROUND_ROBIN, event, field)

    assert settled.cancelled == {5}
    assert [table.wins[number] for number in range(5)] == [8, 6, 4, 2, 0]


def test_late_leaver_of_a_round_robin_loses_the_rest() -> None:
    field = field_of(6, gone=[0])
    event = play(ROUND_ROBIN, plan_of(ROUND_ROBIN), field_of(6), by_number, leavers={0: 3})

    settled, table = _table(ROUND_ROBIN, event, field)

    assert settled.cancelled == frozenset()
    forfeited = [number for number in range(1, 6) if settled.points(number)]
    assert len(forfeited) == 2
    assert all(settled.points(number) == 2 for number in forfeited)
    beaten = [number for number in range(1, 6) if number not in forfeited]
    assert all(table.scored(0, number) == 2 for number in beaten)
    assert [table.matches(number) for number in range(6)] == [10] * 6


def test_exactly_half_is_enough_for_results_to_stand() -> None:
    field = field_of(5, gone=[0])
    plan = plan_of(ROUND_ROBIN)
    event = play(ROUND_ROBIN, plan, field_of(5), by_number)
    theirs = [block for block in event.played if 0 in block.seatings[0]]

    half = settle(ROUND_ROBIN, plan, field, theirs[:2], law=CANCEL)
    less = settle(
        ROUND_ROBIN, plan, field, [theirs[0], theirs[1]._replace(forfeits=(1,))], law=CANCEL
    )

    assert half.cancelled == frozenset()
    assert less.cancelled == {0}


def test_where_both_have_left_nobody_gets_anything() -> None:
    field = field_of(4, gone=[0, 1])
    event = play(ROUND_ROBIN, plan_of(ROUND_ROBIN), field_of(4), leavers={0: 0, 1: 0})

    settled, _ = _table(ROUND_ROBIN, event, field, law=FORFEIT)

    assert settled.points(0) == settled.points(1) == 0
    assert settled.points(2) == settled.points(3) == 4


def test_by_the_law_as_played_nothing_is_added_or_taken() -> None:
    field = field_of(6, gone=[0])
    event = play(ROUND_ROBIN, plan_of(ROUND_ROBIN), field_of(6), by_number, leavers={0: 2})

    settled, table = _table(ROUND_ROBIN, event, field, law=AS_PLAYED)

    assert settled == Settlement()
    assert table == _played(event)


def test_entry_whose_place_was_taken_forfeits_what_it_had_begun_only() -> None:
    """Another version plays on in its place, so it is active again."""
    event = play(ROUND_ROBIN, plan_of(ROUND_ROBIN), field_of(4), by_number)
    first = next(block for block in event.played if 3 in block.seatings[0])
    mended = [
        block._replace(ranks=(block.ranks[0], (1, 1)), forfeits=(1,)) if block == first else block
        for block in event.played
        if block.ranks
    ]

    settled = settle(ROUND_ROBIN, plan_of(ROUND_ROBIN), field_of(4), mended, law=CANCEL)

    assert settled.cancelled == frozenset()
    assert settled.forfeits.keys() == {*first.seatings[0]}


def test_gauntlet_cancels_a_challenger_that_leaves_early() -> None:
    field = field_of(5, gone=[0])
    params: dict[str, Any] = {"challengers": 2}
    event = play(GAUNTLET, plan_of(GAUNTLET, **params), field_of(5), by_number, leavers={0: 1})

    settled, table = _table(GAUNTLET, event, field, **params)

    assert settled.cancelled == {0}
    assert _points(table, 5) == [0, 12, 0, 0, 0]


LEAVERS = st.dictionaries(st.integers(0, 6), st.integers(0, 6), max_size=4)


@given(leavers=LEAVERS, seed=st.integers(0, 2**32))
def test_order_of_entry_decides_no_place_in_a_round_robin(
    leavers: Mapping[int, int], seed: int
) -> None:
    """Whoever is renamed keeps its place."""
    field = field_of(7, gone=leavers)
    event = play(ROUND_ROBIN, plan_of(ROUND_ROBIN), field_of(7), by_chance, leavers=leavers)
    _, table = _table(ROUND_ROBIN, event, field)
    names = list(range(7))
    Random(seed).shuffle(names)
    renamed = Results(
        wins={names[number]: won for number, won in table.wins.items()},
        against={
            names[one]: {names[other]: counts for other, counts in met.items()}
            for one, met in table.against.items()
        },
        fit={},
    )
    staying = [number for number in range(7) if number not in leavers]
    by = ROUND_ROBIN.order(plan_of(ROUND_ROBIN))

    before = order([staying], by=by, results=table)
    after = order([sorted(names[number] for number in staying)], by=by, results=renamed)

    assert [{names[number] for number in place} for place in before] == [set(p) for p in after]


@given(leaver=st.integers(0, 6), after=st.integers(0, 6))
def test_leaving_gives_two_others_alike_except_for_what_was_played(
    leaver: int, after: int
) -> None:
    """Cancelled, nobody has anything from it; else each has what it scored, or a won block."""
    field = field_of(7, gone=[leaver])
    event = play(
        ROUND_ROBIN, plan_of(ROUND_ROBIN), field_of(7), by_chance, leavers={leaver: after}
    )
    settled, table = _table(ROUND_ROBIN, event, field)
    alone = _played(event)

    for number in set(range(7)) - {leaver}:
        others = sum(
            alone.scored(number, other) for other in range(7) if other not in (number, leaver)
        )
        from_leaver = table.points(number) - others
        if settled.cancelled:
            assert from_leaver == 0
        elif alone.against.get(number, {}).get(leaver):
            assert from_leaver == alone.scored(number, leaver)
        else:
            assert from_leaver == 2


QUITTERS = st.dictionaries(
    st.integers(0, 8), st.tuples(st.integers(0, 4), st.integers(0, 1)), max_size=5
)


@given(quitters=QUITTERS)
def test_innocent_opponent_of_a_leaver_has_what_a_bye_gives(
    quitters: Mapping[int, tuple[int, int]],
) -> None:
    event = play(SWISS, plan_of(SWISS, rounds=5), field_of(9), by_chance, quitters=quitters)
    results = results_of_rounds(field_of(9, gone=quitters), event.played, fit={})

    for number, rounds in results.rounds.items():
        for turn, each in enumerate(rounds):
            quit_now = quitters.get(each.opponent or 0, (-1, 0))[0] == turn
            quit_now = quit_now and each.opponent is not None
            if quit_now and quitters.get(number, (turn + 1, 0))[0] > turn:
                assert each.points == 2


def test_won_match_stands_and_the_missing_one_is_won() -> None:
    """0 has left after losing to 1; 3 has beaten 2 twice; 4 had the bye."""
    entries = field_of(5, gone=[0])
    played = [
        PlayedBlock(1, ((0, 1), (1, 0)), ((1, 0), (0, 1)), forfeits=(1,)),
        PlayedBlock(1, ((3, 2), (2, 3)), ((0, 1), (1, 0))),
    ]

    results = results_of_rounds(entries, played, fit={})

    assert _points(results, 5) == [0, 2, 0, 2, 2]
    assert results.wins[1] == 2


@pytest.mark.parametrize("after", [0, 1])
def test_what_the_leaver_had_won_stays_its_own(after: int) -> None:
    entries = field_of(2, gone=[0])
    legs = tuple(range(after, 2))
    ranks = tuple((0, 1) if leg < after else ((1, 0) if leg == 0 else (0, 1)) for leg in range(2))
    played = [PlayedBlock(1, ((0, 1), (1, 0)), ranks, forfeits=legs)]

    results = results_of_rounds(entries, played, fit={})

    assert _points(results, 2) == [after, 2]


def test_forfeits_say_nothing_about_strength() -> None:
    won = PlayedBlock(1, ((0, 1), (1, 0)), ((0, 1), (1, 0)))
    plan = plan_of(SWISS)

    forfeited = estimate(plan, [won, won._replace(seatings=((2, 0), (0, 2)), forfeits=(0, 1))])

    assert forfeited.mu == estimate(plan, [won], others=[2]).mu


def test_knockout_counts_no_forfeit_among_the_matches_of_the_way() -> None:
    """All is drawn in the final, and 3, the worse seed, has got there without a match."""
    knockout = FORMATS["knockout/1"]
    field = [entry._replace(strength=-float(entry.number)) for entry in field_of(4)]
    plan = plan_of(knockout, blocks=1, tie_blocks=0, third_place=False)
    played = [
        PlayedBlock(1, ((0, 3), (3, 0)), ((1, 0), (0, 1)), forfeits=(0, 1)),
        PlayedBlock(1, ((1, 2), (2, 1)), ((0, 1), (1, 0))),
        PlayedBlock(2, ((1, 3), (3, 1)), ((0, 0), (0, 0))),
    ]
    field[0] = field[0]._replace(is_active=False)

    assert knockout.next(plan, field, played) == Over(((3,), (1,), (0, 2)))


@pytest.mark.parametrize(
    ("result", "missed", "left", "is_right"),
    [
        (((1, 0), (0, 1)), (1,), (0,), False),
        (((1, 0), (1, 0)), (1,), (0,), False),
        (((0, 1), (1, 0)), (1,), (0,), False),
        (((0, 1), (0, 1)), (1,), (0,), True),
        (((0, 1), (0, 1)), (1,), (), False),
        (((0, 1), (0, 1)), (1,), (2,), False),
        (((0, 1), (0, 1)), (), (0,), False),
        (((0, 1), (0, 0)), (1,), (0,), False),
        (((0, 1), (1, 1)), (1,), (0,), False),
        (((0, 1), (1, 1)), (1,), (0, 5), True),
    ],
)
def test_proof_takes_forfeits_of_bots_that_had_left_only(
    result: tuple[tuple[int, int], ...],
    missed: tuple[int, ...],
    left: tuple[int, ...],
    *,
    is_right: bool,
) -> None:
    """5 meets 0 and wins; the second match was not played."""
    note = Note(left=left, results={1: result}, forfeits={1: missed})
    legs = {1: [StatedMatch(1, (5, 0), (0, 1)), StatedMatch(2, (5, 0), None)]}

    problem = find_wrong_result([note], legs, came_back=(), replayed=())

    assert (problem is None) is is_right
