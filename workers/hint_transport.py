"""kombu's Redis transport for hints: a worker takes them and never puts anything.

Whoever may write to the queues can put anything there, and kombu ends the whole worker on the
first message that it cannot read. A hint is worth nothing, so such a message is dropped: the
reconciler sends again.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, Final, TypeVar

import structlog
from kombu.exceptions import KombuError
from kombu.transport import redis, virtual

from pentathlon.fleet.announcements import TASKS

UNREADABLE: Final = (AttributeError, IndexError, KeyError, KombuError, TypeError, ValueError)
"""What a message raises that is not JSON, or lacks its fields, or has a body of another kind."""
_KEPT: Final = ("argsrepr", "id", "kwargsrepr", "lang", "task", "traceparent")
T = TypeVar("T")

_log = structlog.stdlib.get_logger(__name__)


class HintMessage(virtual.Message):
    """A message of which only the task and its arguments count.

    It sets no times or limits, runs nothing else and is sent on to nobody, whatever its headers
    say.
    """

    def __init__(
        self,
        payload: dict[str, Any],  # Any: kombu's own
        channel: virtual.Channel | None = None,
        **options: Any,
    ) -> None:
        headers = payload["headers"]
        if headers["task"] not in TASKS:
            raise ValueError(f"no hint: {headers['task']}")
        kept = {name: headers[name] for name in _KEPT if name in headers}
        super().__init__({**payload, "headers": kept}, channel=channel, **options)


def drop_unreadable(channel: virtual.Channel, read: Callable[[], T]) -> T | None:
    """Read and deliver a message; drop and log one that cannot be read."""
    held = _held(channel)
    try:
        return read()
    except UNREADABLE as error:
        _log.warning("unreadable message dropped", reason=repr(error))
        # One that failed late counts as delivered, and would hold a slot for ever.
        for tag in _held(channel) - held:
            channel.qos.ack(tag)
    return None


def _held(channel: virtual.Channel) -> set[str]:
    """Return the tags of messages that were delivered and are not done with."""
    return set(channel.qos._delivered or ()) - set(channel.qos._dirty or ())


class HintChannel(redis.Channel):
    """Reads queues and keeps no books: the ledger, not the broker, knows what was done."""

    ack_emulation = False
    do_restore = False
    priority_steps = [0]

    def _brpop_start(self, timeout: float | None = None) -> None:
        look_s = getattr(self._queue_cycle, "look_s", None)  # type: ignore[attr-defined]  # as below
        super()._brpop_start(timeout or look_s)  # type: ignore[misc]

    def _brpop_read(self, **options: Any) -> object:  # Any: kombu's own
        read = super()._brpop_read  # type: ignore[misc]  # the stubs lack it
        return drop_unreadable(self, partial(read, **options))


class HintTransport(redis.Transport):
    """Connects to Redis as its owner."""

    Channel = HintChannel


class TakingChannel(HintChannel):
    """Takes messages and touches nothing else; see `pentathlon.fleet.queue_acl`."""

    Message = HintMessage

    def _queue_bind(self, *_: object) -> None:
        """Do nothing: messages are put straight into their queues."""

    def _size(self, queue: str) -> int:
        """Return 0: nobody here needs to know, and counting takes three more rights."""
        return 0


class TakingTransport(HintTransport):
    """Connects to Redis as a user that may take from the queues."""

    Channel = TakingChannel
