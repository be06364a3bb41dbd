"""What a request to stop does to the matches that a slot has claimed."""

import os

import pytest

from pentathlon.matches.jobs import Job
from pentathlon.matches.models import Attempt, AttemptState, Match, MatchState
from pentathlon.matches.services import claim_matches
from pentathlon_engines.match.launcher import BotCommand, BotProcess, Launcher, SandboxLevel
from pentathlon_engines.match.limits import Limits
from pentathlon_engines.match.plain_launcher import PlainLauncher
from tests.factories import make_match, make_version
from tests.workers.playing import play_jobs
from workers.drain import Drain
from workers.slots.bot_files import BotFiles

LONG_AGO_S = -1.0
"""A grace period that is over as soon as it begins."""


class Asking(Launcher):
    """A launcher during whose work the worker is asked to stop."""

    level = SandboxLevel.PROCESS
    layers: tuple[str, ...] = ()

    def __init__(self, drain: Drain) -> None:
        self._drain = drain

    def start(self, command: BotCommand, *, seat: int, limits: Limits) -> BotProcess:
        self._drain.ask()
        return PlainLauncher().start(command, seat=seat, limits=limits)


class Thinker(Launcher):
    """A launcher whose bots think forever; the worker is asked to stop as they start."""

    level = SandboxLevel.PROCESS
    layers: tuple[str, ...] = ()

    def __init__(self, drain: Drain) -> None:
        self._drain = drain

    def start(self, command: BotCommand, *, seat: int, limits: Limits) -> BotProcess:
        bot = PlainLauncher().start(command, seat=seat, limits=limits)
        bot.resume = self._drain.ask  # type: ignore[method-assign]  # asked, it stays paused
        return bot


def _jobs(number: int = 2) -> list[Job]:
    versions = [make_version(), make_version(like="greedy")]
    ids = [make_match(versions).pk for _ in range(number)]
    return claim_matches(match_ids=ids, worker="w")


def _states() -> list[tuple[str, int]]:
    return list(Match.objects.order_by("pk").values_list("state", "host_faults"))


def test_request_in_the_parent_is_seen_by_its_children() -> None:
    drain = Drain(grace_s=60)
    child = os.fork()
    if child == 0:
        while not drain.is_asked:
            pass
        os._exit(0)

    drain.ask()

    assert os.waitpid(child, 0) == (child, 0)
    assert not drain.is_over


@pytest.mark.django_db
def test_match_is_finished_within_the_grace_and_the_next_given_back(files: BotFiles) -> None:
    drain = Drain(grace_s=60)

    play_jobs(_jobs(), launcher=Asking(drain), files=files, drain=drain)

    assert _states() == [(MatchState.DONE, 0), (MatchState.PENDING, 0)]
    assert set(Attempt.objects.values_list("state", flat=True)) == {
        AttemptState.ACCEPTED,
        AttemptState.RETURNED,
    }


@pytest.mark.django_db
def test_turn_is_cut_short_when_the_grace_is_over(files: BotFiles) -> None:
    drain = Drain(grace_s=LONG_AGO_S)

    play_jobs(_jobs(1), launcher=Thinker(drain), files=files, drain=drain)

    assert _states() == [(MatchState.PENDING, 0)]


@pytest.mark.django_db
def test_everything_is_given_back_when_the_grace_is_over(files: BotFiles) -> None:
    drain = Drain(grace_s=LONG_AGO_S)

    play_jobs(_jobs(), launcher=Asking(drain), files=files, drain=drain)

    assert _states() == [(MatchState.PENDING, 0)] * 2


def test_wait_ends_with_its_time_or_with_the_request(monkeypatch: pytest.MonkeyPatch) -> None:
    drain, slept = Drain(grace_s=0), []

    def sleep(seconds: float) -> None:
        slept.append(seconds)
        if len(slept) == 3:
            drain.ask()

    monkeypatch.setattr("time.sleep", sleep)

    drain.wait(0.0)
    assert slept == []
    drain.wait(60.0)
    assert len(slept) == 3


def test_second_request_gives_no_more_grace(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [100.0]
    monkeypatch.setattr("time.monotonic", lambda: now[0])
    drain = Drain(grace_s=10.0)
    drain.ask()

    now[0] = 105.0
    drain.ask()
    now[0] = 111.0

    assert drain.is_over
