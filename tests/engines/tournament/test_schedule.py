from collections import Counter
from itertools import combinations

from hypothesis import given
from hypothesis import strategies as st

from pentathlon_engines.seeds import block_seed, match_alias
from pentathlon_engines.tournament.schedule import Group, count_pair_rounds, pair_round

ENTRIES = st.integers(2, 40)
KEYS = st.binary(min_size=32, max_size=32)
KEY = bytes(range(32))


def rounds_of(entries: int, *, cycles: int = 1, key: bytes = KEY) -> list[list[Group]]:
    return [
        pair_round(entries, number, key) for number in range(count_pair_rounds(entries, cycles))
    ]


@given(entries=ENTRIES, cycles=st.integers(1, 3), key=KEYS)
def test_every_pair_meets_equally_often(entries: int, cycles: int, key: bytes) -> None:
    meetings = Counter(
        tuple(sorted(group))
        for groups in rounds_of(entries, cycles=cycles, key=key)
        for group in groups
    )

    assert meetings == Counter(dict.fromkeys(combinations(range(entries), 2), cycles))


@given(entries=ENTRIES, key=KEYS)
def test_nobody_plays_two_opponents_in_one_round(entries: int, key: bytes) -> None:
    for groups in rounds_of(entries, key=key):
        players = [entry for group in groups for entry in group]
        assert len(players) == len(set(players)) == entries - entries % 2


def test_another_key_gives_another_order() -> None:
    assert rounds_of(8) == rounds_of(8)
    assert rounds_of(8) != rounds_of(8, key=bytes(32))


def test_schedule_is_this_one_for_ever() -> None:
    """A change here breaks every published document: raise the scheduler's version instead."""
    assert rounds_of(3) == [[(2, 1)], [(2, 0)], [(0, 1)]]
    assert [block_seed(KEY, block) for block in (1, 2, 3)] == [
        7536490623602075,
        1309402908700364,
        6682149322399979,
    ]
    assert [match_alias(KEY, match) for match in (1, 2)] == [
        "5148891b0c14c7204479824b8b20d2a5",
        "e06e87105e02616711bb11d5cb580788",
    ]


def test_seeds_and_aliases_never_repeat() -> None:
    seeds = {block_seed(KEY, block) for block in range(1, 400)}
    aliases = {match_alias(KEY, match) for match in range(1, 400)}

    assert len(seeds) == len(aliases) == 399
    assert all(0 <= seed < 2**53 for seed in seeds)
    assert all(len(bytes.fromhex(alias)) == 16 for alias in aliases)
