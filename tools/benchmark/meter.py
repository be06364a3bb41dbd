"""CPU time and memory of this process with its ended bots, and of servers beside it."""

import gc
import os
import resource
import threading
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from types import TracebackType
from typing import Final, Self

_TICK_S: Final = 1 / os.sysconf("SC_CLK_TCK")
_CPU_FIELDS: Final = slice(11, 15)
"""utime, stime and the same of children waited for; counted after the program's name."""
_LOOK_S: Final = 0.02


def own_cpu_s() -> float:
    """Return the CPU seconds of this process and of the children it has waited for."""
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime


def cpu_s_of(pids: Iterable[int]) -> float:
    """Return the CPU seconds of processes and their ended children, to a clock tick each."""
    return sum(_ticks(pid) for pid in pids) * _TICK_S


def private_mib(pid: int) -> float:
    """Return the memory of a process alone, in MiB, without pages of the database file."""
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("RssAnon:")) / 1024


def cost_s(action: Callable[[], object]) -> float:
    """Return the CPU seconds of this process and its bots that an action takes."""
    before = own_cpu_s()
    action()
    return own_cpu_s() - before


class MemoryWatch:
    """Looks at the memory of this process alone in steps of 20 ms, until the block ends."""

    def __enter__(self) -> Self:
        """Begin to watch."""
        gc.collect()
        self.samples = [private_mib(os.getpid())]
        self._end = threading.Event()
        self._thread = threading.Thread(target=self._watch)
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Stop watching."""
        self._end.set()
        self._thread.join()

    @property
    def peak_mib(self) -> float:
        """How far the peak exceeds the memory at the beginning."""
        return max(self.samples) - self.samples[0]

    @property
    def late_growth_mib(self) -> float:
        """How far the peak of the last quarter of the time exceeds that of the first one."""
        quarter = max(1, len(self.samples) // 4)
        return max(self.samples[-quarter:]) - max(self.samples[: quarter + 1])

    def _watch(self) -> None:
        while not self._end.wait(_LOOK_S):
            self.samples.append(private_mib(os.getpid()))
        self.samples.append(private_mib(os.getpid()))


def _ticks(pid: int) -> int:
    after_name = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return sum(map(int, after_name[_CPU_FIELDS]))
