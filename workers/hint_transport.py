"""kombu's Redis transport, with one difference: an unreadable message is dropped, not fatal.

Whoever may write to the queues can put anything there, and kombu ends the whole worker on the
first message that is not JSON. A hint is worth nothing: the reconciler sends it again.
"""

from __future__ import annotations

from typing import Any, Final

import structlog
from kombu.exceptions import KombuError
from kombu.transport import redis

_UNREADABLE: Final = (AttributeError, IndexError, KeyError, KombuError, TypeError, ValueError)
"""What a message raises that is not JSON, or lacks its fields, or has a body of another kind."""

_log = structlog.stdlib.get_logger(__name__)


class HintChannel(redis.Channel):
    """Reads queues; what is no message it drops and logs."""

    def _brpop_read(self, **options: Any) -> object:  # Any: kombu's own
        held = set(self.qos._delivered or ())
        try:
            return super()._brpop_read(**options)  # type: ignore[misc]  # the stubs lack it
        except _UNREADABLE as error:
            _log.warning("unreadable message dropped", reason=repr(error))
            # One that failed late counts as delivered, and would hold a slot for ever.
            for tag in set(self.qos._delivered or ()) - held:
                self.qos.ack(tag)
            return None


class HintTransport(redis.Transport):
    """Connects to Redis."""

    Channel = HintChannel
