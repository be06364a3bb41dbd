"""Round robin, tables and gauntlet: what is known from the start."""

from collections import Counter
from itertools import combinations, product
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pentathlon_engines.tournament.checks import problems_of_start
from pentathlon_engines.tournament.document import Entrant, TournamentDocument
from pentathlon_engines.tournament.formats.bracket import bracket_of, separate_bracket
from pentathlon_engines.tournament.formats.designs import choose_base_groups
from pentathlon_engines.tournament.formats.interface import FieldEntry, seatings_of
from pentathlon_engines.tournament.formats.parameters import full_params
from pentathlon_engines.tournament.formats.registry import FORMATS, newest_format
from pentathlon_engines.tournament.schedule import count_pair_rounds, pair_round
from tests.deep import mostly_deep
from tests.engines.tournament.formats.playing import (
    KEY,
    Event,
    all_drawn,
    by_number,
    field_of,
    plan_of,
    play,
)

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


@pytest.mark.parametrize("entries", mostly_deep(range(2, 40), keep=[2, 3, 4, 5, 8, 9, 17, 39]))
def test_bracket_of_different_authors_is_that_of_the_seeds(entries: int) -> None:
    seeds = list(range(entries))

    assert separate_bracket(seeds, str) == bracket_of(seeds)


@pytest.mark.parametrize("draw", mostly_deep(range(40), keep=range(12)))
def test_authors_and_byes_are_shared_out_over_all_parts_of_a_bracket(draw: int) -> None:
    rng = Random(draw)
    entries = rng.randint(2, 70)
    authors = [str(rng.randrange(rng.randint(1, entries))) for _ in range(entries)]

    bracket = separate_bracket(range(entries), authors.__getitem__)

    assert sorted(bot for bot in bracket if bot is not None) == list(range(entries))
    sides = [None if bot is None else authors[bot] for bot in bracket]
    whole = Counter(sides)
    length = len(bracket)
    while length > 1:
        parts = len(bracket) // length
        for first in range(0, len(bracket), length):
            of_part = Counter(sides[first : first + length])
            assert all(count <= -(-whole[side] // parts) for side, count in of_part.items())
        length //= 2


def test_tiers_of_seeds_stay_what_they_are() -> None:
    bracket = separate_bracket(range(16), lambda bot: str(bot % 3))

    pairs = [bracket[place : place + 2] for place in range(0, 16, 2)]
    assert [sum((bot or 0) >= 8 for bot in pair) for pair in pairs] == [1] * 8
    assert bracket[0] == 0
    assert 1 in bracket[8:]


def test_knockout_lets_two_of_one_author_meet_in_the_final_alone() -> None:
    knockout = FORMATS["knockout/1"]
    # By strength 0, 1, 2, …: seeds alone would let 0 meet 7 in round 1.
    field = [
        FieldEntry(bot, "ann" if bot in {0, 7} else str(bot), strength=-float(bot))
        for bot in range(8)
    ]

    usual = play(knockout, plan_of(knockout), field, by_number)
    apart = play(knockout, plan_of(knockout, same_author=False), field, by_number)

    def meets(blocks: list[tuple[int, ...]]) -> bool:
        return any(set(block) == {0, 7} for block in blocks)

    assert meets([block.seatings[0] for block in usual.played])
    assert not meets([block.seatings[0] for block in apart.played])


@pytest.mark.parametrize(("entries", "seats", "authors"), [(6, 3, 3), (20, 4, 7), (41, 5, 14)])
def test_nobody_shares_a_table_with_their_own(entries: int, seats: int, authors: int) -> None:
    tables = FORMATS["tables/2"]
    field = field_of(entries, authors=authors)
    plan = plan_of(tables, seats=seats, same_author=False)

    event = play(tables, plan, field, by_number)

    groups = [block.seatings[0] for block in event.played]
    owner = {entry.number: entry.author for entry in field}
    assert all(len({owner[bot] for bot in group}) == seats for group in groups)
    size = tables.size(plan, entries)
    assert size.fewest <= event.matches <= size.most
    blocks = Counter(bot for group in groups for bot in group)
    assert max(blocks.values()) - min(blocks[bot] for bot in range(entries)) <= 5
    met = Counter(pair for group in groups for pair in combinations(sorted(group), 2))
    others = [
        met[pair] for pair in combinations(range(entries), 2) if owner[pair[0]] != owner[pair[1]]
    ]
    assert sum(count > 0 for count in others) >= 0.9 * len(others)


def test_finals_take_the_best_bot_of_each_author() -> None:
    finals = FORMATS["finals/2"]
    field = [
        FieldEntry(bot, author, strength=float(strength))
        for bot, (author, strength) in enumerate(
            [("ann", 1), ("ann", 9), ("bob", 8), ("cid", 2), ("bob", 7)]
        )
    ]

    event = play(finals, plan_of(finals, same_author=False, blocks=20), field, by_number)

    assert {bot for block in event.played for bot in block.seatings[0]} == {1, 2, 3}


@pytest.mark.parametrize(
    ("scheduler", "seats", "authors", "codes"),
    [
        ("tables/2", 3, "aabbab", ["too_few_authors"]),
        ("tables/2", 3, "aabbcc", []),
        ("finals/2", 2, "aaa", ["too_few_authors"]),
        ("round_robin/2", 2, "aaa", ["too_few_authors"]),
        ("knockout/1", 2, "aaa", []),
    ],
)
def test_too_few_authors_are_a_problem_of_the_start(
    scheduler: str, seats: int, authors: str, codes: list[str]
) -> None:
    document = TournamentDocument(
        game="way_of_the_dragon",
        scheduler=scheduler,
        params=full_params(FORMATS[scheduler].parameters, {"same_author": False}),
        table_seats=seats,
        entries=tuple(
            Entrant(f"bot{number}", 1, f"sha256:{number}", author)
            for number, author in enumerate(authors)
        ),
    )

    assert [problem.code for problem in problems_of_start(document)] == codes
