import queue
import threading
import uuid
from collections.abc import Sequence

import pytest

from pentathlon.matches.jobs import Job
from pentathlon_engines.runner import MatchAbandoned
from tests.patience import PATIENCE_S
from workers.direct import DirectPlatform
from workers.port import Lease, PlatformAway
from workers.slots.lease import LeaseKeeper

_EVERY_S = 0.005


class Database(DirectPlatform):
    """Answers renewals as told, then gladly; tells the test what it was asked."""

    def __init__(self, *answers: bool | Exception) -> None:
        super().__init__()
        self.plies: queue.Queue[int] = queue.Queue()
        self._answers = list(answers)

    def renew(self, leases: Sequence[Lease]) -> list[int]:
        answer = self._answers.pop(0) if self._answers else True
        (lease,) = leases
        self.plies.put(lease.ply)
        if isinstance(answer, Exception):
            raise answer
        return [] if answer else [lease.job.id]

    def leave_thread(self) -> None:
        """Nothing was opened."""


def _job(**limits: float) -> Job:
    return Job(
        match_id=1, told_name="", token=uuid.uuid4(), attempt=1, game="tuned", rules_version=1,
        options={}, seed=1, limits=limits, seats=(),
    )  # fmt: skip


def test_lease_is_renewed_with_the_progress() -> None:
    database = Database()

    with LeaseKeeper([_job()], platform=database, every_s=_EVERY_S) as lease:
        lease.note_ply(7)
        # The thread may have renewed the lease before, on a busy machine more than once.
        while (seen := database.plies.get(timeout=PATIENCE_S)) == 0:
            pass

    assert seen == 7


def test_lost_lease_ends_the_match() -> None:
    database = Database(True, False)

    with LeaseKeeper([_job()], platform=database, every_s=_EVERY_S) as lease:
        for _ in range(2):
            database.plies.get(timeout=PATIENCE_S)

    # The thread has ended, so it has taken in the second answer.
    with pytest.raises(MatchAbandoned):
        lease.note_ply(1)
    assert database.plies.empty(), "a lost lease is not renewed"


@pytest.mark.parametrize(
    "error",
    [PlatformAway("server closed the connection"), RuntimeError("anything")],
    ids=repr,
)
def test_no_failed_renewal_ends_the_match(error: Exception) -> None:
    database = Database(error, True)

    with LeaseKeeper([_job()], platform=database, every_s=_EVERY_S) as lease:
        for ply in range(3):
            lease.note_ply(ply)
            database.plies.get(timeout=PATIENCE_S)


def test_match_without_progress_is_not_renewed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("workers.slots.lease.SLACK_S", 0.0)
    database = Database()
    stuck_at_once = _job(startup_wall_s=0, action_wall_s=0)

    with LeaseKeeper([stuck_at_once], platform=database, every_s=_EVERY_S):
        for keeper in (thread for thread in threading.enumerate() if thread.name == "lease"):
            keeper.join(PATIENCE_S)
            assert not keeper.is_alive()

    assert database.plies.empty()


def test_nothing_held_needs_no_question() -> None:
    database, job = Database(), _job()
    lease = LeaseKeeper([job], platform=database)

    lease.release(job)
    lease.renew()

    assert database.plies.empty()
