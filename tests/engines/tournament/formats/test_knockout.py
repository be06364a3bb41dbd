"""Knockout brackets of all sizes."""

from collections import Counter
from collections.abc import Mapping
from typing import Any

import pytest

from pentathlon_engines.tournament.formats.bracket import bracket_of
from pentathlon_engines.tournament.formats.interface import FieldEntry, PlannedBlock
from pentathlon_engines.tournament.formats.knockout import Knockout
from tests.deep import mostly_deep
from tests.engines.tournament.formats.playing import (
    Event,
    Judge,
    Ranks,
    all_drawn,
    by_chance,
    by_number,
    field_of,
    plan_of,
    play,
)

KNOCKOUT = Knockout()


ENTRIES = mostly_deep(range(2, 34), keep=[2, 3, 4, 5, 7, 8, 9, 12, 16, 17, 32, 33])


def _seeded(count: int) -> list[FieldEntry]:
    """Entry 0 is the strongest."""
    return [entry._replace(strength=-float(entry.number)) for entry in field_of(count)]


def _play(
    count: int, judge: Judge, leavers: Mapping[int, int] | None = None, **params: Any
) -> Event:
    return play(KNOCKOUT, plan_of(KNOCKOUT, **params), _seeded(count), judge, leavers=leavers)


@pytest.mark.parametrize("entries", ENTRIES)
@pytest.mark.parametrize("judge", [by_number, by_chance, all_drawn])
def test_all_but_one_lose_once(entries: int, judge: Judge) -> None:
    event = _play(entries, judge, blocks=1, third_place=False)

    duels = {(block.round, tuple(sorted(block.seatings[0]))) for block in event.played}
    assert len(duels) == entries - 1
    duels_of = Counter(bot for _, pair in duels for bot in pair)
    rounds = (entries - 1).bit_length()
    assert max(duels_of.values()) <= rounds
    assert event.over.places is not None
    assert sorted(bot for place in event.over.places for bot in place) == list(range(entries))
    assert len(event.over.places[0]) == len(event.over.places[1]) == 1
    assert {number for number, _ in duels} == set(range(1, rounds + 1))


@pytest.mark.parametrize("entries", ENTRIES)
def test_the_best_seeds_have_the_byes_and_meet_last(entries: int) -> None:
    event = _play(entries, by_number, blocks=1)

    size = 1 << (entries - 1).bit_length()
    first = {bot for block in event.played if block.round == 1 for bot in block.seatings[0]}
    assert first == set(range(size - entries, entries))
    assert event.over.places is not None
    assert event.over.places[:2] == ((0,), (1,))
    if entries >= 4:
        assert event.over.places[2:4] == ((2,), (3,))


def test_bracket_places_meet_as_usual() -> None:
    assert bracket_of(range(8)) == [0, 7, 3, 4, 1, 6, 2, 5]
    assert bracket_of(range(5)) == [0, None, 3, 4, 1, None, 2, None]


def test_places_are_shared_by_those_who_fall_in_one_round() -> None:
    event = _play(8, by_number)
    without = _play(8, by_number, third_place=False)

    assert event.over.places == ((0,), (1,), (2,), (3,), (4, 5, 6, 7))
    assert without.over.places == ((0,), (1,), (2, 3), (4, 5, 6, 7))


def test_best_of_blocks_stops_when_it_is_decided() -> None:
    short = _play(2, by_number, blocks=5)
    assert len(short.played) == 3

    wins = [0, 0, 1, 1, 0]
    long = _play(2, lambda place, block: _won_by(wins[place], block), blocks=5)
    assert [len(batch.blocks) for batch in long.batches] == [3, 1, 1]
    assert long.over.places == ((0,), (1,))


def _won_by(winner: int | None, block: PlannedBlock) -> Ranks:
    return tuple(
        tuple(0 if winner is None or bot == winner else 1 for bot in seating)
        for seating in block.seatings
    )


def test_tie_break_blocks_come_one_by_one_until_one_is_won() -> None:
    winners = [0, 1, None, None, 1]

    event = _play(2, lambda place, block: _won_by(winners[place], block), blocks=3, tie_blocks=3)

    assert [len(batch.blocks) for batch in event.batches] == [2, 1, 1, 1]
    assert event.over.places == ((1,), (0,))


def test_whoever_has_played_fewer_matches_wins_a_drawn_duel() -> None:
    # 1 and 2 need three blocks for their semi-final, 0 and 3 two.
    def judge(place: int, block: PlannedBlock) -> Ranks:
        if block.round == 1 and set(block.seatings[0]) == {1, 2}:
            return _won_by([1, 2, 1][sum(1 for _ in seen[frozenset({1, 2})])], _note(block))
        return _won_by(3, block) if block.round == 1 else _won_by(None, block)

    seen: dict[frozenset[int], list[PlannedBlock]] = {frozenset({1, 2}): []}

    def _note(block: PlannedBlock) -> PlannedBlock:
        seen[frozenset(block.seatings[0])].append(block)
        return block

    event = _play(4, judge, blocks=3, tie_blocks=1, third_place=False)

    assert event.over.places is not None
    assert event.over.places[:2] == ((3,), (1,))
    assert sum(block.round == 2 for block in event.played) == 4


def test_drawn_for_ever_is_won_by_the_better_seed_after_a_replay() -> None:
    event = _play(2, all_drawn, blocks=3, tie_blocks=2)

    assert len(event.played) == 3 + 2 * 2
    assert event.over.places == ((0,), (1,))


def test_who_withdraws_loses_without_a_match() -> None:
    event = _play(8, by_number, leavers={0: 1, 5: 0})

    assert event.over.places is not None
    assert event.over.places[0] == (1,)
    assert all(0 not in block.seatings[0] for block in event.played if block.round > 1)
    assert all(5 not in block.seatings[0] for block in event.played)


def test_who_went_on_by_walkover_stays_there_when_it_leaves_too() -> None:
    # 7 leaves during round 1 against 0; 0 goes on and leaves in round 2.
    event = _play(8, by_chance, blocks=5, leavers={7: 1, 0: 4})

    rounds = [block.round for block in event.played]
    assert rounds == sorted(rounds)
    assert event.over.places is not None
    assert sorted(bot for place in event.over.places for bot in place) == list(range(8))


def test_the_third_place_is_played_before_the_final() -> None:
    event = _play(4, by_number, blocks=1)

    assert [tuple(sorted(block.seatings[0])) for block in event.played] == [
        (0, 3),
        (1, 2),
        (2, 3),
        (0, 1),
    ]
    assert [block.round for block in event.played] == [1, 1, 2, 3]


def test_without_strengths_the_bracket_is_drawn() -> None:
    one = play(KNOCKOUT, plan_of(KNOCKOUT), field_of(8))
    other = play(KNOCKOUT, plan_of(KNOCKOUT, key=b"\1" * 32), field_of(8))

    assert one.batches[0] != other.batches[0]


def test_even_numbers_of_blocks_are_refused() -> None:
    (problem,) = KNOCKOUT.problems(plan_of(KNOCKOUT, blocks=4), 8)

    assert problem.pointer == "/params/blocks"
    assert 3 in problem.allowed["enum"]
