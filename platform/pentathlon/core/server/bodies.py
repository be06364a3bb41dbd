"""Reads the body of a request on asyncio, within the time and size that its address allows."""

import asyncio
from http import HTTPStatus

from pentathlon.core.server.limits import Allowance
from pentathlon.core.server.protocol import Receive, Scope
from pentathlon.core.server.refusals import Refused
from pentathlon.core.server.spool import Spool


class ClientGone(Exception):
    """Nobody is left to answer."""


async def read_body(scope: Scope, receive: Receive, *, allowed: Allowance, into: Spool) -> None:
    """Read a body to its end.

    Raises:
        Refused: it is too large (413) or does not come in time (408).
        ClientGone: the client has closed the connection.
    """
    _check_size(_announced(scope), allowed)
    try:
        async with asyncio.timeout(allowed.body_s):
            await _read(receive, allowed, into)
    except TimeoutError as error:
        raise Refused(
            HTTPStatus.REQUEST_TIMEOUT,
            "too_slow",
            f"The body did not arrive within {allowed.body_s:g} seconds.",
            headers=(("Connection", "close"),),
        ) from error
    into.rewind()


async def _read(receive: Receive, allowed: Allowance, into: Spool) -> None:
    is_over = False
    while not is_over:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise ClientGone
        data = message.get("body", b"")
        _check_size(into.size + len(data), allowed)
        if data:
            into.write(data)
        is_over = not message.get("more_body", False)


def _announced(scope: Scope) -> int:
    for name, value in scope["headers"]:
        if name == b"content-length" and value.isdigit():
            return int(value)
    return 0


def _check_size(size: int, allowed: Allowance) -> None:
    if size > allowed.largest_body:
        raise Refused(
            HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
            "too_large",
            f"The request has {size:,} bytes or more; {allowed.largest_body:,} are allowed.",
        )
