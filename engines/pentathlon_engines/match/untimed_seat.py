"""A seat without clocks, for a bot that somebody debugs."""

import time

from pentathlon_engines.match.seat import Seat
from pentathlon_engines.match.wall_clock import WallClock


class UntimedSeat(Seat):
    """A bot that is told its limits as usual, while nobody enforces those of time."""

    __slots__ = ()

    def clock(self) -> dict[str, int]:
        """Return the clock of a request; nothing in it is below 0."""
        return {name: max(0, value) for name, value in super().clock().items()}

    def _check_start(self) -> None:
        if (now := time.monotonic()) >= self._next_look:
            self._look_around(now)

    def _check_silence(self, ran_s: float) -> None:
        return

    def _check_wall(self, clock: WallClock) -> None:
        clock.forgive()

    def _check_cpu(self, action_s: float) -> None:
        return
