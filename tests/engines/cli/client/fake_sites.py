"""Sites without a network: one that answers requests as told, and one that has rows."""

import io
import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any, cast

import urllib3

from pentathlon_engines.cli.client.http_site import ServerEvent, Site
from pentathlon_engines.cli.failure import CHECK_FAILED, HOST_OR_SERVER, CommandFailed, SiteRefused

ORIGIN = "https://example.org"
_PROBLEM = "application/problem+json"
Reply = urllib3.HTTPResponse | Exception


def answer(
    body: object = None,
    *,
    status: int = 200,
    kind: str = "application/json",
    raw: bytes | None = None,
    **headers: str,
) -> urllib3.HTTPResponse:
    """Return an answer with this JSON, or with these bytes."""
    data = json.dumps(body).encode() if raw is None else raw
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return urllib3.HTTPResponse(
        io.BytesIO(data),
        status=status,
        headers={"Content-Type": kind, **named},
        preload_content=False,
    )


def problem(status: int, code: str, detail: str = "Not so.", **more: Any) -> urllib3.HTTPResponse:
    """Return a refusal of a site."""
    headers = more.pop("headers", {})
    told = {"code": code, "detail": detail, **more}
    return answer(told, status=status, kind=_PROBLEM, **headers)


class Wire:
    """Gives one reply after the other, and notes the requests."""

    def __init__(self, *replies: Reply) -> None:
        self.asked: list[dict[str, Any]] = []
        self._replies = list(replies)

    def request(self, method: str, address: str, **about: Any) -> urllib3.HTTPResponse:
        """Do what `PoolManager.request` does."""
        self.asked.append({"method": method, "address": address, **about})
        reply = self._replies.pop(0)
        if isinstance(reply, Exception):
            raise reply
        return reply


def site_with(*replies: Reply, token: str | None = "ptl_1", **about: Any) -> tuple[Site, Wire]:
    """Return a site that gives these replies, and its wire."""
    site, wire = Site(ORIGIN, token=token, **about), Wire(*replies)
    site._pool = cast("urllib3.PoolManager", wire)
    return site, wire


def refused(refusal: str, *, status: int = 400, allowed: Any = None) -> SiteRefused:
    """Return the refusal of a request, as commands get it."""
    is_ours = status in (429, 503)
    return SiteRefused(
        f"refused: {refusal}",
        status=status,
        refusal=refusal,
        try_next="pentathlon --help",
        exit_code=HOST_OR_SERVER if is_ours else CHECK_FAILED,
        allowed=allowed,
    )


def away() -> CommandFailed:
    """Return the failure of a site that does not answer."""
    return CommandFailed("It does not answer.", try_next="later", exit_code=HOST_OR_SERVER)


class FakeSite:
    """A site that has objects and lists by path.

    A list of replies is given one after the other, the last one again and again; an exception
    is raised.
    """

    origin = ORIGIN
    token: str | None = "ptl_1"

    def __init__(
        self,
        objects: Mapping[str, Any] | None = None,
        lists: Mapping[str, Any] | None = None,
        posts: Mapping[str, Any] | None = None,
        *,
        owner: str = "ann",
    ) -> None:
        self.objects: dict[str, Any] = {"tokens/current/": {"username": owner}, **(objects or {})}
        self.lists: dict[str, Any] = dict(lists or {})
        self.posts: dict[str, Any] = dict(posts or {})
        self.asked: list[tuple[str, str, Mapping[str, Any]]] = []
        self.streams: list[Callable[[], Iterator[ServerEvent]]] = []

    def page(self, path: str) -> str:
        return f"{self.origin}/{path}"

    def address(self, named: str) -> str:
        return Site(self.origin).address(named)

    def get(self, path: str, **query: Any) -> Any:
        return self._given("GET", path, self.objects, query)

    def rows(self, path: str, *, most: int, **query: Any) -> Any:
        found = self._given("GET", path, self.lists, query)
        return (found(query) if callable(found) else found)[:most]

    def all_rows(self, path: str) -> Any:
        return self._given("GET", path, self.lists, {})

    def post(self, path: str, body: Mapping[str, Any] | None = None) -> Any:
        return self._given("POST", path, self.posts, body or {})

    def post_once(self, path: str, body: Mapping[str, Any]) -> Any:
        return self._given("POST", path, self.posts, body)

    def upload(self, path: str, archive: bytes, **fields: str) -> Any:
        return self._given("UPLOAD", path, self.posts, fields)

    def download(self, path: str) -> bytes:
        return cast("bytes", self._given("GET", path, self.objects, {}))

    def events(self, path: str, **query: Any) -> Iterator[ServerEvent]:
        self.asked.append(("EVENTS", path, query))
        yield from self.streams.pop(0)() if self.streams else ()

    def paths(self, method: str) -> list[str]:
        """Return the paths that were asked for by this method."""
        return [path for asked, path, _ in self.asked if asked == method]

    def _given(
        self, method: str, path: str, store: dict[str, Any], query: Mapping[str, Any]
    ) -> Any:
        self.asked.append((method, path, query))
        reply = store[path]
        if isinstance(reply, Replies):
            reply = reply.next()
        if isinstance(reply, Exception):
            raise reply
        return reply


class Replies:
    """What a path gives, one after the other; the last one again and again."""

    def __init__(self, *replies: Any) -> None:
        self._left = list(replies)

    def next(self) -> Any:
        """Return the next one."""
        return self._left.pop(0) if len(self._left) > 1 else self._left[0]


def as_site(site: FakeSite) -> Site:
    """Return the fake where a site is wanted."""
    return cast("Site", site)
