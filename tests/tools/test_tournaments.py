"""What `bench tournaments` measures is there, and it sees what is wrong."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

import pytest
from django.core.management import CommandError, call_command

from pentathlon.accounts.models import User
from pentathlon.matches.models import Match
from pentathlon.tournaments.estimates.time_left import Span
from pentathlon_engines.tournament.document import TournamentDocument
from tests.factories import make_user
from tools.benchmark.competition import estimate_errors
from tools.benchmark.competition.ends import Told, judge
from tools.benchmark.competition.estimate_errors import error_of_estimate
from tools.benchmark.competition.memory import MemoryWatch
from tools.benchmark.competition.replay import digest_of, play_documents
from tools.benchmark.load.data import make_bots

MIB = 1024 * 1024
SWISS = TournamentDocument(game="tuned", scheduler="swiss/1", table_seats=2)


@pytest.fixture
def organiser(db: None) -> User:
    return make_user(organiser=True)


def test_replays_repeat_whatever_ended_first_and_was_played_before(organiser: User) -> None:
    versions = make_bots(organiser, 5)

    first = play_documents([SWISS], owner=organiser, versions=versions)
    play_documents([SWISS], owner=organiser, versions=versions, rated=True)
    again = play_documents([SWISS], owner=organiser, versions=versions, backwards=True)

    assert digest_of(first) == digest_of(again)


def test_another_result_is_seen(organiser: User) -> None:
    played = play_documents([SWISS], owner=organiser, versions=make_bots(organiser, 5))
    before = digest_of(played)

    match = Match.objects.filter(place__tournament=played[0])[0]
    match.seats.update(rank=0)

    assert digest_of(played) != before


@pytest.mark.parametrize("pause_s", [0.0, 3600.0])
def test_time_left_is_right_with_and_without_a_pause(pause_s: float) -> None:
    errors = [error_of_estimate(seed, pause_s=pause_s) for seed in range(20)]

    assert max(errors) <= 0.25


def test_estimate_that_counts_pauses_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    def count_pauses(
        spans: Sequence[Span], *, since: datetime, until: datetime, slots: int, matches: float
    ) -> float:
        busy = [(min(span.end, until) - span.begin).total_seconds() for span in spans]
        return (slots * (until - since).total_seconds() - sum(busy)) / matches

    monkeypatch.setattr(estimate_errors, "idle_per_match_s", count_pauses)

    assert error_of_estimate(1, pause_s=0) < 0.25
    assert error_of_estimate(1, pause_s=3600) > 0.25


@pytest.mark.parametrize(
    ("told_s", "is_met"),
    [
        pytest.param(75.0, True, id="right"),
        pytest.param(200.0, False, id="too long"),
        pytest.param(10.0, False, id="too short"),
        pytest.param(None, False, id="nothing told"),
    ],
)
def test_estimate_is_judged_by_the_real_end(told_s: float | None, is_met: bool) -> None:
    history = [
        Told(at=float(ended), ended=ended, total=100, load=1.0, remaining_s=told_s)
        for ended in range(101)
    ]

    tenth, third, two_thirds = judge("x", history)

    assert (tenth.is_met, third.is_met, two_thirds.is_met) == (is_met, is_met, False)
    assert "of 100" in tenth.remark


def test_tournament_that_never_ended_has_no_right_estimate() -> None:
    history = [Told(at=0.0, ended=40, total=100, load=1.0, remaining_s=5.0)]

    assert not any(each.is_met for each in judge("x", history))


def test_memory_that_is_held_for_a_moment_is_seen() -> None:
    with MemoryWatch() as memory:
        held = bytearray(40 * MIB)
        _wait_for_sample(memory)
        del held

    assert memory.peak_mib >= 39


def test_memory_that_stays_as_it_is_does_not_grow() -> None:
    held = bytearray(40 * MIB)
    with MemoryWatch() as memory:
        _wait_for_sample(memory)

    assert memory.peak_mib < 20
    assert held


def test_unknown_part_is_refused_with_those_there_are() -> None:
    with pytest.raises(
        CommandError, match="'pace' is not a part; the parts are replays, time-left"
    ):
        call_command("bench", "tournaments", "pace")


def _wait_for_sample(memory: MemoryWatch) -> None:
    """Return when the memory was looked at again, twice."""
    before = memory.samples
    while memory.samples < before + 2:
        pass
