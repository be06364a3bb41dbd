"""A worker's disk really gets full: the kernel refuses, the host is to blame, no bot loses."""

from __future__ import annotations

import errno
import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from pentathlon.local.supervisor import Service
from pentathlon.matches.models import Attempt, AttemptState, Match, MatchState
from pentathlon_engines.match.launcher import SandboxLevel
from tests.deep import by_turns
from tests.factories import make_match, make_version
from tests.patience import PATIENCE_S
from tests.workers.running import running_platform
from tests.workers.sandbox.worker_users import USERS, user_arguments, worker_user
from tools.chaos.crew import CrewRole, Member
from tools.chaos.disks import Disks, ImitatedDisks, OwnDisks, disks
from workers.sandbox.files.staging import Staging

SMALL_BYTES = 64 << 20
WRITER = """\
import sys, tempfile
for line in sys.stdin:
    try:
        with tempfile.TemporaryFile(buffering=0) as file:
            file.write(b"x")
        print(0, flush=True)
    except OSError as error:
        print(error.errno, flush=True)
"""


@pytest.fixture
def folder() -> Iterator[Path]:
    """A folder that every user can reach, where a disk may be mounted."""
    staging = Staging()
    yield staging.new_folder()
    staging.close()


@contextmanager
def writer(drives: Disks) -> Iterator[tuple[Member, Callable[[], int]]]:
    """Give a program with its disk, and what makes it write there: 0, or why it cannot."""
    with subprocess.Popen(
        drives.command([sys.executable, "-c", WRITER]),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as process:
        stdin, stdout = process.stdin, process.stdout
        assert stdin is not None
        assert stdout is not None

        def write() -> int:
            stdin.write(b"go\n")
            stdin.flush()
            return int(stdout.readline())

        yield as_member(process), write


def as_member(process: subprocess.Popen[bytes]) -> Member:
    service = Service(name="worker", command=())
    return Member(CrewRole.WORKER, service, Path("worker.log"), process)


@pytest.mark.parametrize(
    ("make", "refusal"),
    [
        (lambda folder: OwnDisks(folder, size_bytes=SMALL_BYTES), errno.ENOSPC),
        (lambda _: ImitatedDisks(), errno.EFBIG),
    ],
    ids=["real", "imitated"],
)
def test_full_disk_refuses_writes_until_it_is_emptied(
    make: Callable[[Path], Disks], refusal: int, folder: Path
) -> None:
    drives = make(folder)
    with writer(drives) as (member, write):
        assert write() == 0
        undo = drives.fill(member)
        assert undo is not None
        assert write() == refusal
        undo()
        assert write() == 0


def test_disk_is_nobody_elses(folder: Path) -> None:
    drives = OwnDisks(folder, size_bytes=SMALL_BYTES)
    with writer(drives) as (member, write), writer(drives) as (_, write_other):
        write(), write_other()
        undo = drives.fill(member)
        assert undo is not None

        assert (write(), write_other()) == (errno.ENOSPC, 0)
        assert drives.fill(member) is None, "it is full already"
        assert list(folder.iterdir()) == []
        assert not folder.is_mount()
        undo()


def test_hosts_own_disk_is_never_filled(folder: Path) -> None:
    with writer(ImitatedDisks()) as (without_a_disk, write):
        write()

        assert OwnDisks(folder).fill(without_a_disk) is None


def test_disk_is_real_where_the_host_allows_it() -> None:
    with disks() as found:
        assert found.kind == "real"


@pytest.mark.parametrize(
    ("name", "level"), by_turns(USERS, [(SandboxLevel.NAMESPACES,), (SandboxLevel.LANDLOCK,)])
)
def test_bot_that_ends_on_a_full_disk_has_not_failed(
    name: str, level: SandboxLevel, folder: Path
) -> None:
    user = worker_user(name)
    folder.chmod(0o777)
    drives = OwnDisks(folder, size_bytes=SMALL_BYTES)
    program = [user.python, "-B", user.script("full_disk.py"), level]
    ended = subprocess.run(
        [user.python, *drives.command(program)[1:]],
        env=user.environment, cwd="/", capture_output=True, text=True, check=False,
        timeout=PATIENCE_S, **user_arguments(user.uid),
    )  # fmt: skip

    assert ended.returncode == 0, ended.stderr
    # In namespaces the bot's scratch folder is not on the worker's disk.
    own = level is SandboxLevel.NAMESPACES
    assert json.loads(ended.stdout) == {
        "running": "status 3" if own else "host_disk_full",
        "next": "status 3" if own else "launch_failed",
        "afterwards": "status 3",
    }


@pytest.mark.deep
@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
def test_match_on_a_full_disk_is_played_later_and_nobody_loses(
    tmp_path: Path, folder: Path
) -> None:
    drives = OwnDisks(folder, size_bytes=SMALL_BYTES)
    with running_platform(tmp_path) as platform:
        worker = as_member(platform.start_worker(disks=drives))
        # Trials of runtimes copy files to the disk and remove them, which would make room again.
        platform.eventually(lambda: "runtimes tried" in platform.all_logs())
        undo = drives.fill(worker)
        assert undo is not None
        match = make_match([make_version(), make_version(like="greedy")])
        platform.start_reconciler()
        platform.eventually(lambda: Attempt.objects.filter(state=AttemptState.FAILED).exists())
        undo()
        platform.eventually(lambda: not Match.objects.unfinished().exists())

    match.refresh_from_db()
    assert match.state == MatchState.DONE
    assert not match.seats.exclude(fault_kind="").exists()
    assert [attempt.state for attempt in match.attempts.order_by("number")][-1] == "accepted"
    assert match.attempts.order_by("number")[0].reason == "OSError"
