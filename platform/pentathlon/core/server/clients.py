"""What a client accepts, and whether it is still connected."""

import re
from typing import Final

from pentathlon.core.server.protocol import Receive, Scope

_GZIP: Final = re.compile(rb"\bgzip\b(?!\s*;\s*q=0(\.0*)?\s*(,|$))")


def accepts_gzip(scope: Scope) -> bool:
    """Return whether an answer may be packed by gzip."""
    accepted = b",".join(value for name, value in scope["headers"] if name == b"accept-encoding")
    return _GZIP.search(accepted) is not None


async def wait_until_gone(receive: Receive) -> None:
    """Return when the client has closed the connection."""
    while (await receive())["type"] != "http.disconnect":
        pass
