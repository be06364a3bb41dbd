"""Ports for servers that tests start."""

import random

from pentathlon.local.servers.processes import free_port

_FIRST, _COUNT = 20_000, 10_000
"""Below the ports of outgoing connections; one of those could be taken in the meantime."""


def unused_port() -> int:
    """Return a port away from those that other runs on this machine look at first."""
    return free_port("127.0.0.1", _FIRST + random.SystemRandom().randrange(_COUNT))
