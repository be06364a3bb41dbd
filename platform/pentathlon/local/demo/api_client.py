"""A small client of the REST API, for the demo."""

import json
from collections.abc import Mapping
from http import HTTPStatus
from typing import Any, Self

import urllib3

_TIMEOUT_S = 30


class ApiRefused(Exception):
    """A refusal by the API; it carries the API's answer."""

    code = "api_refused"

    def __init__(self, request: str, status: int, body: str) -> None:
        super().__init__(f"{request}: {status} {body}")
        self.status = status


class ApiClient:
    """Sends requests as one person, or as nobody."""

    def __init__(self, address: str, *, headers: Mapping[str, str] | None = None) -> None:
        self._address = f"{address}/api/v1/"
        self._headers = dict(headers or {})
        self._pool = urllib3.PoolManager(timeout=_TIMEOUT_S, retries=False)

    @classmethod
    def signed_in(cls, address: str, *, username: str, password: str) -> Self:
        """Return a client with a fresh token of this person."""
        basic = urllib3.make_headers(basic_auth=f"{username}:{password}")
        made = cls(address, headers=basic).post("tokens/", {"name": "demo", "days": 1})
        return cls(address, headers={"Authorization": f"Bearer {made['token']}"})

    def get(self, path: str, **query: object) -> Any:  # Any: JSON
        """Send a GET request; return the answer's JSON."""
        fields = [(name, str(value)) for name, value in query.items()]
        return self._ask("GET", path, fields=fields)

    def post(self, path: str, body: Mapping[str, object] | None = None) -> Any:  # Any: JSON
        """Send JSON; return the answer's JSON."""
        headers = {**self._headers, "Content-Type": "application/json"}
        return self._ask("POST", path, body=json.dumps(body or {}), headers=headers)

    def upload(self, path: str, archive: bytes, **fields: str) -> Any:  # Any: JSON
        """Send a form with a file; return the answer's JSON."""
        form = {**fields, "archive": ("bot.zip", archive, "application/zip")}
        return self._ask("POST", path, fields=form)

    def _ask(self, method: str, path: str, **request: Any) -> Any:  # Any: urllib3's own names
        request.setdefault("headers", self._headers)
        answer = self._pool.request(method, self._address + path, **request)
        if answer.status >= HTTPStatus.BAD_REQUEST:
            raise ApiRefused(f"{method} {path}", answer.status, answer.data.decode())
        return answer.json()
