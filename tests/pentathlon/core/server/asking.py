"""Ask an ASGI application without a server."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from pentathlon.core.server.protocol import Message, Scope

Application = Callable[[Scope, Any, Any], Awaitable[None]]  # Any: the protocol's functions


@dataclass
class Answer:
    """What an application has sent."""

    status: int = 0
    headers: dict[str, str] = field(default_factory=dict)
    body: bytes = b""

    async def take(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.status = message["status"]
            self.headers = {name.decode(): value.decode() for name, value in message["headers"]}
        else:
            self.body += message.get("body", b"")


def scope_of(path: str, *, method: str = "GET", headers: Sequence[tuple[str, str]] = ()) -> Scope:
    """Return a request's scope as the server makes it."""
    plain, _, query = path.partition("?")
    return {
        "type": "http",
        "method": method,
        "path": plain,
        "raw_path": plain.encode(),
        "query_string": query.encode(),
        "root_path": "",
        "http_version": "1.1",
        "scheme": "http",
        "client": ("10.3.2.1", 4711),
        "server": ("localhost", 80),
        "headers": [(b"host", b"localhost")]
        + [(name.lower().encode(), value.encode()) for name, value in headers],
    }


async def ask_async(application: Application, scope: Scope, body: Sequence[bytes] = ()) -> Answer:
    """Send a body in pieces; None as the last piece means that it never ends."""
    left = list(body)
    answer = Answer()

    async def receive() -> Message:
        if left:
            return {"type": "http.request", "body": left.pop(0), "more_body": bool(left)}
        if body or receive_state:
            await asyncio.Event().wait()
        receive_state.append(True)
        return {"type": "http.request", "body": b"", "more_body": False}

    receive_state: list[bool] = []
    await application(scope, receive, answer.take)
    return answer


def ask(application: Application, scope: Scope, body: Sequence[bytes] = ()) -> Answer:
    """Ask once, in an event loop of its own."""
    return asyncio.run(ask_async(application, scope, body))
