"""Server-sent events: a site's messages about a running match."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple


class ServerEvent(NamedTuple):
    """One message of a stream."""

    name: str
    data: dict[str, Any]  # Any: JSON
    id: str = ""


def read_events(lines: Iterable[str]) -> Iterator[ServerEvent]:
    r"""Yield the messages of a stream; drop an incomplete message at its end.

    >>> list(read_events(["retry: 9\n", "\n", "event: end\n", 'data: {"ply": 3}\n', "\n"]))
    [ServerEvent(name='end', data={'ply': 3}, id='')]
    """
    fields: dict[str, str] = {}
    for line in lines:
        name, _, value = line.rstrip("\r\n").partition(":")
        if name:
            fields[name] = value.removeprefix(" ")
        elif not line.strip():
            if "data" in fields:
                data = json.loads(fields["data"])
                yield ServerEvent(fields.get("event", "message"), data, fields.get("id", ""))
            fields = {}


def lines_of(pieces: Iterable[bytes]) -> Iterator[str]:
    """Yield the lines of a text that arrives in pieces."""
    rest = b""
    for piece in pieces:
        *lines, rest = (rest + piece).split(b"\n")
        yield from (line.decode() + "\n" for line in lines)
