"""What `bench tournaments` measures is there, and it sees what is wrong."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

import pytest
from django.core.management import CommandError, call_command

from pentathlon.accounts.models import User
from pentathlon.matches.models import Match
from pentathlon.tournaments.time_left import Span
from pentathlon_engines.tournament.document import TournamentDocument
from tests.factories import make_user
from tools.benchmark.competition import remaining
from tools.benchmark.competition.memory import MemoryWatch
from tools.benchmark.competition.remaining import error_of_estimate
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
        spans: Sequence[Span], *, since: datetime, until: datetime, free: int
    ) -> float:
        assert free
        busy = [(min(span.end, until) - span.begin).total_seconds() for span in spans]
        return sum(busy) / (until - since).total_seconds()

    monkeypatch.setattr(remaining, "count_busy_slots", count_pauses)

    assert error_of_estimate(1, pause_s=0) < 0.25
    assert error_of_estimate(1, pause_s=3600) > 0.25


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
    with pytest.raises(CommandError, match="'pace' is no part; there are replays, time-left"):
        call_command("bench", "tournaments", "pace")


def _wait_for_sample(memory: MemoryWatch) -> None:
    """Return when the memory was looked at again, twice."""
    before = memory.samples
    while memory.samples < before + 2:
        pass
