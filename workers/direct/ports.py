"""The ports of a worker beside the database: `up` starts one. Production refuses it."""

from __future__ import annotations

from django.conf import settings

from pentathlon.core.schema import wait_for_schema
from pentathlon.env import BadEnvironment
from pentathlon.fleet.capabilities import least_sandbox
from workers.direct.adapter import DirectPlatform
from workers.direct.analyses import DirectAnalyses
from workers.direct.audience import DirectAudience
from workers.direct.friendlies import DirectFriendlies
from workers.slots.ports import Ports


def open_ports() -> Ports:
    """Wait for the database and return the ports to it.

    Raises:
        BadEnvironment: this is production.
    """
    if settings.PRODUCTION:
        raise BadEnvironment(
            "DATABASE_URL",
            "must not be known where bots of others run. Make a token by `python3 manage.py "
            "worker_token create NAME`, set PENTATHLON_SERVER and PENTATHLON_WORKER_TOKEN_FILE.",
        )
    wait_for_schema()
    return Ports(
        platform=DirectPlatform(),
        friendlies=DirectFriendlies(),
        analyses=DirectAnalyses(),
        audience=None if settings.REDIS_URL is None else DirectAudience(settings.REDIS_URL),
        least_sandbox=least_sandbox(),
    )
