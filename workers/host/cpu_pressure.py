"""Measures how short of CPU time this host is, and holds back slots while it is short."""

from __future__ import annotations

import mmap
import os
import re
import struct
import time
from collections.abc import Callable
from pathlib import Path
from typing import Final

from pentathlon.env import STARVED_SHARE

HOLD_S: Final = 2.0
"""How long a held slot waits before it measures again."""
_FADES_S: Final = 60.0
_PRESSURE: Final = Path("/proc/pressure/cpu")
_SOME: Final = re.compile(rb"some avg10=([\d.]+)")
_NOTE: Final = struct.Struct("dd")


def pressure() -> float:
    """Return the share of time, 0 to 1, that a runnable program waits, as the kernel reports it.

    The load says how many programs share a core, the pressure how long some program waits.
    """
    runnable = os.getloadavg()[0] / (os.cpu_count() or 1)
    waits = 1 - 1 / max(1.0, runnable)
    try:
        some = _SOME.search(_PRESSURE.read_bytes())
    except OSError:  # not every kernel reports it
        return waits
    return min(waits, float(some[1]) / 100) if some else waits


class Starvation:
    """The CPU starvation that all slots of a worker see. Make it before they are forked."""

    def __init__(
        self,
        *,
        slots: int,
        starved: float = STARVED_SHARE,
        pressure: Callable[[], float] = pressure,
    ) -> None:
        self._slots = slots
        self._starved = starved
        self._pressure = pressure
        self._notes = mmap.mmap(-1, max(1, slots) * _NOTE.size)
        self.slot = 0
        """The number of this process's slot; set it after the fork."""

    def note(self, *, waited_s: float, watched_s: float) -> None:
        """Record how much of the watched time the bots of a match waited."""
        if watched_s > 0 and self.slot < self._slots:
            found = (time.monotonic(), waited_s / watched_s)
            _NOTE.pack_into(self._notes, self.slot * _NOTE.size, *found)

    def share(self) -> float:
        """Return the share of time that bots wait: what the kernel or the last matches say."""
        fresh = time.monotonic() - _FADES_S
        notes = _NOTE.iter_unpack(self._notes[:])
        seen = [share for at, share in notes if at > max(0.0, fresh)]
        measured = sum(seen) / len(seen) if seen else 0.0
        return round(max(self._pressure(), measured), 2)

    @property
    def is_starved(self) -> bool:
        """Whether bots wait most of the time."""
        return self.share() >= self._starved

    @property
    def held_slots(self) -> int:
        """The number of slots held back: all but the first on a starved host, else none."""
        return self._slots - 1 if self.is_starved else 0

    def has_room(self, playing: int) -> bool:
        """Return whether another slot may play while this many already do."""
        return playing == 0 or playing < self._slots - self.held_slots

    @property
    def is_held(self) -> bool:
        """Whether this slot is held back; the first one never is."""
        return self.slot > 0 and self.is_starved
