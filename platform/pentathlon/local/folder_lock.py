"""Let one `up` at a time use a data folder."""

import fcntl
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


class AlreadyRunning(Exception):
    """Another process uses this data folder."""

    code = "already_running"


@contextmanager
def only_one(data: Path, *, address: str) -> Iterator[None]:
    """Hold the data folder; the kernel frees it however this process ends."""
    with (data / "up.lock").open("a+") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            lock.seek(0)
            raise AlreadyRunning(
                f"Pentathlon is running already on {data}: {lock.read().strip()}. "
                "Stop it with Ctrl-C, or set PENTATHLON_DATA to another folder."
            ) from error
        lock.truncate(0)
        lock.write(address)
        lock.flush()
        yield
