"""One worker: the state that its slots share, and the slot that runs in this process."""

from __future__ import annotations

import multiprocessing
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Final

import structlog

from pentathlon.core import tracing
from pentathlon.core.errors import DomainError
from pentathlon.env import DRAIN_S, Mode, read_environment
from pentathlon.fleet.announcements import MOVE_BOTS, Announcement
from pentathlon.insight.analyses.jobs import AnalysisJob
from pentathlon_engines.match.launcher import SandboxLevel
from workers.drain import Drain
from workers.heartbeat import Heartbeat, describe_worker
from workers.host.cpu_pressure import HOLD_S, Starvation
from workers.host.runtimes import Runtimes, known_runtimes, start_trials
from workers.port import Platform, PlatformAway
from workers.sandbox.errors import LayerMissing
from workers.sandbox.files.staging import Staging, close_all
from workers.sandbox.levels import level_of
from workers.sandbox.probe import Probe
from workers.slots.analyst import analyse
from workers.slots.broadcast import Broadcast
from workers.slots.play import play_jobs
from workers.slots.slot import Slot, open_slot, pin_to_core

LONGEST_S: Final = 30.0
FIRST_S: Final = 1.0
_DOUBLINGS: Final = 20
"""More doublings than any pause needs; a host may fail for days."""
PERSISTENT: Final = 3
"""A slot is closed and opened again after each run of this many failures."""
_TRIAL_S: Final = 10.0
"""How long to wait for a running trial; one takes less even on a busy host."""

_log = structlog.stdlib.get_logger(__name__)


class WorkerProcess:
    """A worker, made in its parent process; each child that this one forks becomes one slot.

    What the slots share lies in memory that they inherit, so make this object before they are
    forked.
    """

    def __init__(
        self,
        probe: Probe | None,
        *,
        platform: Platform,
        slots: int = 1,
        drain: Drain | None = None,
        starvation: Starvation | None = None,
        backoff: Backoff | None = None,
        open_slot: Callable[..., Slot] = open_slot,
    ) -> None:
        self.platform = platform
        self.drain = drain or Drain(grace_s=DRAIN_S[Mode.LOCAL])
        self.level = level_of(probe)
        self._tries_runtimes = self.level is not SandboxLevel.PROCESS
        self.starvation = starvation or Starvation(slots=slots)
        self._runtimes = Runtimes(known_runtimes(probe))
        self._description = describe_worker(probe, slots=slots)
        self._backoff = backoff or Backoff()
        self._open_slot = open_slot
        self._broadcast = Broadcast(platform)
        self._pool_files: Staging | None = None
        self._index = 0
        self._slot: Slot | None = None
        self._beats: Heartbeat | None = None
        self._trials: threading.Thread | None = None

    def announcement(self) -> Announcement:
        """Return the description of the worker with the runtimes known to work by now."""
        runtimes = self._runtimes
        untried = runtimes.untried() if self._tries_runtimes else []
        return replace(self._description, runtimes=runtimes.working(), untried=untried)

    def adopt_pool_files(self) -> None:
        """Make the process pool put its files where the next worker removes them.

        Slots inherit the lock on that folder.
        """
        self._pool_files = Staging()
        # The pool asks the standard library for a folder, which remembers it here.
        process = multiprocessing.current_process()
        process._config["tempdir"] = str(self._pool_files.folder)  # type: ignore[attr-defined]  # private

    def become_slot(self, index: int) -> None:
        """Start to work as one slot, in the child process that runs it."""
        self._index = self.starvation.slot = index
        tracing.start(read_environment(), service="pentathlon-worker")
        pin_to_core(index)
        # The heartbeat comes first: a slot that cannot be opened now may be opened later.
        beats = Heartbeat(
            self.announcement, self.drain, platform=self.platform, host=self.starvation
        )
        beats.start()
        self._beats = beats
        self._ensure_slot()
        if index == 0:
            threading.Thread(target=self._hand_in_unsent, name="unsent", daemon=True).start()
        if index == 0 and self._tries_runtimes:
            self._trials = start_trials(self._runtimes, self.level, self.drain)

    def _hand_in_unsent(self) -> None:
        try:
            taken = self.platform.hand_in_unsent()
        except (PlatformAway, DomainError) as error:
            _log.warning("results of an earlier run not handed in", reason=str(error))
            return
        if taken:
            _log.info("results of an earlier run handed in", taken=taken)

    def remove_files(self) -> None:
        """Remove the files of a slot that ends: its process runs no exit handlers."""
        if self._trials is not None:
            # The thread would make files while they are removed; it notices the end between two
            # trials.
            self._trials.join(_TRIAL_S)
        close_all()
        tracing.stop()

    def say_goodbye(self) -> None:
        """Report by the heartbeat that the worker drains, before its process ends."""
        if self._beats is not None and self.drain.is_asked:
            self._beats.wait()

    def give_back(self, match_ids: Sequence[int]) -> None:
        """Leave the matches that a held slot was offered to other slots, and wait a while."""
        self.platform.publish_again(match_ids)
        self.drain.wait(HOLD_S)

    def follow(self, task: str, ids: Sequence[int], *, is_lent: bool = False) -> None:
        """Claim and do what a hint names and still waits, or publish all of it again."""
        with self._patience():
            slot = self._open(task, ids)
            if slot is None:
                return
            claimed = self.platform.claim(
                ids, task=task, slot=slot.name, announcement=self.announcement(), is_lent=is_lent
            )
            jobs = [job for job in claimed if not isinstance(job, AnalysisJob)]
            for job in claimed:
                if isinstance(job, AnalysisJob):
                    analyse(job, platform=self.platform, drain=self.drain)
            if task == MOVE_BOTS:
                # A person waits, and is told that somebody is at it.
                self._broadcast.note_change(jobs)
            if jobs:
                failed = play_jobs(
                    jobs,
                    platform=self.platform,
                    launcher=slot.launcher,
                    files=slot.files,
                    drain=self.drain,
                    host=self.starvation,
                    broadcast=self._broadcast,
                )
                self._wait_after(failed=failed == len(jobs))

    def _open(self, task: str, ids: Sequence[int]) -> Slot | None:
        """Return the slot to do this work in; leave the work to others if there is none."""
        if not self.drain.is_asked:
            try:
                return self._ensure_slot()
            except (LayerMissing, OSError) as error:
                _log.warning("slot not opened", reason=str(error))
        self.platform.publish_again(ids, task=task)
        self._wait_after(failed=not self.drain.is_asked)
        return None

    @contextmanager
    def _patience(self) -> Iterator[None]:
        """Wait after the platform was away, or refused: hints may come without it.

        The refusal is not about the token: the site may run another release for a while.
        """
        try:
            yield
        except (PlatformAway, DomainError) as error:
            _log.warning("no work for now", reason=str(error))
            if not self.platform.has_refused:
                self._wait_after(failed=True)

    def _wait_after(self, *, failed: bool) -> None:
        self._backoff.record(failed=failed)
        if self._backoff.is_persistent:
            # The fault may lie in this process: the next match gets a new slot.
            self._close_slot()
        self._backoff.wait(self.drain)

    def _ensure_slot(self) -> Slot:
        if self._slot is None:
            name = f"{self._description.name}.{self._index}"
            self._slot = self._open_slot(self.level, name=name, fetch=self.platform.archive)
        return self._slot

    def _close_slot(self) -> None:
        if self._slot is not None:
            self._slot.close()
            self._slot = None


class Backoff:
    """Exponential backoff over consecutive failures of the host.

    A match survives only three failures. Without a backoff, a host with a full disk, which fails
    within a moment, would be the first to take every match again.
    """

    def __init__(self, *, first_s: float = FIRST_S) -> None:
        self._first_s = first_s
        self._in_a_row = 0

    def record(self, *, failed: bool) -> None:
        """Count a failure, or reset the count after a success."""
        self._in_a_row = self._in_a_row + 1 if failed else 0

    @property
    def is_persistent(self) -> bool:
        """Whether it is time to open the slot again; true at intervals while the failures last."""
        return self._in_a_row > 0 and self._in_a_row % PERSISTENT == 0

    @property
    def pause_s(self) -> float:
        """How long to wait: 0 after a success, twice as long after each failure."""
        if not self._in_a_row:
            return 0.0
        return min(LONGEST_S, self._first_s * 2.0 ** min(self._in_a_row - 1, _DOUBLINGS))

    def wait(self, drain: Drain) -> None:
        """Wait for `pause_s`, or until the worker is asked to stop."""
        drain.wait(self.pause_s)
