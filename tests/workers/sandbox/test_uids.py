"""The uids of bots: no two workers of a host have one in common."""

from __future__ import annotations

import ctypes
import fcntl
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from pentathlon.env import CHECKOUT, IMPORT_PATH, child_environment
from tests.patience import PATIENCE_S
from tests.workers.sandbox.namespaces import run_apart
from workers.sandbox import uids
from workers.sandbox.errors import LayerMissing
from workers.sandbox.uids import BOTS_PER_RANGE, FIRST_UID, UIDS_PER_RANGE, UidPool, identity

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="only a root worker has several uids")

CLAIM = """
from pathlib import Path
from workers.sandbox import uids
uids.LOCKS = Path({locks!r})
uids._first_range = lambda: {first}
print(uids.UidPool().server)
"""
BEGIN_APART = """
import ctypes, os
from workers.sandbox.uids import _first_range
kept, seen = [], set()
for _ in range(4):
    seen.add(_first_range())
    # The number of a namespace that has ended could go to the next one.
    kept.append(os.open("/proc/self/ns/net", os.O_RDONLY))
    assert ctypes.CDLL(None).unshare(0x40000000) == 0
print(len(seen))
"""
LOSES_ITS_PARENT = """
import ctypes, os, signal, time
from workers.sandbox.uids import FIRST_UID, identity
inside, tell = os.pipe()
if os.fork():
    os.read(inside, 1)
    os._exit(0)
parent = os.getppid()
ctypes.CDLL(None).prctl(1, signal.SIGKILL)
with identity(FIRST_UID):
    os.write(tell, b"!")
    while os.getppid() == parent:
        time.sleep(.001)
    print("alone", flush=True)
print("alive", flush=True)
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
    assert abs(claimed_apart(locks, "--net") - claimed.server) >= UIDS_PER_RANGE


def test_worker_with_other_files_has_other_uids(claimed: UidPool, tmp_path: Path) -> None:
    assert abs(claimed_apart(tmp_path / "others", "--mount") - claimed.server) >= UIDS_PER_RANGE


def test_slot_is_free_again_when_it_is_closed(locks: Path) -> None:
    first = UidPool()
    first.close()

    second = UidPool()
    second.close()

    assert second.server == first.server


def test_worker_without_a_folder_for_locks_has_uids(
    locks: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(uids, "LOCKS", Path("/proc/nowhere"))

    made = UidPool()
    made.close()

    assert made.server >= uids.FIRST_UID


def test_workers_that_see_nothing_of_each_other_begin_apart() -> None:
    assert int(run_apart(BEGIN_APART, "--net")) > 1


def test_range_that_another_worker_has_locked_is_passed_over(locks: Path) -> None:
    locks.mkdir(mode=0o700)
    held = os.open(locks / f"slot-{FIRST}", os.O_RDWR | os.O_CREAT, 0o600)
    fcntl.flock(held, fcntl.LOCK_EX)

    made = UidPool()
    made.close()
    os.close(held)

    assert made.server == uids.FIRST_UID + (FIRST + 1) * UIDS_PER_RANGE


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
    with pytest.raises(
        LayerMissing, match=f"{BOTS_PER_RANGE} bots of this worker are running already"
    ):
        pool.take()


def test_bot_with_our_own_uid_changes_no_ids() -> None:
    before = own_status()

    with identity(os.geteuid()), uids.real_user(os.geteuid()):
        assert own_status() == before


def own_status() -> dict[str, str]:
    """Return what the kernel says about this thread's ids and capabilities."""
    lines = Path("/proc/thread-self/status").read_text().splitlines()
    pairs = (line.split(":\t") for line in lines)
    return {name: rest for name, rest in pairs if name.startswith(("Uid", "Gid", "Grou", "Cap"))}


def test_program_of_an_identity_has_nothing_else() -> None:
    with identity(FIRST_UID):
        told = subprocess.run(
            ["/bin/cat", "/proc/self/status"], capture_output=True, check=True, text=True
        ).stdout

    status = dict(line.split(":\t") for line in told.splitlines() if ":\t" in line)
    four = "\t".join([str(FIRST_UID)] * 4)
    assert (status["Uid"], status["Gid"], status["Groups"].strip()) == (four, four, "")
    for name in ("CapPrm", "CapEff", "CapAmb"):
        assert int(status[name], 16) == 0


def test_thread_is_itself_again_after_an_identity() -> None:
    libc, death_signal = ctypes.CDLL(None), ctypes.c_int()
    before, dumps = own_status(), libc.prctl(uids._PR_GET_DUMPABLE)
    libc.prctl(uids._PR_SET_PDEATHSIG, signal.SIGUSR1)

    with pytest.raises(FileNotFoundError), identity(FIRST_UID):
        subprocess.run(["/absent"], check=True)

    libc.prctl(uids._PR_GET_PDEATHSIG, ctypes.byref(death_signal))
    libc.prctl(uids._PR_SET_PDEATHSIG, 0)
    assert own_status() == before
    assert libc.prctl(uids._PR_GET_DUMPABLE) == dumps
    assert death_signal.value == signal.SIGUSR1


def test_other_threads_keep_their_ids() -> None:
    looks, seen = threading.Event(), []

    def look() -> None:
        looks.wait()
        seen.append(own_status()["Uid"].split())

    other = threading.Thread(target=look)
    other.start()

    with identity(FIRST_UID):
        looks.set()
        other.join()

    assert seen == [["0"] * 4]


def test_worker_that_loses_its_parent_within_an_identity_dies_with_it() -> None:
    ended = subprocess.run(
        [sys.executable, "-c", LOSES_ITS_PARENT],
        cwd=CHECKOUT,
        env=child_environment(PYTHONPATH=IMPORT_PATH),
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=True,
    )

    assert ended.stdout == "alone\n"
