"""kombu's Redis transport, with one difference: an unreadable message is dropped, not fatal.

Whoever may write to the queues can put anything there, and kombu ends the whole worker on the
first message that is not JSON. A hint is worth nothing: the reconciler sends it again.
"""

from __future__ import annotations

from typing import Any, Final

import structlog
from kombu.exceptions import KombuError
from kombu.transport import redis, virtual

_UNREADABLE: Final = (AttributeError, IndexError, KeyError, KombuError, TypeError, ValueError)
"""What kombu raises for a message without JSON, without its fields, or with a body of its own."""

_log = structlog.stdlib.get_logger(__name__)


class Message(virtual.Message):
    """A message that is read as soon as it is made: later it would hold its place for ever."""

    def __init__(self, *args: Any, **options: Any) -> None:  # Any: kombu's own
        super().__init__(*args, **options)
        for name in ("exchange", "routing_key"):
            self.delivery_info[name]
        _ = self.payload


class Channel(redis.Channel):
    """Reads queues; what is no message it drops and logs."""

    Message = Message

    def _brpop_read(self, **options: Any) -> object:  # Any: kombu's own
        try:
            return super()._brpop_read(**options)
        except _UNREADABLE as error:
            _log.warning("unreadable message dropped", reason=repr(error))
            return None


class Transport(redis.Transport):
    """Connects to Redis."""

    Channel = Channel
