"""Posts a body to a webhook: a small HTTP client that trusts nobody.

It connects directly, and only to the addresses that were checked. It follows no redirect, keeps no
cookie, and neither asks for compression nor unpacks it. Whatever the receiver does, time and bytes
are limited, and the connection is closed afterwards.
"""

from __future__ import annotations

import io
import socket
import ssl
import time
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from http.client import HTTPException, HTTPResponse
from typing import Any, Final

from pentathlon.core.texts import storable
from pentathlon.webhooks.addresses import ForbiddenAddress, Resolve, Target, resolve_target
from pentathlon.webhooks.models import LONGEST_ANSWER

CONNECT_S: Final = 3.0
TOTAL_S: Final = 10.0
LARGEST_HEAD: Final = 32 * 1024
"""The most bytes read of status line, headers and the beginning of the body."""
_LONGEST_ERROR: Final = 300
_FIRST_OK, _LAST_OK = 200, 299
_REDIRECTS: Final = range(300, 400)


@dataclass(frozen=True, slots=True, kw_only=True)
class PostResult:
    """The result of one attempt."""

    status: int | None
    """The status of the answer; None if there was none."""
    error: str
    """Why it failed; empty if the message has arrived."""
    text: str
    duration_ms: int

    @property
    def has_arrived(self) -> bool:
        """Whether the receiver has accepted the message."""
        return not self.error


def post(
    url: str,
    *,
    body: bytes,
    headers: Mapping[str, str],
    allows_loopback: bool,
    total_s: float = TOTAL_S,
    resolve: Resolve | None = None,
) -> PostResult:
    """Post a body and return the result; never raise for anything the receiver does."""
    began = time.monotonic()
    status, text, error = None, "", ""
    try:
        target = resolve_target(url, allows_loopback=allows_loopback, resolve=resolve)
        status, text = _exchange(target, body, headers, deadline=began + total_s)
        error = _complaint(status)
    except TimeoutError:
        error = f"No complete answer in {total_s:g} s."
    except ForbiddenAddress as refused:
        error = f"Nothing was sent: {refused}."
    except (OSError, HTTPException, ValueError) as failure:
        error = f"{type(failure).__name__}: {failure}"
    return PostResult(
        status=status,
        error=storable(error)[:_LONGEST_ERROR],
        text=text,
        duration_ms=round((time.monotonic() - began) * 1000),
    )


def _complaint(status: int) -> str:
    if _FIRST_OK <= status <= _LAST_OK:
        return ""
    if status in _REDIRECTS:
        return f"Answered {status}: redirects are not followed. Give the final address."
    return f"Answered {status}; 2xx means that it has arrived."


def _exchange(
    target: Target, body: bytes, headers: Mapping[str, str], *, deadline: float
) -> tuple[int, str]:
    """Send a request and return status and the beginning of the body."""
    try:
        connection = _connect(target, deadline=min(deadline, time.monotonic() + CONNECT_S))
    except TimeoutError as error:
        raise ConnectionError(f"no connection in {CONNECT_S:g} s") from error
    try:
        connection.settimeout(_left(deadline))
        connection.sendall(_request(target, body, headers))
        reader = _Bounded(connection, deadline=deadline)
        response = HTTPResponse(reader, method="POST")  # type: ignore[arg-type]  # only reads
        response.begin()
        return response.status, _text(response)
    finally:
        connection.close()


def _connect(target: Target, *, deadline: float) -> socket.socket:
    """Connect to the first of the checked addresses that answers."""
    failure: OSError = OSError("no address answers")
    for address in target.addresses:
        try:
            plain = socket.create_connection((address, target.port), timeout=_left(deadline))
        except OSError as error:
            failure = error
            continue
        if not target.is_tls:
            return plain
        try:
            plain.settimeout(_left(deadline))
            return _tls().wrap_socket(plain, server_hostname=target.host)
        except BaseException:
            plain.close()
            raise
    raise failure


def _request(target: Target, body: bytes, headers: Mapping[str, str]) -> bytes:
    fields = {
        "Host": target.authority,
        "User-Agent": "Pentathlon-Webhooks/1",
        "Content-Type": "application/json",
        "Content-Length": str(len(body)),
        "Accept-Encoding": "identity",
        "Connection": "close",
        **headers,
    }
    head = "".join(f"{name}: {value}\r\n" for name, value in fields.items())
    return f"POST {target.path} HTTP/1.1\r\n{head}\r\n".encode("ascii") + body


def _text(response: HTTPResponse) -> str:
    """Return the beginning of an answer as text; a compressed one is not unpacked."""
    if kind := response.headers.get("Content-Encoding", "").strip():
        return f"(compressed: {kind[:20]})"
    try:
        start = response.read(LONGEST_ANSWER)
    except (TimeoutError, HTTPException, OSError):
        # The status has arrived, and that is what counts.
        return ""
    return storable(start.decode(errors="replace"))


def _left(deadline: float) -> float:
    left = deadline - time.monotonic()
    if left <= 0:
        raise TimeoutError
    return left


@lru_cache(maxsize=1)
def _tls() -> ssl.SSLContext:
    return ssl.create_default_context()


class _Bounded(io.RawIOBase):
    """Reads from a socket until a deadline, up to a number of bytes.

    The timeout of a socket would start anew with every byte that drips in.
    """

    def __init__(self, connection: socket.socket, *, deadline: float) -> None:
        self._connection = connection
        self._deadline = deadline
        self._room = LARGEST_HEAD

    def makefile(self, mode: str) -> io.BufferedReader:
        """Return the file that `HTTPResponse` reads from."""
        return io.BufferedReader(self, buffer_size=2048)

    def readable(self) -> bool:
        """Return true: this file can be read."""
        return True

    def readinto(self, buffer: Any) -> int:  # Any: whatever can be written to
        """Read what has arrived, within the limits."""
        if self._room <= 0:
            raise HTTPException(f"more than {LARGEST_HEAD} bytes before the end of the answer")
        self._connection.settimeout(_left(self._deadline))
        view = memoryview(buffer)[: self._room]
        count = self._connection.recv_into(view)
        self._room -= count
        return count
