"""Round robin, tables and gauntlet: what is known from the start."""

from __future__ import annotations

from collections import Counter
from itertools import combinations, product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pentathlon_engines.tournament.formats.blocks import seatings_of
from pentathlon_engines.tournament.formats.designs import choose_base_groups
from pentathlon_engines.tournament.formats.registry import FORMATS, newest_format
from pentathlon_engines.tournament.schedule import count_pair_rounds, pair_round
from tests.engines.tournament.formats.playing import KEY, Event, all_drawn, field_of, plan_of, play

ROUND_ROBIN = FORMATS["round_robin/2"]
TABLES = FORMATS["tables/2"]
GAUNTLET = FORMATS["gauntlet/1"]


def _meetings(event: Event, entries: int) -> Counter[tuple[int, ...]]:
    counts: Counter[tuple[int, ...]] = Counter(dict.fromkeys(combinations(range(entries), 2), 0))
    for group in event.groups:
        counts.update(combinations(group, 2))
    return counts


@pytest.mark.parametrize(("entries", "cycles"), [(2, 1), (9, 3)])
def test_round_robin_plays_each_pair_of_its_rounds_in_both_orders(
    entries: int, cycles: int
) -> None:
    plan = plan_of(ROUND_ROBIN, cycles=cycles)

    event = play(ROUND_ROBIN, plan, field_of(entries), all_drawn)

    assert [(block.round, block.seatings) for block in event.played] == [
        (1 + number, (group, group[::-1]))
        for number in range(count_pair_rounds(entries, cycles))
        for group in pair_round(entries, number, KEY)
    ]


def test_a_round_robin_of_300_bots_comes_round_by_round() -> None:
    plan = plan_of(ROUND_ROBIN)
    entries = field_of(300)

    event = play(ROUND_ROBIN, plan, entries, all_drawn)

    assert len(event.batches) == 299
    assert {len(batch.blocks) for batch in event.batches} == {150}
    assert set(_meetings(event, 300).values()) == {1}


def test_bots_of_one_author_stay_apart_where_the_plan_says_so() -> None:
    entries = field_of(8, authors=4)

    for format_ in (ROUND_ROBIN, GAUNTLET):
        event = play(format_, plan_of(format_, same_author=False), entries, all_drawn)
        assert all(entries[a].author != entries[b].author for a, b in event.groups)
    event = play(ROUND_ROBIN, plan_of(ROUND_ROBIN, same_author=False), entries, all_drawn)
    assert len(event.played) == 28 - 4


def test_a_round_robin_goes_on_after_somebody_has_left() -> None:
    event = play(ROUND_ROBIN, plan_of(ROUND_ROBIN), field_of(6), all_drawn, leavers={2: 2, 4: 3})

    counts = Counter(event.groups)
    assert set(counts.values()) == {1}
    assert set(combinations((0, 1, 3, 5), 2)) <= set(counts)


def test_larger_tables_are_the_format_tables() -> None:
    problems = ROUND_ROBIN.problems(plan_of(ROUND_ROBIN, seats=3), 6)

    assert [problem.pointer for problem in problems] == ["/table_seats"]
    assert "tables" in problems[0].sentence
    assert newest_format("round_robin", seats=3) == "tables/2"
    assert newest_format("round_robin") == "round_robin/2"
    assert newest_format("chess boxing") == "chess boxing"


@pytest.mark.parametrize("seats", [3, 4, 5])
def test_all_pairs_meet_equally_often_but_for_one_block(seats: int, deep: bool) -> None:
    """As designs depend on numbers alone, this holds for every key."""
    for entries in range(max(6, seats), 41 if deep else 25):
        event = play(TABLES, plan_of(TABLES, seats=seats), field_of(entries), all_drawn)
        meetings = _meetings(event, entries).values()
        assert min(meetings) >= 1, (entries, seats)
        assert max(meetings) - min(meetings) <= 1, (entries, seats)


@given(
    table=st.integers(3, 5).flatmap(lambda k: st.tuples(st.just(k), st.integers(k, 30))),
    cycles=st.integers(1, 3),
    key=st.binary(min_size=32, max_size=32),
)
def test_everybody_has_every_seat_equally_often(
    table: tuple[int, int], cycles: int, key: bytes
) -> None:
    seats, entries = table
    plan = plan_of(TABLES, seats=seats, key=key, cycles=cycles)

    event = play(TABLES, plan, field_of(entries), all_drawn)

    places = Counter(
        (entry, seat)
        for block in event.played
        for seating in block.seatings
        for seat, entry in enumerate(seating)
    )
    assert len(places) == entries * seats
    assert len(set(places.values())) == 1
    meetings = _meetings(event, entries).values()
    assert max(meetings) - min(meetings) <= 1


@pytest.mark.parametrize("seats", [2, 3, 4, 5])
def test_who_acts_after_whom_is_balanced_in_a_block(seats: int) -> None:
    followers = Counter(
        (seating[seat], seating[(seat + 1) % seats])
        for seating in seatings_of(tuple(range(seats)))
        for seat in range(seats)
    )

    assert all(followers[a, b] == followers[b, a] for a, b in followers)
    assert len(set(followers.values())) == 1


def test_two_hundred_bots_at_five_seats_all_meet() -> None:
    groups = choose_base_groups(200, 5, 1)

    distances = Counter(
        min((a - b) % 200, (b - a) % 200) for group in groups for a, b in combinations(group, 2)
    )
    assert set(distances) == set(range(1, 101))
    assert len(groups) <= 13


def test_tables_of_a_large_field_come_in_parts_of_a_round() -> None:
    plan = plan_of(TABLES, seats=5)

    event = play(TABLES, plan, field_of(150), all_drawn)

    assert max(len(batch.blocks) for batch in event.batches) == 100
    assert event.matches == TABLES.size(plan, 150).most


@pytest.mark.parametrize(("challengers", "entries"), [(1, 2), (1, 7), (3, 8), (5, 7), ([2, 4], 6)])
def test_challengers_meet_all_others_and_nobody_else(
    challengers: int | list[int], entries: int
) -> None:
    plan = plan_of(GAUNTLET, challengers=challengers, blocks=3)

    event = play(GAUNTLET, plan, field_of(entries), all_drawn)

    named = set(range(challengers)) if isinstance(challengers, int) else set(challengers)
    others = set(range(entries)) - named
    expected = {tuple(sorted(pair)): 3 for pair in product(named, others)}
    assert Counter(event.groups) == expected
    for batch in event.batches:
        players = [entry for block in batch.blocks for entry in block.seatings[0]]
        assert len(players) == len(set(players))


@pytest.mark.parametrize("challengers", [0, 4, [0, 1, 2, 3], [4], [1, 1], [], "all", True])
def test_impossible_challengers_are_named(challengers: object) -> None:
    problems = GAUNTLET.problems(plan_of(GAUNTLET, challengers=challengers), 4)

    assert [problem.pointer for problem in problems] == ["/params/challengers"]


@pytest.mark.parametrize("name", ["swiss/1", "round_robin/2", "gauntlet/1"])
def test_points_go_first_and_the_fit_last(name: str) -> None:
    by = FORMATS[name].order(plan_of(FORMATS[name]))

    assert (by[0], by[-1]) == ("points", "fit")


def test_gauntlet_among_strangers_only_is_ordered_by_points_per_match() -> None:
    """Challengers differ in matches there, as everybody does in such a round robin."""
    orders = {each.order(plan_of(each, same_author=False))[0] for each in (ROUND_ROBIN, GAUNTLET)}

    assert orders == {"points_per_match"}
