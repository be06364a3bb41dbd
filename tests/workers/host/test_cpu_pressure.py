"""A host without CPU time holds slots back, and never all of them."""

from __future__ import annotations

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


def test_what_matches_have_seen_counts_where_the_kernel_is_silent(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    host = Starvation(slots=2, pressure=quiet)

    host.note(waited_s=8.0, watched_s=10.0)
    assert host.share() == 0.8
    assert _held(host, 1)

    monkeypatch.setattr(cpu_pressure, "_FADES_S", 0.0)
    assert host.share() == 0.1


def test_match_that_nobody_watched_says_nothing() -> None:
    host = Starvation(slots=2, pressure=quiet)

    host.note(waited_s=0.0, watched_s=0.0)

    assert host.share() == 0.1


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
