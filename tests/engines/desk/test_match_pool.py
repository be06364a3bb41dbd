"""Many matches at a time: each is played once, and a stop loses none that has ended."""

import os
import signal
import threading

import pytest

from pentathlon_engines.desk.match_pool import (
    MOST_ATTEMPTS,
    DeskMatch,
    Finished,
    Series,
    Tick,
    desk_alias,
    play_all,
    stop_on_interrupt,
)
from pentathlon_engines.match.launcher import HostTooSlow, LaunchFailed
from pentathlon_engines.runner import MatchReport
from tests.engines.desk.acting import desk_result, play_at_random
from tests.patience import PATIENCE_S


def _series(matches: int = 6) -> Series:
    return Series(seats=2, matches=matches, seed=1, swaps=False)


@pytest.mark.parametrize("concurrency", [1, 3])
def test_every_match_is_played_once(concurrency: int) -> None:
    finished = list(
        play_all(
            _series().next_match, play_at_random, concurrency=concurrency, stop=threading.Event()
        )
    )

    assert sorted(each.match.index for each in finished) == [1, 2, 3, 4, 5, 6]
    assert all(each.report is not None for each in finished)


def test_series_that_is_over_leaves_the_stop_of_others_alone() -> None:
    stop = threading.Event()

    for _ in range(2):
        list(play_all(_series().next_match, play_at_random, concurrency=1, stop=stop))

        assert not stop.is_set()


def test_no_more_matches_run_than_allowed() -> None:
    running, most = [0], [0]
    lock = threading.Lock()

    def play(match: DeskMatch, tick: Tick) -> MatchReport:
        with lock:
            running[0] += 1
            most[0] = max(most[0], running[0])
        report = play_at_random(match, tick)
        with lock:
            running[0] -= 1
        return report

    list(play_all(_series(20).next_match, play, concurrency=2, stop=threading.Event()))

    assert most[0] <= 2


def test_failure_of_the_machine_is_tried_again_and_then_void() -> None:
    attempts = []

    def play(match: DeskMatch, tick: Tick) -> MatchReport:
        attempts.append(match.index)
        if match.index == 1 or attempts.count(match.index) < MOST_ATTEMPTS:
            raise HostTooSlow("too little time")
        return play_at_random(match, tick)

    ended = list(play_all(_series(2).next_match, play, concurrency=1, stop=threading.Event()))

    assert attempts == [1] * MOST_ATTEMPTS + [2] * MOST_ATTEMPTS
    assert [(each.report is None, each.problem) for each in ended] == [
        (True, "too little time"),
        (False, ""),
    ]


def test_bot_that_cannot_be_started_ends_it() -> None:
    def play(match: DeskMatch, tick: Tick) -> MatchReport:
        raise LaunchFailed("no such program")

    with pytest.raises(LaunchFailed):
        list(play_all(_series().next_match, play, concurrency=2, stop=threading.Event()))


def test_stop_abandons_running_matches_and_keeps_those_that_have_ended() -> None:
    stop = threading.Event()
    is_running = threading.Event()

    def play(match: DeskMatch, tick: Tick) -> MatchReport:
        if match.index == 2:  # else both might end before the third begins
            assert is_running.wait(PATIENCE_S)
        if match.index < 3:
            return play_at_random(match, tick)
        is_running.set()
        while True:  # a long match: only the tick ends it
            tick(0)
            stop.wait(0.01)

    ended: list[Finished] = []
    for finished in play_all(_series().next_match, play, concurrency=2, stop=stop):
        ended.append(finished)
        if len(ended) == 2:
            stop.set()

    assert sorted(each.match.index for each in ended) == [1, 2]


def test_interrupt_asks_to_stop_and_a_second_one_interrupts(
    request: pytest.FixtureRequest,
) -> None:
    # A shell without job control makes programs in the background ignore interrupts.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    request.addfinalizer(lambda: signal.signal(signal.SIGINT, before))
    with stop_on_interrupt() as stop:
        os.kill(os.getpid(), signal.SIGINT)

        assert stop.wait(PATIENCE_S)
        with pytest.raises(KeyboardInterrupt):
            _interrupt_and_wait()


def _interrupt_and_wait() -> None:
    os.kill(os.getpid(), signal.SIGINT)
    threading.Event().wait(10)


def _all_matches(series: Series) -> list[tuple[int, tuple[int, ...], int, str]]:
    matches = iter(series.next_match, None)
    return [(match.block, match.players, match.seed, match.alias) for match in matches]


def test_swapped_series_plays_each_seed_in_both_seats() -> None:
    series = Series(seats=2, matches=4, seed=7, swaps=True)

    assert _all_matches(series) == [
        (1, (0, 1), 7, desk_alias(7, leg=1)),
        (1, (1, 0), 7, desk_alias(7, leg=2)),
        (2, (0, 1), 8, desk_alias(8, leg=1)),
        (2, (1, 0), 8, desk_alias(8, leg=2)),
    ]


def test_series_without_swaps_keeps_the_seats() -> None:
    series = Series(seats=3, matches=2, seed=7, swaps=False)

    assert _all_matches(series) == [
        (1, (0, 1, 2), 7, desk_alias(7, leg=1)),
        (2, (0, 1, 2), 8, desk_alias(8, leg=1)),
    ]


def test_names_do_not_show_the_seed() -> None:
    names = [desk_alias(6012345678901234, leg=leg) for leg in (1, 2)]

    assert len(set(names)) == 2
    assert all(len(bytes.fromhex(name)) == 16 for name in names)


def test_blocks_are_whole() -> None:
    series = Series(seats=3, matches=7, seed=2**53 - 1, swaps=True)

    matches = _all_matches(series)

    assert (series.blocks, series.matches, len(matches)) == (2, 12, 12)
    assert {seed for _, _, seed, _ in matches} == {2**53 - 1, 0}
    assert len({alias for *_, alias in matches}) == 12


def test_score_counts_whole_blocks_only() -> None:
    series = Series(seats=2, matches=4, seed=7, swaps=True)
    ranks = [(0, 1), (1, 0), (0, 1)]

    for each in ranks:
        match = series.next_match()
        assert match is not None
        series.take(match, desk_result(each))

    score = series.score(0)
    assert score is not None
    assert (score.blocks, score.share) == (1, 1.0)
    assert score.low < 0.5
    assert series.tally.lines[0].wins == 3


def test_void_match_leaves_its_block_out() -> None:
    series = Series(seats=2, matches=2, seed=7, swaps=True)

    for result in (desk_result((0, 1)), None):
        match = series.next_match()
        assert match is not None
        series.take(match, result)

    assert series.score(0) is None
    assert (series.void, series.tally.lines[0].matches) == (1, 1)


def test_larger_table_scores_against_every_opponent() -> None:
    series = Series(seats=3, matches=1, seed=7, swaps=False)
    match = series.next_match()
    assert match is not None

    series.take(match, desk_result((0, 1, 1)))

    shares = [score.share if (score := series.score(player)) else None for player in range(3)]
    assert shares == [1.0, 0.25, 0.25]
    assert series.tally.lines[0].points(3) == 1.0


def test_two_that_failed_have_both_lost() -> None:
    series = Series(seats=2, matches=1, seed=7, swaps=False)
    match = series.next_match()
    assert match is not None

    series.take(match, desk_result((1, 1), failed=(0, 1)))

    assert [line.against for line in series.tally.lines] == [{1: [0, 0, 1]}, {0: [0, 0, 1]}]
    assert series.tally.seats == []
    assert [line.losses for line in series.tally.lines] == [1, 1]
