"""Waiting for a site: ever more slowly, up to a limit, and through short outages."""

import pytest

from pentathlon_engines.cli.client.patience import LONGEST_OUTAGE_S, Patience
from pentathlon_engines.cli.failure import CommandFailed
from tests.engines.cli.client.fake_sites import away, refused


class Clock:
    """Time that passes only while somebody sleeps."""

    def __init__(self) -> None:
        self.now = 100.0
        self.pauses: list[float] = []

    def sleep(self, seconds: float) -> None:
        self.pauses.append(seconds)
        self.now += seconds


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr("time.monotonic", lambda: clock.now)
    monkeypatch.setattr("time.sleep", clock.sleep)
    return clock


def patience(timeout_s: float = 1000.0) -> Patience:
    return Patience(timeout_s, what="It takes too long.", try_next="later")


def test_looks_become_rarer_until_there_is_news(clock: Clock) -> None:
    waiting = patience()
    looks = waiting.looks()
    for _ in range(20):
        next(looks)
    slow = clock.pauses[-1]

    waiting.note_news()
    next(looks)

    assert clock.pauses[:2] == [0.25, 0.3125]
    assert slow == 2.0
    assert clock.pauses[-1] == 0.25


def test_time_limit_ends_the_wait(clock: Clock) -> None:
    with pytest.raises(CommandFailed, match="It takes too long") as failed:
        list(patience(10.0).looks())

    assert failed.value.try_next == "later"
    assert clock.now >= 110.0


def test_time_limit_holds_for_who_waits_otherwise(clock: Clock) -> None:
    waiting = patience(10.0)
    waiting.check()
    clock.now += 10.0

    with pytest.raises(CommandFailed, match="It takes too long"):
        waiting.check()


def test_refusal_is_not_forgiven(clock: Clock) -> None:
    with pytest.raises(CommandFailed, match="refused: not_found"):
        patience().forgive(refused("not_found", status=404))


def test_site_that_stays_away_is_not_forgiven_for_ever(clock: Clock) -> None:
    waiting = patience()

    def wait() -> None:
        for _ in waiting.looks():
            waiting.forgive(away())

    with pytest.raises(CommandFailed, match="does not answer"):
        wait()

    assert LONGEST_OUTAGE_S < clock.now - 100.0 < LONGEST_OUTAGE_S + 5.0


def test_short_outages_do_not_add_up(clock: Clock) -> None:
    waiting = patience()

    for look, _ in enumerate(waiting.looks()):
        if look % 50 == 0:
            waiting.forgive(away())
        if look == 200:
            break

    assert clock.now - 100.0 > 5 * LONGEST_OUTAGE_S
