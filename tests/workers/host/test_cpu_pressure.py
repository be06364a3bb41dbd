"""A host without CPU time holds slots back, and never all of them."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path

import pytest

from workers.host import cpu_pressure
from workers.host.cpu_pressure import Starvation, pressure


def quiet() -> float:
    return 0.1


def loaded() -> float:
    return 0.9


def _held(host: Starvation, slot: int) -> bool:
    host.slot = slot
    return host.is_held


def test_quiet_host_holds_nothing() -> None:
    host = Starvation(slots=4, pressure=quiet)

    assert host.held_slots == 0
    assert not any(_held(host, slot) for slot in range(4))


def test_starved_host_plays_on_in_its_first_slot() -> None:
    host = Starvation(slots=4, pressure=loaded)

    assert host.held_slots == 3
    assert [_held(host, slot) for slot in range(4)] == [False, True, True, True]


def test_worker_of_one_slot_is_never_held() -> None:
    assert not Starvation(slots=1, pressure=loaded).is_held


class Clock:
    """A clock that stands still until it is told."""

    now = 1000.0

    def __call__(self) -> float:
        return self.now


def _plays(host: Starvation, slot: int, clock: Clock, *, waits: float, seconds: int) -> None:
    """Let a slot play matches of one second each."""
    host.slot = slot
    for _ in range(seconds):
        clock.now += 1
        host.note(waited_s=waits, watched_s=1.0)


def test_what_matches_have_seen_counts_where_the_kernel_is_silent() -> None:
    host = Starvation(slots=2, pressure=quiet, clock=Clock())

    host.note(waited_s=8.0, watched_s=10.0)

    assert host.share() == 0.8
    assert _held(host, 1)


@pytest.mark.parametrize("watched_s", [0.0, 0.0058, 1.9])
def test_match_that_was_hardly_watched_says_nothing(watched_s: float) -> None:
    host = Starvation(slots=2, pressure=quiet, clock=Clock())

    host.note(waited_s=watched_s, watched_s=watched_s)

    assert host.share() == 0.1


def test_short_matches_that_wait_now_and_then_never_hold_a_slot() -> None:
    clock = Clock()
    host = Starvation(slots=8, pressure=quiet, clock=clock)

    for turn in range(8 * 600):
        host.slot = turn % 8
        clock.now += 0.05 / 8
        host.note(waited_s=0.0058, watched_s=0.0058)
        assert host.held_slots == 0


def test_seconds_of_short_matches_add_up() -> None:
    clock = Clock()
    host = Starvation(slots=2, pressure=quiet, clock=clock)

    _plays(host, 0, clock, waits=0.9, seconds=2)
    assert host.held_slots == 0

    _plays(host, 0, clock, waits=0.9, seconds=1)
    assert host.held_slots == 1


@pytest.mark.parametrize("starved_s", [3, 10, 100])
def test_hold_ends_seconds_after_the_host_is_well(starved_s: int) -> None:
    clock = Clock()
    host = Starvation(slots=2, pressure=quiet, clock=clock)
    for _ in range(starved_s):
        _plays(host, 0, clock, waits=0.9, seconds=1)
        _plays(host, 1, clock, waits=0.9, seconds=1)
    assert host.held_slots == 1

    _plays(host, 0, clock, waits=0.1, seconds=8)

    assert host.held_slots == 0


def test_hold_ends_though_nothing_is_watched_any_more() -> None:
    clock = Clock()
    host = Starvation(slots=2, pressure=quiet, clock=clock)
    _plays(host, 1, clock, waits=0.9, seconds=100)
    assert host.held_slots == 1

    clock.now += 20

    assert host.held_slots == 0


def test_long_match_outlasts_the_next_one() -> None:
    clock = Clock()
    host = Starvation(slots=2, pressure=quiet, clock=clock)
    host.note(waited_s=540.0, watched_s=600.0)

    clock.now += 30
    assert host.held_slots == 1

    clock.now += 30
    assert host.held_slots == 0


@pytest.mark.parametrize("slots", [1, 2, 4, 8, 32])
def test_own_load_holds_no_slot(slots: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.cpu_count", lambda: 2)
    waits = 1 - min(1.0, 2 / slots)
    host = Starvation(slots=slots, pressure=lambda: waits)

    with ExitStack() as stack:
        for slot in range(slots):
            host.slot = slot
            stack.enter_context(host.playing())

        assert host.held_slots == 0
    assert host.is_starved == (waits >= 0.75)


def test_load_of_others_beside_own_holds_slots(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.cpu_count", lambda: 2)
    waits = 1 - 2 / (8 + 24)
    host = Starvation(slots=8, pressure=lambda: waits)

    with ExitStack() as stack:
        for slot in range(8):
            host.slot = slot
            stack.enter_context(host.playing())

        assert host.held_slots == 7


@pytest.mark.parametrize(
    ("load", "some", "share"),
    [
        pytest.param(8.0, "98.00", 0.875, id="eight on a core"),
        pytest.param(8.0, "20.00", 0.2, id="most wait for disks"),
        pytest.param(0.5, "60.00", 0.0, id="idle"),
        pytest.param(8.0, None, 0.875, id="kernel without pressure"),
    ],
)
def test_pressure_is_read_from_the_kernel(
    load: float, some: str | None, share: float, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "cpu"
    if some is not None:
        path.write_text(f"some avg10={some} avg60=1.00 avg300=1.00 total=7\n")
    monkeypatch.setattr(cpu_pressure, "_PRESSURE", path)
    monkeypatch.setattr("os.getloadavg", lambda: (2 * load, 0.0, 0.0))
    monkeypatch.setattr("os.cpu_count", lambda: 2)

    assert pressure() == pytest.approx(share)
