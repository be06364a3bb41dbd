"""One Pentathlon site over HTTP: JSON requests and responses; every failure is a sentence."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Iterable, Iterator, Mapping
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, Final, NamedTuple
from urllib.parse import urljoin, urlsplit, urlunsplit
from uuid import uuid4

from pentathlon_engines.cli.failure import (
    CHECK_FAILED,
    HOST_OR_SERVER,
    USAGE,
    CommandFailed,
    FieldMissing,
    SiteRefused,
)
from pentathlon_engines.commentary.words import count
from pentathlon_engines.match.protocol import PROTOCOL
from pentathlon_engines.version import __version__

if TYPE_CHECKING:
    import urllib3

API: Final = "/api/v1/"
_CONNECT_S: Final = 5.0
_READ_S: Final = 60.0
_STREAM_READ_S: Final = 45.0
"""A stream shows every 15 seconds that it is still there."""
_PAUSES_S: Final = (0.2, 1.0)
"""The pauses before a harmless request is sent again."""
_LONGEST_PAUSE_S: Final = 10.0
"""The longest pause that a server may ask for; a longer one is reported instead."""
_COME_BACK: Final = (HTTPStatus.TOO_MANY_REQUESTS, HTTPStatus.SERVICE_UNAVAILABLE)
_PROBLEM: Final = "application/problem+json"
_LOCAL: Final = ("localhost", "127.0.0.1", "::1")
_SHOWN_REASON: Final = 200
_SECONDS: Final = re.compile(r"[0-9]{1,9}")


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


class Answer(dict[str, Any]):  # Any: JSON
    """A JSON object from the site; reading a field that it lacks ends the command."""

    def __init__(self, fields: Mapping[str, Any], site: Site) -> None:  # Any: JSON
        super().__init__(fields)
        self._site = site

    def __missing__(self, name: str) -> Any:  # Any: JSON
        raise self._site.no_site(FieldMissing)


class Site:
    """Speaks to one site for one person, or for nobody."""

    def __init__(
        self, origin: str, *, token: str | None = None, named_by: str | None = None
    ) -> None:
        """Store the site's address; `named_by` is the environment variable of the token."""
        self.origin = origin
        self.token = token
        self._named_by = named_by
        self._headers = {
            "Accept": "application/json",
            "Accept-Encoding": "gzip",
            "User-Agent": f"pentathlon/{__version__}",
        }
        if token is not None:
            self._headers["Authorization"] = f"Bearer {token}"
        self._pool: urllib3.PoolManager | None = None

    def page(self, path: str) -> str:
        """Return the address of a page for people."""
        return f"{self.origin}/{path}"

    def address(self, named: str) -> str:
        """Return an address on this very site: a path below its API, or one that it has named.

        Of a named address only path and query count. The token belongs to one scheme, host and
        port, and a site behind a proxy may not know under which its visitors reach it.
        """
        try:
            parts = urlsplit(urljoin(f"{self.origin}{API}", named))
        except (TypeError, ValueError, AttributeError) as error:
            raise self.no_site() from error
        own = urlsplit(self.origin)
        return urlunsplit((own.scheme, own.netloc, parts.path, parts.query, ""))

    def get(self, path: str, **query: object) -> Any:  # Any: JSON
        """Read an object."""
        return self._json(self._ask("GET", path, fields=_texts(query)))

    def all_rows(self, path: str) -> list[Any]:  # Any: JSON
        """Read a list of one page."""
        found: list[Any] = self.get(path)["results"]
        return found

    def rows(self, path: str, *, most: int, **query: object) -> list[Any]:  # Any: JSON
        """Read a long list, page by page."""
        found: list[Any] = []
        fields: dict[str, str] = _texts({**query, "page_size": min(most, 100)})
        while path and len(found) < most:
            page = self._json(self._ask("GET", path, fields=fields))
            found += page["results"]
            # The address of the next page contains the whole query.
            path, fields = page["next"] or "", {}
        return found[:most]

    def download(self, path: str) -> bytes:
        """Read a file."""
        data: bytes = self._ask("GET", path).data
        return data

    def events(self, path: str, *, seen: str = "", **query: object) -> Iterator[ServerEvent]:
        """Follow a stream until it ends or the connection breaks; `seen` is the last known id.

        A broken connection is no failure: the caller asks again.
        """
        import urllib3  # noqa: PLC0415  # importing it takes as long as the rest of a start

        headers = {"Accept": "text/event-stream", **({"Last-Event-ID": seen} if seen else {})}
        answer = self._ask(
            "GET",
            path,
            headers=headers,
            fields=_texts(query),
            preload_content=False,
            timeout=urllib3.Timeout(connect=_CONNECT_S, read=_STREAM_READ_S),
        )
        try:
            yield from read_events(lines_of(_pieces(answer)))
        except (urllib3.exceptions.HTTPError, ValueError):
            return
        finally:
            # Keep the connection out of the pool: data still to come answers no other request.
            answer.close()

    def post(self, path: str, body: Mapping[str, object] | None = None) -> Any:  # Any: JSON
        """Send JSON; it takes effect once, even if it is sent repeatedly."""
        headers = {"Content-Type": "application/json", "Idempotency-Key": uuid4().hex}
        return self._json(
            self._ask("POST", path, body=json.dumps(body or {}).encode(), headers=headers)
        )

    def post_once(self, path: str, body: Mapping[str, object]) -> Any:  # Any: JSON
        """Send JSON to an address without idempotency keys; it is never resent automatically."""
        headers = {"Content-Type": "application/json"}
        return self._json(self._ask("POST", path, body=json.dumps(body).encode(), headers=headers))

    def upload(self, path: str, archive: bytes, **fields: str) -> Any:  # Any: JSON
        """Send a form with an archive; it takes effect once, even if it is sent repeatedly."""
        form = {**fields, "archive": ("bot.zip", archive, "application/zip")}
        headers = {"Idempotency-Key": uuid4().hex}
        return self._json(self._ask("POST", path, fields=form, headers=headers))

    def delete(self, path: str) -> None:
        """Delete an object."""
        self._ask("DELETE", path)

    def kit(self) -> Any:  # Any: JSON
        """Return the site's kit for authors; fail if it uses another protocol version."""
        kit = self.get("kit/")
        if kit["protocol"] != PROTOCOL:
            raise self._other_version(f"speaks version {kit['protocol']} of the bot protocol")
        return kit

    def _ask(
        self, method: str, path: str, headers: Mapping[str, str] | None = None, **request: Any
    ) -> urllib3.BaseHTTPResponse:  # Any: urllib3's own names
        import urllib3  # noqa: PLC0415  # importing it takes as long as the rest of a start

        address = self.address(path)
        pool = self._pool = self._pool or _pool(self.origin)
        sent = {**self._headers, **(headers or {})}
        is_harmless = method != "POST" or "Idempotency-Key" in sent
        for pause_s in _pauses(is_harmless):
            try:
                # A redirect could carry the token elsewhere.
                answer = pool.request(
                    method, address, headers=sent, redirect=False, retries=False, **request
                )
            except urllib3.exceptions.HTTPError as error:
                if pause_s is None:
                    raise self._no_answer(error) from error
                time.sleep(pause_s)
                continue
            if answer.status not in _COME_BACK or pause_s is None:
                break
            asked_s = _asked_wait_s(answer) or 0
            if asked_s > _LONGEST_PAUSE_S:
                break
            time.sleep(max(pause_s, asked_s))
        if answer.status >= HTTPStatus.MULTIPLE_CHOICES:
            raise self._refusal(answer)
        return answer

    def _json(self, answer: urllib3.BaseHTTPResponse) -> Any:  # Any: JSON
        try:
            return json.loads(answer.data, object_hook=lambda fields: Answer(fields, self))
        except ValueError as error:
            raise self.no_site() from error

    def _refusal(self, answer: urllib3.BaseHTTPResponse) -> CommandFailed:
        moved = urlsplit(answer.headers.get("Location", ""))
        if answer.status < HTTPStatus.BAD_REQUEST and moved.netloc:
            other = f"{moved.scheme}://{moved.netloc}"
            return CommandFailed(
                f"{self.origin} redirects its visitors to {other}.",
                try_next=f"pentathlon login {other}",
            )
        kind = answer.headers.get("Content-Type", "").partition(";")[0]
        problem: Any = None  # Any: JSON
        try:
            problem = json.loads(answer.data) if kind == _PROBLEM else None
            refusal, detail = str(problem["code"]), str(problem["detail"])
            page = str(problem.get("help") or "pentathlon --help")
        except (ValueError, TypeError, LookupError):
            refusal, detail = "", f"{answer.status} {answer.reason or ''}".strip()
            page = "pentathlon --help"
        if not refusal and answer.status < HTTPStatus.INTERNAL_SERVER_ERROR:
            return self.no_site()
        message, try_next, exit_code = self._advice(answer, refusal, detail, page)
        return SiteRefused(
            message,
            status=answer.status,
            refusal=refusal,
            try_next=try_next,
            exit_code=exit_code,
            allowed=_allowed(problem),
        )

    def _advice(
        self, answer: urllib3.BaseHTTPResponse, refusal: str, detail: str, page: str
    ) -> tuple[str, str, int]:
        login = f"pentathlon login {self.origin}"
        if answer.status == HTTPStatus.UNAUTHORIZED:
            if self.token is None:
                return f"You have not signed in to {self.origin}.", login, USAGE
            wrong = f"{self.origin} does not accept your token: it is wrong, revoked or expired."
            return wrong, f"unset {self._named_by}; {login}" if self._named_by else login, USAGE
        if refusal == "missing_scope":
            return detail, login, USAGE
        if answer.status == HTTPStatus.TOO_MANY_REQUESTS:
            wait_s = _asked_wait_s(answer)
            for_long = "some seconds" if wait_s is None else count(wait_s, "second")
            message = f"{self.origin} has received too many requests from you: wait {for_long}."
            return message, "the same command after that", HOST_OR_SERVER
        if answer.status >= HTTPStatus.INTERNAL_SERVER_ERROR:
            message = f"{self.origin} cannot answer now: {detail}"
            return message, f"the same command later; {self.page('status/')}", HOST_OR_SERVER
        is_usage = answer.status in (HTTPStatus.NOT_FOUND, HTTPStatus.FORBIDDEN)
        return detail, page, USAGE if is_usage else CHECK_FAILED

    def _no_answer(self, error: urllib3.exceptions.HTTPError) -> CommandFailed:
        reason = str(error).rpartition("): ")[2].strip(" .")[:_SHOWN_REASON]
        return CommandFailed(
            f"{self.origin} does not answer: {reason}.",
            try_next=f"{self.page('status/')} in a browser, then the same command",
            exit_code=HOST_OR_SERVER,
        )

    def no_site(self, kind: type[CommandFailed] = CommandFailed) -> CommandFailed:
        """Return the failure for a response that no site of this version sends."""
        return self._other_version(f"does not speak version {API.strip('/')[-1]} of the API", kind)

    def _other_version(
        self, what: str, kind: type[CommandFailed] = CommandFailed
    ) -> CommandFailed:
        return kind(
            f"{self.origin} {what}; this is pentathlon {__version__}, with version {PROTOCOL} of "
            "the bot protocol.",
            try_next=f"the install command on {self.page('kit/')}",
            exit_code=HOST_OR_SERVER,
        )


def _asked_wait_s(answer: urllib3.BaseHTTPResponse) -> int | None:
    """Return how many seconds the site asks us to wait; None if it gives no number."""
    wait = answer.headers.get("Retry-After", "")
    return int(wait) if _SECONDS.fullmatch(wait) else None


def _pauses(is_harmless: bool) -> Iterator[float | None]:
    if is_harmless:
        yield from _PAUSES_S
    yield None


def _allowed(problem: Any) -> Any:  # Any: JSON
    """Return the allowed values for the first error, if it says which."""
    try:
        return problem["errors"][0]["allowed"]
    except (LookupError, TypeError, CommandFailed):
        return None


def _pieces(answer: urllib3.BaseHTTPResponse) -> Iterator[bytes]:
    """Yield data as soon as it arrives."""
    while piece := answer.read1(decode_content=True):
        yield piece


def _texts(query: Mapping[str, object]) -> dict[str, str]:
    return {name: str(value) for name, value in query.items() if value is not None}


def _pool(origin: str) -> urllib3.PoolManager:
    from urllib.request import getproxies, proxy_bypass  # noqa: PLC0415  # the same

    import urllib3  # noqa: PLC0415  # the same

    parts = urlsplit(origin)
    host = parts.hostname or ""
    timeout = urllib3.Timeout(connect=_CONNECT_S, read=_READ_S)
    proxy = getproxies().get(parts.scheme)
    if proxy is None or host in _LOCAL or proxy_bypass(host):
        return urllib3.PoolManager(timeout=timeout)
    return urllib3.ProxyManager(proxy, timeout=timeout)
