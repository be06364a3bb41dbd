"""Bots of one author are kept apart where a tournament asks for it."""

from collections import Counter
from itertools import combinations
from random import Random

import pytest

from pentathlon_engines.tournament.checks import problems_of_start
from pentathlon_engines.tournament.document import Entrant, TournamentDocument
from pentathlon_engines.tournament.formats.bracket import bracket_of, separate_bracket
from pentathlon_engines.tournament.formats.interface import FieldEntry
from pentathlon_engines.tournament.formats.parameters import full_params
from pentathlon_engines.tournament.formats.registry import FORMATS
from tests.deep import mostly_deep
from tests.engines.tournament.formats.playing import by_number, field_of, plan_of, play


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
