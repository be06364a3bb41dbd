"""The wall clock of a bot: it counts sleep only, by looks at its threads in `/proc`.

The CPU clock measures a bot that runs, and one that waits for its host pays nothing. We look at a
bot at times that it cannot know. If it is asleep then, we charge it with the time since the
previous look, but never with more than its CPU clock leaves over.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from enum import StrEnum
from random import SystemRandom
from typing import Final

from pentathlon_engines.match.launcher import NOBODY, Awake, AwakeThread
from pentathlon_engines.match.limits import Limits

FROZEN_S: Final = 0.5
"""A look that is later than this shows that we were stopped, and most likely the bot, too."""
PATIENCE: Final = 10
"""A bot may take this many times its limits before we give up its host."""
_LEAST_PATIENCE_S: Final = 10.0
_LOOK_S: Final = (0.005, 0.035)
_SECOND_LOOK_S: Final = (0.0002, 0.001)
_OUR_LOOK_S: Final = 0.002
"""A look at many threads takes less than this."""
_RAN_ALL_THE_TIME: Final = 0.9

_random = SystemRandom()
_DISK: Final = b"D"
_AWAKE: Final = (b"R", _DISK)
_SLEEPS: Final = b"\nvoluntary_ctxt_switches:"
_MOST_BYTES: Final = 8192
_NANOSECONDS: Final = 1_000_000_000


def time_to_look_s() -> float:
    """Draw how long to wait before the next look; 20 ms on average."""
    return _random.uniform(*_LOOK_S)


def time_to_look_again_s() -> float:
    """Draw how long a bot has to stay awake before it counts as awake.

    A bot that sleeps in short naps often wakes just while we look, since we hold the core.
    """
    return _random.uniform(*_SECOND_LOOK_S)


class Found(StrEnum):
    """The state in which a look finds a bot."""

    AWAKE = "awake"
    ON_DISK = "on_disk"
    ASLEEP = "asleep"


def compare(before: Awake, after: Awake) -> Found:
    """Return what a bot did between two looks, by the threads that have not gone to sleep.

    Only a single wait that lasts from one look to the next counts as the disk's. A bot can cause
    as many short waits as it likes by reading one page after another, so they count as sleep.
    """
    still = {
        thread
        for thread, (sleeps, *_) in before.items()
        if thread in after and after[thread].is_awake and after[thread].sleeps == sleeps
    }
    if any(not before[thread].is_on_disk for thread in still):
        return Found.AWAKE
    on_disk = {thread for thread, now in after.items() if now.is_awake and now.is_on_disk}
    if still and on_disk <= still:
        return Found.ON_DISK
    return Found.ASLEEP


def kept_waiting(before: Awake, after: Awake) -> bool:
    """Return whether the host kept a bot waiting at the first of two looks.

    Work that passes from thread to thread leaves no thread awake from one look to the next. But a
    thread that was awake and had never slept did not wake up while we looked, and one that had to
    wait for long before it ran was not only kept by us, who held the core to look.
    """
    return any(
        not was.is_on_disk
        and (
            was.sleeps == 0
            or (thread in after and after[thread].waited_s - was.waited_s > _OUR_LOOK_S)
        )
        for thread, was in before.items()
    )


class WallClock:
    """What a bot has done since it was asked, in seconds."""

    __slots__ = ("_asleep_s", "_cpu_s", "_looked_at", "elapsed_s", "on_disk_s", "ran_s")

    def __init__(self, *, now: float = 0.0, cpu_s: float = 0.0) -> None:
        self._looked_at = now
        self._cpu_s = cpu_s
        self._asleep_s = 0.0
        self.elapsed_s = 0.0
        """The time up to the last look, without the time in which we were stopped."""
        self.ran_s = 0.0
        self.on_disk_s = 0.0
        """How long the bot waited for the disk of its host, or otherwise in the kernel."""

    def has_run(self, *, now: float, cpu_s: float) -> bool:
        """Return whether the CPU clock shows that the bot ran nearly all the time since a look."""
        return cpu_s - self._cpu_s >= _RAN_ALL_THE_TIME * (now - self._looked_at)

    def note(self, *, now: float, cpu_s: float, due: float, found: Found) -> None:
        """Count the time since the last look; the next one was `due` then."""
        passed_s = now - self._looked_at
        if now - due > FROZEN_S:
            passed_s = max(0.0, due - self._looked_at)
        self.elapsed_s += passed_s
        self.ran_s += min(max(0.0, cpu_s - self._cpu_s), passed_s)
        if found is Found.ASLEEP:
            self._asleep_s += passed_s
        elif found is Found.ON_DISK:
            self.on_disk_s += passed_s
        self._looked_at, self._cpu_s = now, cpu_s

    def add(self, other: WallClock) -> None:
        """Add the times of another clock."""
        self.elapsed_s += other.elapsed_s
        self.ran_s += other.ran_s
        self.on_disk_s += other.on_disk_s
        self._asleep_s += other.slept_s

    def forgive(self) -> None:
        """Forget the times so far, because somebody disturbed the bot."""
        self._asleep_s = self.elapsed_s = self.ran_s = self.on_disk_s = 0.0

    @property
    def slept_s(self) -> float:
        """How long the bot slept."""
        return min(self._asleep_s, self.elapsed_s - self.ran_s)

    @property
    def waited_s(self) -> float:
        """How long the bot waited for its host."""
        return self.elapsed_s - self.ran_s - self.slept_s

    def wall_s(self, now: float) -> float:
        """Return how long the bot took, without the time in which it waited for its host."""
        # Nobody has looked since; a long time means that we were stopped.
        unseen_s = min(now - self._looked_at, FROZEN_S)
        return self.ran_s + self.slept_s + unseen_s

    def __str__(self) -> str:
        seconds = f"{self.slept_s:.3f} s of {self.elapsed_s:.3f} s"
        return f"{seconds}, with {self.ran_s:.3f} s of CPU time"


def explain_sleep(clock: WallClock, past: WallClock, limits: Limits) -> str | None:
    """Describe how a bot slept too long in a request; `past` has its answered requests."""
    if clock.slept_s > limits.action_wall_s:
        return f"slept {clock}; {limits.action_wall_s:g} s are allowed for one action"
    slept_s = past.slept_s + clock.slept_s
    if slept_s > limits.match_wall_s:
        return f"slept {slept_s:.3f} s in the match; {limits.match_wall_s:g} s are allowed"
    return None


def explain_start(clock: WallClock, cpu_s: float, limits: Limits) -> str | None:
    """Describe how a bot took too long to start."""
    allowed = f"without a ready line; {limits.startup_wall_s:g} s are allowed"
    if cpu_s > limits.startup_wall_s:
        return f"used {cpu_s:.3f} s of CPU time {allowed}"
    if clock.slept_s > limits.startup_wall_s:
        return f"slept {clock}, {allowed}"
    return None


def is_given_up(clock: WallClock, past: WallClock, limits: Limits) -> bool:
    """Return whether a host has kept a bot waiting for so long that we give it up."""
    return (
        clock.on_disk_s > limits.action_wall_s
        or past.on_disk_s + clock.on_disk_s > limits.match_wall_s
        or clock.elapsed_s > longest_request_s(limits)
        or past.elapsed_s + clock.elapsed_s > longest_match_s(limits)
    )


def is_start_given_up(clock: WallClock, limits: Limits) -> bool:
    """Return the same for a bot that starts."""
    limit_s = limits.startup_wall_s
    return clock.on_disk_s > limit_s or clock.elapsed_s > longest_start_s(limits)


def longest_start_s(limits: Limits) -> float:
    """Return how long the start of a bot may take on the slowest host."""
    return _patience_s(limits.startup_wall_s, limits.startup_wall_s)


def longest_request_s(limits: Limits) -> float:
    """Return how long a request may take on the slowest host."""
    return _patience_s(limits.action_cpu_s, limits.action_wall_s)


def longest_match_s(limits: Limits) -> float:
    """Return how long all requests of a match may take one bot on the slowest host."""
    return _patience_s(limits.match_cpu_s, limits.match_wall_s)


def _patience_s(*limits_s: float) -> float:
    return max(_LEAST_PATIENCE_S, PATIENCE * sum(limits_s))


def awake_threads(processes: Iterable[int], known: Awake = NOBODY) -> Awake:
    """Return the awake threads of these processes; invisible ones do not count.

    Threads that are `known` are returned even if they sleep by now.

    All threads are examined, because a process whose first thread has ended only looks dead. With
    several processes, threads that wait for the disk are left out: a process that starts another
    one seems to wait for the disk until that one runs.
    """
    processes = list(processes)
    found: dict[int, AwakeThread] = {}
    for process in processes:
        folder = f"/proc/{process}/task"
        try:
            threads = os.listdir(folder)  # noqa: PTH208  # at every look, and five times as fast
        except OSError:
            continue
        for name in threads:
            thread = _look_at(f"{folder}/{name}", is_known=int(name) in known)
            if thread is not None and not (thread.is_on_disk and len(processes) > 1):
                found[int(name)] = thread
    return found


def _look_at(folder: str, *, is_known: bool) -> AwakeThread | None:
    """Return the thread with this folder, or None if it has ended or sleeps unknown."""
    try:
        state = _read(f"{folder}/stat").rpartition(b")")[2][1:2]
        if state not in _AWAKE and not is_known:
            return None
        count = _read(f"{folder}/status").partition(_SLEEPS)[2]
    except OSError:
        return None
    # Some kernels do not tell how often a thread has slept; then it counts as awake.
    sleeps = int(count.partition(b"\n")[0] or 0)
    return AwakeThread(sleeps, state == _DISK, _waited_s(folder), state in _AWAKE)


def _waited_s(folder: str) -> float:
    """Return how long a thread has waited for the CPU; 0 if the kernel does not tell."""
    try:
        return int(_read(f"{folder}/schedstat").split()[1]) / _NANOSECONDS
    except (OSError, IndexError, ValueError):
        return 0.0


def _read(path: str) -> bytes:
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        return os.read(descriptor, _MOST_BYTES)
    finally:
        os.close(descriptor)
