"""Measures how short of CPU time this host is, and holds back slots while it is short."""

from __future__ import annotations

import math
import mmap
import os
import re
import struct
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from pentathlon.env import STARVED_SHARE

HOLD_S: Final = 2.0
"""How long a held slot waits before it measures again."""
_FADES_S: Final = 10.0
"""What was watched so long ago counts by a third."""
_LEAST_WATCHED_S: Final = 2.0
"""A slot that has watched its bots for less says nothing.

Bots are looked at 20 ms after they were asked. Of quick ones only those requests are watched that
something has delayed, a few milliseconds in all.
"""
_MOST_WATCHED_S: Final = 60.0
"""A longer match counts as one of this length."""
_PRESSURE: Final = Path("/proc/pressure/cpu")
_SOME: Final = re.compile(rb"some avg10=([\d.]+)")
_NOTE: Final = struct.Struct("ddd")


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
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._slots = slots
        self._starved = starved
        self._pressure = pressure
        self._clock = clock
        self._notes = mmap.mmap(-1, max(1, slots) * _NOTE.size)
        """For each slot a time, and how long its bots had waited and been watched by then."""
        self._playing = mmap.mmap(-1, max(1, slots))
        self.slot = 0
        """The number of this process's slot; set it after the fork."""

    @property
    def _place(self) -> int:
        return min(self.slot, max(1, self._slots) - 1)

    @contextmanager
    def playing(self) -> Iterator[None]:
        """Count this slot among those that play."""
        self._playing[self._place] = 1
        try:
            yield
        finally:
            self._playing[self._place] = 0

    def note(self, *, waited_s: float, watched_s: float) -> None:
        """Record how much of the watched time the bots of a match waited."""
        if watched_s <= 0:
            return
        now = self._clock()
        place = self._place * _NOTE.size
        at, *before_s = _NOTE.unpack_from(self._notes, place)
        fades = _fades(now - at)
        weight = min(1.0, _MOST_WATCHED_S / watched_s)
        waited_s, watched_s = (
            fades * old_s + weight * new_s
            for old_s, new_s in zip(before_s, (waited_s, watched_s), strict=True)
        )
        _NOTE.pack_into(self._notes, place, now, waited_s, watched_s)

    def share(self) -> float:
        """Return the share of time that bots wait: what the kernel or the last seconds say."""
        return round(max(self._pressure(), self._measured()), 2)

    def _measured(self) -> float:
        now = self._clock()
        waited_s = all_watched_s = 0.0
        for at, slot_waited_s, slot_watched_s in _NOTE.iter_unpack(self._notes[:]):
            fades = _fades(now - at)
            if fades * slot_watched_s >= _LEAST_WATCHED_S:
                waited_s += fades * slot_waited_s
                all_watched_s += fades * slot_watched_s
        return waited_s / all_watched_s if all_watched_s else 0.0

    @property
    def is_starved(self) -> bool:
        """Whether bots wait most of the time, whatever they wait for."""
        return self.share() >= self._starved

    @property
    def held_slots(self) -> int:
        """The number of slots held back: all but the first while others starve the host.

        What the worker's own slots take from each other, because they are more than cores, is no
        reason.
        """
        cores = os.cpu_count() or 1
        fair_share = min(1.0, cores / max(1, sum(self._playing[:])))
        is_short = max(0.0, 1 - (1 - self.share()) / fair_share) >= self._starved
        return self._slots - 1 if is_short else 0

    def has_room(self, playing: int) -> bool:
        """Return whether another slot may play while this many already do."""
        return playing == 0 or playing < self._slots - self.held_slots

    @property
    def is_held(self) -> bool:
        """Whether this slot is held back; the first one never is."""
        return self.slot > 0 and self.held_slots > 0


def _fades(age_s: float) -> float:
    """Return how much of what was watched then still counts."""
    return math.exp(-max(0.0, age_s) / _FADES_S)
