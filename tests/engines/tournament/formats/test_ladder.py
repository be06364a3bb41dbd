"""Who meets on a ladder, and who is in which division."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pentathlon_engines.tournament.formats.divisions import (
    MOST_BOTS,
    add_newcomer,
    close_season,
    count_divisions,
    cut_field,
)
from pentathlon_engines.tournament.formats.ladder import (
    LadderBlock,
    LadderEntry,
    pair_ladder,
)
from pentathlon_engines.tournament.seeds import draw, shuffled
from tests.engines.tournament.formats.playing import KEY

SETTLED = 1.0
NEW = 25 / 3
SHARE = Fraction(2, 5)


def _ladder(
    count: int, *, authors: int | None = None, sigma: float = SETTLED
) -> list[LadderEntry]:
    return [
        LadderEntry(number, f"author {number % (authors or count)}", 20.0 + number / 4, sigma)
        for number in range(count)
    ]


class _Season:
    """A ladder that is asked for blocks again and again; what is made is played at once."""

    def __init__(self, entries: Sequence[LadderEntry], *, seats: int = 2) -> None:
        self.entries = entries
        self.seats = seats
        self.meetings: Counter[tuple[int, ...]] = Counter()
        self.blocks_of: Counter[int] = Counter()
        self.blocks: list[LadderBlock] = []

    def ask(self, wanted: int, *, most_open: int = 4) -> list[LadderBlock]:
        blocks = pair_ladder(
            self.entries,
            seats=self.seats,
            meetings=self.meetings,
            wanted=wanted,
            most_open=most_open,
            made=len(self.blocks),
            key=KEY,
        )
        for block in blocks:
            group = tuple(sorted(block.seatings[0]))
            self.meetings.update(combinations(group, 2))
            self.blocks_of.update(group)
        self.blocks += blocks
        return blocks

    def largest_share(self) -> Fraction:
        return max(
            Fraction(count, self.blocks_of[bot])
            for pair, count in self.meetings.items()
            for bot in pair
        )


@pytest.mark.parametrize(("bots", "authors", "seats"), [(12, 5, 2), (20, 2, 2), (16, 6, 4)])
def test_bots_of_one_author_never_meet(bots: int, authors: int, seats: int) -> None:
    season = _Season(_ladder(bots, authors=authors), seats=seats)

    for _ in range(20):
        season.ask(6)

    assert len(season.blocks) == 120
    for block in season.blocks:
        group = block.seatings[0]
        assert len({season.entries[bot].author for bot in group}) == len(group) == seats


@pytest.mark.parametrize("bots", [5, 8, 30])
def test_one_opponent_has_at_most_two_fifths(bots: int) -> None:
    season = _Season(_ladder(bots))

    for number in range(150):
        season.ask(1 + number % 3)
        if min(season.blocks_of[bot] for bot in range(bots)) >= 3:
            assert season.largest_share() <= SHARE

    assert min(season.blocks_of.values()) >= 10


def test_small_fields_share_as_evenly_as_they_can() -> None:
    shares = {}
    for bots in (2, 3, 4):
        season = _Season(_ladder(bots))
        for _ in range(60):
            season.ask(1)
        shares[bots] = season.largest_share()

    assert shares[2] == 1
    assert shares[3] <= Fraction(26, 50)
    assert shares[4] <= SHARE


def test_every_other_block_fills_the_fewest_meetings() -> None:
    season = _Season(_ladder(10))

    for _ in range(120):
        season.ask(1)

    assert [block.is_fill for block in season.blocks] == [True, False] * 60
    assert len(season.meetings) == 45
    assert max(season.blocks_of.values()) - min(season.blocks_of.values()) <= 2


def test_the_other_blocks_are_between_rivals() -> None:
    season = _Season(_ladder(40))
    for _ in range(40):
        season.ask(5)

    def mean_lead(*, is_fill: bool) -> float:
        leads = [
            abs(season.entries[one].mu - season.entries[other].mu)
            for one, other in (
                block.seatings[0] for block in season.blocks if block.is_fill == is_fill
            )
        ]
        return sum(leads) / len(leads)

    assert mean_lead(is_fill=False) < 0.5 * mean_lead(is_fill=True)


def test_new_versions_come_first_and_play_up_to_their_limit() -> None:
    entries = _ladder(20)
    entries[7] = entries[7]._replace(sigma=NEW)

    blocks = _Season(entries).ask(12, most_open=5)

    assert [7 in block.seatings[0] for block in blocks] == [True] * 5 + [False] * 7


def test_nobody_has_too_many_blocks_under_way() -> None:
    entries = [entry._replace(open_blocks=entry.number % 4) for entry in _ladder(9)]

    blocks = _Season(entries).ask(1_000, most_open=3)

    counts = Counter(bot for block in blocks for bot in block.seatings[0])
    assert all(counts[bot] + bot % 4 <= 3 for bot in range(9) if bot % 4 < 3)
    assert not any(bot % 4 == 3 for bot in counts)
    assert len(blocks) >= 6


def test_nobody_to_meet_gives_no_blocks() -> None:
    assert _Season(_ladder(1)).ask(3) == []
    assert _Season(_ladder(5, authors=1)).ask(3) == []
    assert _Season(_ladder(9, authors=3), seats=4).ask(3) == []
    assert _Season([]).ask(3) == []


def test_the_order_of_entries_decides_nothing() -> None:
    entries = _ladder(15, sigma=NEW)

    other = _Season(shuffled(entries, KEY, "order")).ask(10)

    assert other == _Season(entries).ask(10)


@given(bots=st.integers(0, 1_000))
def test_divisions_are_equal_and_small(bots: int) -> None:
    divisions = cut_field(range(bots))

    assert [bot for division in divisions for bot in division] == list(range(bots))
    sizes = [len(division) for division in divisions]
    assert max(sizes) - min(sizes) <= 1
    assert max(sizes) <= MOST_BOTS
    assert len(divisions) == count_divisions(bots)


def test_newcomers_start_in_the_lowest_division_which_splits_when_it_is_full() -> None:
    divisions: list[list[int]] = []

    for bot in range(200):
        upper = divisions[:-1]
        divisions = add_newcomer(divisions, bot)
        assert divisions[: len(upper)] == upper
        assert bot == divisions[-1][-1]
        assert all(len(division) <= MOST_BOTS for division in divisions)

    assert sorted(bot for division in divisions for bot in division) == list(range(200))
    assert min(len(division) for division in divisions) >= MOST_BOTS // 2


def test_a_season_moves_fifths_and_takes_winners_half_the_way_up() -> None:
    tables = cut_field(range(420))  # eight divisions of 52 or 53

    after = close_season(tables)

    where = {bot: number for number, division in enumerate(after) for bot in division}
    assert len(where) == 420
    assert [where[tables[number][0]] for number in (0, 1, 3, 5, 7)] == [0, 0, 1, 2, 3]
    assert [where[tables[4][place]] for place in (1, 5, 25, 40, 45, 51)] == [3, 3, 4, 4, 5, 5]
    assert where[tables[7][-1]] == 7


def test_the_best_of_two_thousand_are_together_after_twelve_seasons() -> None:
    strengths = {bot: draw(KEY, "true", bot) for bot in range(2_000)}
    divisions = cut_field(range(2_000))

    for season in range(12):
        seen = {bot: strengths[bot] + draw(KEY, season, bot) // 20 for bot in strengths}
        tables = (sorted(division, key=seen.__getitem__) for division in divisions)
        divisions = close_season([table[::-1] for table in tables])

    best = sorted(strengths, key=strengths.__getitem__, reverse=True)[:30]
    assert len(set(best) & set(divisions[0])) >= 24
    assert set(best) <= {bot for division in divisions[:3] for bot in division}
