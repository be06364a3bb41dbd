"""The uids of bots: no two workers of a host have one in common."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.workers.sandbox.namespaces import run_apart
from workers.sandbox import uids
from workers.sandbox.errors import LayerMissing
from workers.sandbox.uids import BOTS_PER_RANGE, UidPool

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="only a root worker has several uids")

CLAIM = """
from pathlib import Path
from workers.sandbox import uids
uids.LOCKS = Path({locks!r})
uids._first_range = lambda: {first}
print(uids.UidPool().first)
"""
BEGIN_APART = """
import ctypes, os
from workers.sandbox.uids import _first_range
kept, seen = [], set()
for _ in range(4):
    seen.add(_first_range())
    # One that ended could give its number to the next.
    kept.append(os.open("/proc/self/ns/net", os.O_RDONLY))
    assert ctypes.CDLL(None).unshare(0x40000000) == 0
print(len(seen))
"""
FIRST = 200


@pytest.fixture
def locks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Let slots be claimed from the same one on, with a folder that only tests share."""
    monkeypatch.setattr(uids, "LOCKS", tmp_path / "locks")
    monkeypatch.setattr(uids, "_first_range", lambda: FIRST)
    return tmp_path / "locks"


@pytest.fixture
def claimed(locks: Path) -> Iterator[UidPool]:
    made = UidPool()
    yield made
    made.close()


def claimed_apart(locks: Path, *namespaces: str) -> int:
    return int(run_apart(CLAIM.format(locks=str(locks), first=FIRST), *namespaces))


def test_worker_in_another_network_namespace_has_other_uids(locks: Path, claimed: UidPool) -> None:
    assert abs(claimed_apart(locks, "--net") - claimed.first) >= BOTS_PER_RANGE


def test_worker_with_other_files_has_other_uids(claimed: UidPool, tmp_path: Path) -> None:
    assert abs(claimed_apart(tmp_path / "others", "--mount") - claimed.first) >= BOTS_PER_RANGE


def test_slot_is_free_again_when_it_is_closed(locks: Path) -> None:
    first = UidPool()
    first.close()

    second = UidPool()
    second.close()

    assert second.first == first.first


def test_worker_without_a_folder_for_locks_has_uids(
    locks: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(uids, "LOCKS", Path("/proc/nowhere"))

    made = UidPool()
    made.close()

    assert made.first >= uids.FIRST_UID


def test_workers_that_see_nothing_of_each_other_begin_apart() -> None:
    assert int(run_apart(BEGIN_APART, "--net")) > 1


def test_range_that_another_worker_has_locked_is_passed_over(locks: Path) -> None:
    locks.mkdir(mode=0o700)
    held = os.open(locks / f"slot-{FIRST}", os.O_RDWR | os.O_CREAT, 0o600)
    fcntl.flock(held, fcntl.LOCK_EX)

    made = UidPool()
    made.close()
    os.close(held)

    assert made.first == uids.FIRST_UID + (FIRST + 1) * BOTS_PER_RANGE


def test_machine_without_a_free_range_starts_no_worker(
    claimed: UidPool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(uids, "_first_range", lambda: 0)
    monkeypatch.setattr(uids, "_bind", lambda number, claim: False)

    with pytest.raises(LayerMissing, match="all 256 ranges of uids on this machine are taken"):
        UidPool()


def test_folder_for_locks_of_somebody_else_is_not_trusted(locks: Path) -> None:
    locks.mkdir()
    os.chown(locks, 4321, 4321)

    made = UidPool()
    made.close()

    assert list(locks.iterdir()) == []


def test_uid_outside_of_the_user_namespace_is_refused() -> None:
    with pytest.raises(LayerMissing, match="does not exist in its user namespace"):
        uids._check_mapped(2**32)


def test_worker_without_root_shares_its_own_uid_with_its_bots(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("os.geteuid", lambda: 4321)
    pool = UidPool()

    taken = {pool.take() for _ in range(BOTS_PER_RANGE)}
    pool.close()

    assert taken == {4321}
    with pytest.raises(LayerMissing, match="16 bots of this worker are running already"):
        pool.take()


def test_bot_with_our_own_uid_needs_no_program_that_drops_root() -> None:
    own = os.geteuid()

    assert uids.user_arguments(own) == {}
    assert uids.run_as(own) == ([], {})
    with uids.real_user(own):
        assert os.getuid() == own


def test_program_that_cannot_drop_root_is_passed_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    weak = tmp_path / "chroot"
    weak.write_text("#!/bin/sh\necho 0\n")
    weak.chmod(0o755)
    monkeypatch.setattr(uids, "DROPS", {weak: ("--user={uid}",), tmp_path / "none": ()})

    assert uids.run_as(60001) == ([], uids.user_arguments(60001))
