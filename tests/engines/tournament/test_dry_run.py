"""Dry runs as pure functions: size, blocks that are known, what is rarely meant."""

import time
from dataclasses import replace
from typing import NamedTuple

import pytest

from pentathlon_engines import GAMES
from pentathlon_engines.tournament.batches import draw_schedule
from pentathlon_engines.tournament.document import Entrant, TournamentDocument
from pentathlon_engines.tournament.dry_run import MOST_BLOCKS, NO_KEY, find_cautions, make_dry_run
from pentathlon_engines.tournament.formats.designs import choose_base_groups
from pentathlon_engines.tournament.formats.parameters import full_params
from pentathlon_engines.tournament.formats.registry import FORMATS


def _document(
    scheduler: str, *, bots: int, game: str = "tuned", seats: int = 2, cycles: int | None = None
) -> TournamentDocument:
    given = {} if cycles is None else {"cycles": cycles}
    return TournamentDocument(
        game=game,
        scheduler=scheduler,
        params=full_params(FORMATS[scheduler].parameters, given),
        table_seats=seats,
        entries=tuple(Entrant(f"bot{n}", 1, f"sha256:{n}", f"ann{n}") for n in range(bots)),
    )


def test_blocks_are_the_whole_schedule_where_no_result_is_read() -> None:
    document = _document("round_robin/2", bots=7)

    run = make_dry_run(document)

    drawn = [pairing.seating for pairing in draw_schedule(document, key=NO_KEY)]
    assert [seating for block in run.blocks for seating in block.seatings] == drawn
    assert (run.left_out, run.size.expected, len(drawn)) == (0, 42, 42)


@pytest.mark.parametrize("scheduler", ["swiss/1", "knockout/1"])
def test_only_the_first_round_is_known_where_results_decide(scheduler: str) -> None:
    run = make_dry_run(_document(scheduler, bots=8))

    assert run.needs_results
    assert {block.round for block in run.blocks} == {1}
    seated = [entry for block in run.blocks for entry in set(block.seatings[0])]
    assert set(seated) == set(range(8))
    shown = sum(len(block.seatings) for block in run.blocks)
    assert run.left_out == run.size.expected - shown > 0


def test_blocks_are_bounded_in_number() -> None:
    run = make_dry_run(_document("round_robin/2", bots=60, cycles=2))

    assert len(run.blocks) == MOST_BLOCKS
    assert run.left_out == run.size.expected - 2 * MOST_BLOCKS


@pytest.mark.parametrize("game", GAMES)
def test_cycles_are_warned_of_where_nothing_is_left_to_chance(game: str) -> None:
    once = make_dry_run(_document("round_robin/2", bots=3, game=game))
    twice = make_dry_run(_document("round_robin/2", bots=3, game=game, cycles=2))

    codes = [caution.code for caution in twice.cautions]
    assert codes == (["repeated_matches"] if game == "tuned" else [])
    assert once.cautions == ()


class Repeats(NamedTuple):
    scheduler: str
    params: dict[str, int]
    pointers: tuple[str, ...]
    seats: int = 2


@pytest.mark.parametrize(
    "case",
    [
        Repeats("round_robin/2", {"cycles": 1}, ()),
        Repeats("gauntlet/1", {"blocks": 2}, ("/params/blocks",)),
        Repeats("gauntlet/1", {"blocks": 1}, ()),
        Repeats("knockout/1", {"blocks": 3}, ("/params/blocks",)),
        Repeats("knockout/1", {"blocks": 1}, ()),
        Repeats("finals/1", {"cycles": 2}, ("/params/cycles", "/params/blocks")),
        Repeats("ab_test/1", {}, ("/params/matches",)),
        Repeats("swiss/1", {"rounds": 2}, ()),
    ],
)
def test_blocks_that_repeat_a_pair_are_warned_of(case: Repeats) -> None:
    document = _document(case.scheduler, bots=2)
    document = replace(document, params={**document.params, **case.params})

    found = find_cautions(document)

    assert tuple(caution.pointer for caution in found) == case.pointers


@pytest.mark.parametrize(
    ("scheduler", "game", "seats"),
    [
        *((each, "tuned", 2) for each in ("round_robin/2", "gauntlet/1", "swiss/1", "knockout/1")),
        *(("tables/2", "way_of_the_dragon", seats) for seats in (3, 4, 5)),
    ],
)
def test_field_of_200_takes_little_time(scheduler: str, game: str, seats: int) -> None:
    document = _document(scheduler, bots=200, game=game, seats=seats)
    choose_base_groups.cache_clear()
    begun = time.process_time()

    make_dry_run(document)

    # A request may take 0.3 s; a slow machine, or one that counts branches, some times as long.
    assert time.process_time() - begun < 1.0
