"""Requests that nobody honest sends, to every address there is: made up from a seed."""

import json
import random
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote, urlencode
from uuid import UUID

from django.urls import URLPattern, URLResolver, get_resolver

METHODS = (
    "GET",
    "GET",
    "GET",
    "HEAD",
    "POST",
    "POST",
    "PUT",
    "PATCH",
    "DELETE",
    "OPTIONS",
    "TRACE",
)
TEXTS = (
    "",
    "\0",
    "a\0b",
    "%00",
    "0",
    "-1",
    "1",
    "1.5",
    "1e309",
    "NaN",
    "9" * 15,
    "9" * 18,
    "9" * 19,
    "9" * 5000,
    "\u0661\u0662",
    "x",
    "x/y",
    "//evil.example/",
    "javascript:alert(1)",
    "' OR 1=1 --",
    '"><script>alert(1)</script>',
    "{{7*7}}",
    "${jndi:x}",
    "\r\nSet-Cookie: a=b",
    "%0d%0aX: y",
    '";filename=evil.html',
    "\u202egnp.exe",
    "\ud7ff\U0010ffff",
    "a" * 10_000,
    "../../etc/passwd",
    "tuned",
    "running",
    "true",
    "null",
    "[]",
)
VALUES: tuple[Any, ...] = (
    *TEXTS,
    None,
    True,
    0,
    -1,
    1,
    2**53,
    2**63,
    10**400,
    1.5,
    [],
    {},
    [None],
    [[[[]]]],
    {"a": {"b": []}},
    ["\0"],
    {"\0": "\0"},
    list(range(1200)),
)
"""Values that a field of a JSON body may have instead of a proper one."""

CONTENT_TYPES = (
    "application/json",
    "application/x-www-form-urlencoded",
    "application/x-www-form-urlencoded; charset=utf-7",
    "multipart/form-data",
    "multipart/form-data; boundary=x",
    "multipart/form-data; boundary=\u00e9",
    "text/plain",
    "application/octet-stream",
    "application/json; charset=utf-16",
    "/",
    "",
)
HEADERS: tuple[Mapping[str, str], ...] = (
    {},
    {},
    {},
    {"Accept": "text/html;q=nan"},
    {"Accept-Language": "\u00ff" * 200},
    {"Authorization": "Basic AGE6Yg=="},
    {"Authorization": "Basic //8="},
    {"Authorization": "Basic"},
    {"Authorization": "Bearer"},
    {"Authorization": "Bearer \u00ff\u00fe"},
    {"Authorization": "Bearer ptl_x y"},
    {"Idempotency-Key": "a" * 5000},
    {"Idempotency-Key": "\u00ff"},
    {"If-None-Match": '"' * 50},
    {"If-Modified-Since": "x"},
    {"Range": "bytes=9-1"},
    {"Cookie": "sessionid=\u00ff; csrftoken=x; theme=\u00ff"},
    {"X-Part": "true"},
    {"Transfer-Encoding": "chunked"},
    {"Content-Length": "-1"},
    {"X-Request-Id": "a\tb"},
)
NAMES = (
    "q", "author", "page", "page_size", "cursor", "before", "after", "state", "game", "bot",
    "version", "versions", "tournament", "owner", "name", "kind", "next", "theme", "ply", "seat",
    "since", "download", "format", "cycles", "table_seats", "seed", "options", "limits", "rated",
    "username", "email", "password", "scopes", "days", "archive", "notes", "script", "reason",
    "secret", "entries_per_author", "draw_probability", "revoke",
    "round", "commitment", "_method", "csrfmiddlewaretoken",
)  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class HostileRequest:
    """One request, ready for Django's test client."""

    method: str
    address: str
    """The path and the query, quoted."""
    body: bytes
    content_type: str
    headers: Mapping[str, str]

    def __str__(self) -> str:
        return f"{self.method} {self.address[:300]} ({self.content_type}) {self.body[:120]!r}"


def addresses() -> list[str]:
    """Return every address of the site once, with {name} for what varies."""
    routes = {_readable(route) for route in _routes(get_resolver().url_patterns, "")}
    return sorted(routes - {"admin/{url}", "api/"})


def made_up(seed: int, *, known: Mapping[str, Sequence[object]]) -> Iterator[HostileRequest]:
    """Yield requests without end, all addresses in turn.

    `known` has, by the word of an address that an id follows, the ids of things that exist.
    """
    rng = random.Random(seed)
    routes = addresses()
    while True:
        for route in rng.sample(routes, len(routes)):
            yield _request(rng, route, known)


def _request(
    rng: random.Random, route: str, known: Mapping[str, Sequence[object]]
) -> HostileRequest:
    pairs = [(rng.choice(NAMES), _text(rng, known)) for _ in range(rng.choice((0, 0, 1, 2, 3)))]
    body, content_type = _body(rng, known)
    return HostileRequest(
        method=rng.choice(METHODS),
        address=f"/{_filled(rng, route, known)}?{urlencode(pairs, errors='surrogatepass')}",
        body=body,
        content_type=content_type,
        headers=rng.choice(HEADERS),
    )


def _filled(rng: random.Random, route: str, known: Mapping[str, Sequence[object]]) -> str:
    """Put existing things into an address, three times of four."""
    parts = route.split("/")
    for place, part in enumerate(parts):
        if part.startswith("{"):
            exist = known.get(parts[place - 1], (0, 1))
            value = rng.choice(exist) if rng.random() < 0.75 else rng.choice(TEXTS)
            parts[place] = quote(str(value)[:6000], safe="")
    return "/".join(parts)


def _text(rng: random.Random, known: Mapping[str, Sequence[object]]) -> str:
    if rng.random() < 0.5:
        return rng.choice(TEXTS)
    return str(rng.choice(known[rng.choice(sorted(known))]))


def _body(rng: random.Random, known: Mapping[str, Sequence[object]]) -> tuple[bytes, str]:
    names = rng.sample(NAMES, rng.choice((0, 1, 3, 8)))
    if rng.random() < 0.4:
        fields = {name: rng.choice((*VALUES, rng.choice(known["versions"]))) for name in names}
        # A number of 400 digits is longer than what Python turns into text by itself.
        return json.dumps(fields).encode(errors="surrogatepass"), "application/json"
    if rng.random() < 0.5:
        pairs = [(name, _text(rng, known)) for name in names]
        return urlencode(pairs).encode(), "application/x-www-form-urlencoded"
    return rng.choice((b"", b"\0", b"{", b"\xff\xfe", b"[" * 5000, b"a=%00", b"--x\r\n\r\n")), (
        rng.choice(CONTENT_TYPES)
    )


def _routes(found: Sequence[URLPattern | URLResolver], before: str) -> Iterator[str]:
    for pattern in found:
        route = before + str(pattern.pattern)
        if isinstance(pattern, URLResolver):
            yield from _routes(pattern.url_patterns, route)
        else:
            yield route


def _readable(route: str) -> str:
    """Return a route with {name} for each of its converters and named groups."""
    named = re.sub(r"\(\?P<(\w+)>(?:[^()]|\([^()]*\))*\)", r"{\1}", route)
    return re.sub(r"<(?:\w+:)?(\w+)>", r"{\1}", named).translate({ord(c): None for c in "^$\\"})


def existing(rows: Mapping[str, Sequence[int | str | UUID]]) -> dict[str, Sequence[object]]:
    """Complete the ids of things that exist with those that every platform has."""
    games = ("tuned", "azure")
    return {"games": games, "leaderboards": games, "seats": (0, 1), **rows}
