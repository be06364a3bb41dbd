"""Who meets on a ladder, and who is in which division."""

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations
from operator import itemgetter
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pentathlon_engines.seeds import shuffled
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
    LadderRounds,
    pair_ladder,
)
from tests.engines.tournament.formats.playing import KEY, by_number, field_of, plan_of, play

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


def test_newcomer_is_paired_although_all_others_have_enough_under_way() -> None:
    entries = [entry._replace(open_blocks=3) for entry in _ladder(6, sigma=NEW)]
    entries[4] = entries[4]._replace(open_blocks=1, is_newcomer=True)
    entries[5] = entries[5]._replace(is_newcomer=True)

    blocks = _Season(entries).ask(12, most_open=3)

    assert [set(block.seatings[0]) & {4, 5} for block in blocks] == [{4}, {4}]


def test_nobody_has_too_many_blocks_under_way() -> None:
    entries = [entry._replace(open_blocks=entry.number % 4) for entry in _ladder(9)]

    blocks = _Season(entries).ask(1_000, most_open=3)

    counts = Counter(bot for block in blocks for bot in block.seatings[0])
    assert all(counts[bot] + bot % 4 <= 3 for bot in range(9) if bot % 4 < 3)
    assert not any(bot % 4 == 3 for bot in counts)
    assert len(blocks) >= 6


def test_each_round_of_the_format_has_everybody_once_who_can_be_paired() -> None:
    ladder = LadderRounds()

    event = play(ladder, plan_of(ladder, rounds=12), field_of(9), by_number)

    assert [block.round for block in event.played] == sorted(4 * [*range(1, 13)])
    for number in range(1, 13):
        bots = [bot for b in event.played if b.round == number for bot in b.seatings[0]]
        assert len(set(bots)) == len(bots) == 8
    blocks = Counter(bot for block in event.played for bot in block.seatings[0])
    assert max(blocks.values()) - min(blocks.values()) <= 1


def test_rivals_meet_more_often_than_unequal_bots_once_results_are_in() -> None:
    ladder = LadderRounds()

    event = play(ladder, plan_of(ladder, rounds=40), field_of(10), by_number)

    met = Counter(event.groups)
    near = sum(count for (one, other), count in met.items() if other - one <= 2)
    far = sum(count for (one, other), count in met.items() if other - one >= 6)
    # 17 pairs are near and 10 are far.
    assert near / 17 > 1.5 * far / 10
    assert len(met) == 45


def test_format_ends_where_only_bots_of_one_author_are_left() -> None:
    ladder = LadderRounds()

    event = play(ladder, plan_of(ladder), field_of(4, authors=1))

    assert (event.played, event.over.remark) == ([], "bots of one author do not meet")


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


Table = list[tuple[int, float]]


def _strengths(bots: int) -> list[float]:
    """Return what nobody knows, as normal as ratings are."""
    random = Random(7)
    return [random.gauss(0, 1) for _ in range(bots)]


def _tables(
    divisions: Sequence[Sequence[int]], strengths: Sequence[float], season: int
) -> list[Table]:
    """Rank the bots of each division by what a season sees of their strengths."""
    random = Random(season)
    seen = (
        [(bot, strengths[bot] + random.gauss(0, 0.15)) for bot in division]
        for division in divisions
    )
    return [sorted(division, key=itemgetter(1), reverse=True) for division in seen]


def test_a_season_moves_a_fifth_up_and_as_many_down() -> None:
    divisions = cut_field(range(420))  # eight of 52 or 53, the best first
    tables = [[(bot, -float(bot)) for bot in division] for division in divisions]

    after = close_season(tables)

    where = {bot: number for number, division in enumerate(after) for bot in division}
    assert len(where) == 420
    for number in range(1, 7):
        places = [where[divisions[number][place]] for place in (0, 9, 10, 41, 43, 51)]
        assert places == [number - 1, number - 1, number, number, number + 1, number + 1]
    assert where[divisions[0][0]] == 0
    assert where[divisions[7][-1]] == 7


def test_newcomer_goes_past_the_divisions_that_it_would_have_led() -> None:
    divisions = cut_field(range(420))
    tables = [[(bot, -float(bot)) for bot in division] for division in divisions]
    strong = [(1_000, -100.0), (1_001, -52.5), (1_002, 7.0)]
    tables[7][:0] = sorted(strong, key=itemgetter(1), reverse=True)

    after = close_season(tables)

    where = {bot: number for number, division in enumerate(after) for bot in division}
    assert [where[bot] for bot, _ in strong] == [1, 0, 0]


def _by_rule(level: int, place: int, tables: Sequence[Table]) -> tuple[int, int]:
    """Return the divisions that a place may lead to, as the rule says it."""
    _, strength = tables[level][place]
    if place >= len(tables[level]) // 5:
        return level, level + 1
    target = max(0, level - 1)
    while target and sum(rival >= strength for _, rival in tables[target]) < 2:
        target -= 1
    return target, target


@pytest.mark.parametrize(
    ("bots", "divisions", "seasons"), [(60, 2, 8), (200, 4, 10), (10_000, 167, 15)]
)
def test_seasons_promote_and_relegate_by_the_tables(
    bots: int, divisions: int, seasons: int
) -> None:
    strengths = _strengths(bots)
    members = cut_field(range(bots))  # as they came, not by strength
    off: Counter[int] = Counter()
    for season in range(seasons):
        tables = _tables(members, strengths, season)

        members = close_season(tables)

        sizes = [len(division) for division in members]
        assert len(sizes) == divisions
        assert max(sizes) - min(sizes) <= 1
        assert sorted(bot for division in members for bot in division) == list(range(bots))
        where = {bot: level for level, division in enumerate(members) for bot in division}
        for level, table in enumerate(tables):
            for place, (bot, _) in enumerate(table):
                least, most = _by_rule(level, place, tables)
                off[min(0, where[bot] - least) + max(0, where[bot] - most)] += 1

    # Sizes differ by one, so a bot at a border may be one off.
    assert set(off) <= {-1, 0, 1}
    assert off[0] >= 0.995 * off.total()
    order = sorted(range(bots), key=strengths.__getitem__, reverse=True)
    best = set(order[: len(members[0])])
    assert len(best & set(members[0])) >= 0.75 * len(best)
    assert len(best & {*members[0], *members[1]}) >= 0.95 * len(best)


def test_sorted_field_stays_sorted() -> None:
    strengths = _strengths(2_000)
    order = sorted(range(2_000), key=strengths.__getitem__, reverse=True)
    members = cut_field(order)
    for season in range(5):
        members = close_season(_tables(members, strengths, season))

    before = {bot: level for level, division in enumerate(cut_field(order)) for bot in division}
    after = {bot: level for level, division in enumerate(members) for bot in division}
    moved = [abs(before[bot] - after[bot]) for bot in order]
    assert sum(moved) / len(moved) < 2.5
