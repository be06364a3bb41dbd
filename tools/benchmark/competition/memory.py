"""The memory of this process while something runs, in steps of 20 ms."""

from __future__ import annotations

import gc
import threading
from pathlib import Path
from types import TracebackType
from typing import Final, Self

_TICK_S: Final = 0.02


class MemoryWatch:
    """Watches the memory of this process alone, without pages of the database file."""

    def __enter__(self) -> Self:
        """Begin to watch."""
        gc.collect()
        self._samples = [_own_kib()]
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
    def samples(self) -> int:
        """How often the memory was measured."""
        return len(self._samples)

    @property
    def peak_mib(self) -> float:
        """How far the peak exceeds the memory at the beginning."""
        return (max(self._samples) - self._samples[0]) / 1024

    @property
    def late_growth_mib(self) -> float:
        """How far the peak of the last quarter of the time exceeds that of the first one."""
        quarter = max(1, len(self._samples) // 4)
        early, late = self._samples[: quarter + 1], self._samples[-quarter:]
        return (max(late) - max(early)) / 1024

    def _watch(self) -> None:
        while not self._end.wait(_TICK_S):
            self._samples.append(_own_kib())
        self._samples.append(_own_kib())


def _own_kib() -> int:
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("RssAnon:"))
