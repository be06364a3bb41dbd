from __future__ import annotations

import json
import os
import select
from itertools import product
from pathlib import Path

import pytest

from tests.deep import by_turns
from tests.patience import PATIENCE_S
from tests.workers.sandbox.ways import Way
from tests.workers.sandbox.worker_users import USERS, worker_user
from workers.sandbox.files.staging import Staging


@pytest.mark.parametrize(
    ("user", "way", "state"),
    by_turns(USERS, product(Way, ["running", "paused"])),
)
def test_killed_worker_leaves_no_bot(user: str, way: Way, state: str) -> None:
    worker = worker_user(user)
    with worker.start(worker.script("doomed.py"), way, state) as doomed:
        assert doomed.stdout is not None
        bot = json.loads(doomed.stdout.readline())
        handle = os.pidfd_open(bot["pid"])

        doomed.kill()

        ended = select.select([handle], [], [], PATIENCE_S)[0]
        os.close(handle)
    assert ended


def test_killed_worker_has_its_files_swept_by_the_next() -> None:
    worker = worker_user("myself")
    with worker.start(worker.script("doomed.py"), "landlock", "running") as doomed:
        assert doomed.stdout is not None
        files = Path(json.loads(doomed.stdout.readline())["files"])
        doomed.kill()
    assert files.is_dir()

    Staging().close()

    assert not files.exists()
