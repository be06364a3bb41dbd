"""Builds an uploaded bot before its first match, and stores the result for all workers."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Final

from pentathlon.matches.jobs import Job, SeatJob
from pentathlon_engines.archive.archives import read_built
from pentathlon_engines.errors import BadArchive
from pentathlon_engines.match.launcher import Launcher
from workers.port import Platform
from workers.sandbox.build import BuildFailed, build

_STORED_EVERY_S: Final = 1.0


class BuildRefused(Exception):
    """An upload that cannot be built, through its own fault."""

    code = "build_failed"

    def __init__(self, reason: str, *, version_id: int, log: str) -> None:
        super().__init__(reason)
        self.version_id = version_id
        self.log = log


class _LiveLog:
    """Lets an author read the log while the build runs."""

    def __init__(self, note: Callable[[str], None], on_tick: Callable[[], None]) -> None:
        self._note = note
        self._on_tick = on_tick
        self._stored = ""
        self._next = 0.0

    def show(self, log: str) -> None:
        """Store the log if it has grown, once a second at most."""
        self._on_tick()
        if log != self._stored and time.monotonic() >= self._next:
            self._next = time.monotonic() + _STORED_EVERY_S
            self.store(log)

    def store(self, log: str) -> None:
        """Store the log."""
        self._stored = log
        self._note(log)


def build_version(
    job: Job,
    seat: SeatJob,
    folder: Path,
    *,
    platform: Platform,
    launcher: Launcher,
    on_tick: Callable[[], None],
) -> str:
    """Build the bot of a seat from its folder, unless another worker has built it meanwhile.

    Returns the content hash of the files to run.

    Raises:
        BuildRefused: the bot cannot be built.
        LaunchFailed: this host cannot build it.
    """
    files_hash = platform.built_files(job, seat)
    if files_hash:
        return files_hash
    live = _LiveLog(lambda log: platform.note_build_log(job, seat, log), on_tick)
    made = build(folder, seat.manifest, launcher=launcher, on_tick=live.show)
    live.store(made.log)
    if isinstance(made, BuildFailed):
        raise BuildRefused(made.reason, version_id=seat.version_id, log=made.log)
    try:
        built = read_built(made.archive, seat.manifest)
    except BadArchive as error:
        raise BuildRefused(str(error), version_id=seat.version_id, log=made.log) from error
    return platform.keep_build(job, seat, built)
