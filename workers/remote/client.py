"""The site as a worker without keys asks it: one token, JSON, downloads that may break off."""

from __future__ import annotations

import json
import mmap
import os
from collections.abc import Mapping
from http import HTTPStatus
from typing import Any, Final

import structlog
import urllib3
from urllib3.exceptions import HTTPError, ProtocolError

from pentathlon.core import tracing
from pentathlon.core.errors import Conflict, Damaged, DomainError, InvalidInput, NotFound
from pentathlon_engines.archive.archives import DamagedArchive
from workers.port import PlatformAway

CONNECT_S: Final = 3.0
ANSWER_S: Final = 10.0
"""How long to wait for what the site answers at once; a lease lasts three times as long."""
_TRIES: Final = 5
"""How many downloads of one archive may break off if each has brought something."""
_REFUSALS: Final[Mapping[int, type[DomainError]]] = {
    HTTPStatus.BAD_REQUEST: InvalidInput,
    HTTPStatus.NOT_FOUND: NotFound,
    HTTPStatus.CONFLICT: Conflict,
    HTTPStatus.REQUEST_ENTITY_TOO_LARGE: InvalidInput,
}
_Json = dict[str, Any]  # Any: JSON

_log = structlog.stdlib.get_logger(__name__)


class TokenRefused(Conflict):
    """The token is unknown, revoked or in quarantine: there is no work."""

    code = "worker_token_refused"


class SiteClient:
    """Asks a site at its address, as the holder of a worker token."""

    def __init__(self, address: str, token: str) -> None:
        self.address = address
        self.headers = {
            "Authorization": f"Bearer {token}",
            "Accept-Encoding": "identity",
            "User-Agent": "pentathlon-worker",
        }
        self._pool: urllib3.PoolManager | None = None
        self._pid = 0
        self._refused = mmap.mmap(-1, 1)
        """Shared by all processes that are forked later."""

    @property
    def has_refused(self) -> bool:
        """Whether the site has refused the token, in any process of this worker."""
        return self._refused[0] != 0

    def answers(self) -> bool:
        """Return whether the site answers at all."""
        try:
            response = self._request("GET", f"{self.address}/healthz", answer_s=ANSWER_S)
        except HTTPError:
            return False
        return response.status == HTTPStatus.OK

    def post(self, path: str, told: _Json, *, answer_s: float = ANSWER_S) -> _Json:
        """Ask the site something.

        Raises:
            PlatformAway: no answer, or one that says "later".
            TokenRefused: the token is no good.
            DomainError: the site's refusal, with its code.
        """
        try:
            response = self._request(
                "POST",
                f"{self.address}/api/v1/fleet/{path}/",
                answer_s=answer_s,
                body=json.dumps(told).encode(),
                headers={"Content-Type": "application/json", **tracing.headers()},
            )
        except HTTPError as error:
            raise PlatformAway(_reason(error)) from error
        if response.status == HTTPStatus.NO_CONTENT:
            return {}
        if response.status != HTTPStatus.OK:
            self.refuse(response.status, response.data)
        try:
            answer = json.loads(response.data)
        except ValueError:
            answer = None
        if not isinstance(answer, dict):
            raise PlatformAway("The answer is cut off, or is not the site's own.")
        return answer

    def download(self, path: str) -> bytes:
        """Return a file; what has arrived before a connection breaks is not sent again."""
        got = bytearray()
        for _ in range(_TRIES):
            before = len(got)
            try:
                self._append(path, got)
            except HTTPError as error:
                if len(got) == before:
                    raise PlatformAway(_reason(error)) from error
                _log.warning("download broke off", has=len(got), reason=_reason(error))
            else:
                return bytes(got)
        raise PlatformAway(f"{_TRIES} downloads of one archive broke off.")

    def refuse(self, status: int, body: bytes) -> None:
        """Raise the error that an unsuccessful answer stands for."""
        try:
            problem = json.loads(body)
            code, detail = str(problem["code"]), str(problem["detail"])
        except (KeyError, TypeError, ValueError):
            raise PlatformAway(f"Something in between answers with status {status}.") from None
        if status == HTTPStatus.UNAUTHORIZED:
            self._refused[0] = 1
            raise TokenRefused(detail, code=code)
        if status in _REFUSALS:
            raise _REFUSALS[status](detail, code=code)
        if code == DamagedArchive.code:  # asking again does not help
            raise Damaged(detail, code=code)
        raise PlatformAway(f"{code}: {detail}")

    def _append(self, path: str, got: bytearray) -> None:
        """Append the missing rest of a file."""
        wanted = {"Range": f"bytes={len(got)}-"} if got else {}
        address = f"{self.address}/api/v1/fleet/{path}"
        response = self._request(
            "GET", address, answer_s=ANSWER_S, headers=wanted, preload_content=False
        )
        try:
            if response.status != HTTPStatus.PARTIAL_CONTENT:
                got.clear()
            if response.status not in (HTTPStatus.OK, HTTPStatus.PARTIAL_CONTENT):
                self.refuse(response.status, response.read())
            expected = len(got) + int(response.headers.get("Content-Length", 0))
            # Piece by piece, so that what has arrived is kept if the rest does not arrive.
            while piece := response.read1(65_536):
                got += piece
            if len(got) < expected:
                raise ProtocolError("The connection ended before the archive did.")
        finally:
            response.close()

    def _request(
        self,
        method: str,
        address: str,
        *,
        answer_s: float,
        body: bytes | None = None,
        headers: Mapping[str, str] | None = None,
        preload_content: bool = True,
    ) -> urllib3.BaseHTTPResponse:
        if self._pool is None or self._pid != os.getpid():
            # Two processes that share a connection would mix up their answers.
            self._pool = urllib3.PoolManager(maxsize=4, retries=False)
            self._pid = os.getpid()
        return self._pool.request(
            method,
            address,
            body=body,
            headers={**self.headers, **(headers or {})},
            timeout=urllib3.Timeout(connect=CONNECT_S, read=answer_s),
            redirect=False,
            preload_content=preload_content,
        )


def _reason(error: HTTPError) -> str:
    # The text begins with the address of the pool, which says nothing.
    return str(error).rpartition(": ")[2] or type(error).__name__
