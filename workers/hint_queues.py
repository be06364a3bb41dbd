"""Which queues a Celery worker reads: on a starved host it leaves hints about matches to others.

A hint that a slot took and gave back would be queued behind all hints sent since. Ladders only
fill slots that would otherwise be idle, so their queue comes last.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from kombu.utils.scheduling import round_robin_cycle

from pentathlon.fleet.queues import LADDERS, MATCHES

LOOK_S: Final = 0.1
"""How soon an idle worker notices that it must not read a queue any more."""
HELD_LOOK_S: Final = 0.02
"""How soon a worker that leaves queues out notices that it may read them again.

A batch takes .4 s, and then the slot waits for half of this on average.
"""


class HintQueues(round_robin_cycle):  # type: ignore[type-arg]  # generic in the stubs alone
    """Gives kombu's Redis transport the queues to wait at before each read, in turns.

    It leaves out the queues of matches as long as `is_held` says so.
    """

    def __init__(
        self, *, is_held: Callable[[], bool], matches: str = MATCHES, ladders: str = LADDERS
    ) -> None:
        super().__init__()
        self._matches = matches
        self._ladders = ladders
        self._is_held = is_held
        self.look_s = LOOK_S
        """How long to wait at the queues that were given last."""

    def consume(self, n: int) -> list[str]:  # type: ignore[override]  # the stubs are wrong
        """Return up to `n` queues to wait at now; the first one with a hint is read."""
        is_held = self._is_held()
        self.look_s = HELD_LOOK_S if is_held else LOOK_S
        left_out = (self._matches, self._ladders) if is_held else ()
        read = [each for each in super().consume(n) if each not in left_out]
        return sorted(read, key=lambda each: each == self._ladders)
