"""The rights of Redis users: the platform may do everything, a worker only take hints."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Collection
from typing import Final

from pentathlon.core.errors import InvalidInput

WORKER: Final = "worker"
SHORTEST_PASSWORD: Final = 20
_NEVER: Final = re.compile(r"[^\x21-\x7e]")


def acl_file(*, platform_password: str, worker_password: str, queues: Collection[str]) -> str:
    """Return an ACL file, with the passwords as digests."""
    if platform_password == worker_password:
        raise InvalidInput("The platform and its workers must have different passwords.")
    everything = f"user default on {_digest(platform_password)} ~* &* +@all"
    return f"{everything}\n{worker_line(password=worker_password, queues=queues)}\n"


def worker_line(*, password: str, queues: Collection[str]) -> str:
    """Return the rule of the user with whom workers read the queues.

    The user can take messages from these lists, in any database of the server. It cannot add
    messages, see other keys, hear a channel or ask who else is connected. A thief of its password
    can make hints vanish until the reconciler sends them again, and nothing else.

    `brpop` takes. With the others a client opens a connection: it says who it is (`hello`, `auth`,
    `client|setinfo`), chooses a database (`select`) and asks whether the server lives (`ping`).
    """
    keys = " ".join(f"~{queue}" for queue in queues)
    allowed = "-@all +brpop +auth +hello +client|setinfo +select +ping"
    return f"user {WORKER} on {_digest(password)} resetkeys {keys} resetchannels {allowed}"


def _digest(password: str) -> str:
    if len(password) < SHORTEST_PASSWORD or _NEVER.search(password):
        raise InvalidInput(
            f"A password has at least {SHORTEST_PASSWORD} characters, without spaces.",
            code="weak_password",
        )
    return f"#{hashlib.sha256(password.encode()).hexdigest()}"
