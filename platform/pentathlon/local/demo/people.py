"""The demo's people, who use the API, each with a token and their own bots."""

from __future__ import annotations

import json
import os
import secrets
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from http import HTTPStatus
from pathlib import Path
from string import digits
from typing import Any, Final, Self

import urllib3

from pentathlon.accounts.models import User
from pentathlon.accounts.services import register
from pentathlon.ladders.reference import pack_renamed
from pentathlon.local.demo.plan import authors, folder_of

_TIMEOUT_S = 30
_FILE: Final = "demo_logins.json"
_PEOPLE: Final = (
    ("olivia", "organiser"),
    ("ada", "author"),
    ("bruno", "author"),
    ("chen", "author"),
)
Json = dict[str, Any]  # Any: JSON
_PATIENCE_S: Final = 120.0
"""Seconds without an upload, a verdict or an ended validation until the demo gives up."""
_LATEST: Final = 200
"""How many of an author's validations are looked at: the latest ones."""


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


_CONSONANTS, _VOWELS, _GROUPS = "bdfgklmnprstvz", "aeiou", 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Login:
    """The credentials of one of the demo's people."""

    username: str
    role: str
    password: str


def demo_logins(data: Path) -> list[Login]:
    """Return the log-ins of this data folder, making the accounts the first time."""
    path = data / _FILE
    if not path.exists():
        _keep([_open_account(username, role) for username, role in _PEOPLE], path)
    return [Login(**fields) for fields in json.loads(path.read_text())]


def _open_account(username: str, role: str) -> Login:
    login = Login(username=username, role=role, password=_password())
    person = User.objects.filter(username=username).first()
    if person is None:
        register(username=username, email=f"{username}@example.org", password=login.password)
        return login
    # An interrupted start has left the account, but nobody knows its password.
    person.set_password(login.password)
    person.save(update_fields=("password",))
    return login


def _password() -> str:
    # Passwords of letters alone are sometimes too similar to an address, and the start fails.
    def group() -> str:
        return "".join(map(secrets.choice, (_CONSONANTS, _VOWELS, digits, digits)))

    return "-".join(group() for _ in range(_GROUPS))


def _keep(logins: list[Login], path: Path) -> None:
    draft = path.with_suffix(f".{os.getpid()}")
    draft.touch(mode=0o600)
    draft.write_text(json.dumps([asdict(login) for login in logins], indent=1))
    draft.replace(path)


class DemoFailed(Exception):
    """The demo cannot go on; the platform can."""

    code = "demo_failed"


class People:
    """The organiser and the authors, signed in when they are first needed."""

    def __init__(self, address: str, logins: Sequence[Login]) -> None:
        self._address = address
        self._logins = {login.username: login for login in logins}
        self._clients: dict[str, ApiClient] = {}
        self._versions: dict[str, int] = {}
        self._owners: dict[int, str] = {}
        self._eligible: set[int] = set()
        self._moved = time.monotonic()
        self._ended: set[int] = set()
        """The matches of validations that had ended at the last look."""
        self.reader = ApiClient(address)
        """The client that reads what everybody may."""

    @property
    def organiser(self) -> ApiClient:
        """Return the client of the person who runs the tournaments."""
        return self._client(self._named("organiser")[0])

    @cached_property
    def _authors(self) -> dict[str, str]:
        return authors(self._named("author"))

    def version_of(self, bot: str) -> int:
        """Return the id of a bot's newest version, uploading the bot if it is not there."""
        if bot not in self._versions:
            author = self._authors[bot]
            self._versions[bot] = self._uploaded(bot, author)
            self._owners[self._versions[bot]] = author
            self._moved = time.monotonic()
        return self._versions[bot]

    def challenge(self, *, bot: str, rival: str, game: str, blocks: int) -> int:
        """Challenge another bot as the author of a bot; return the number of the challenge."""
        version = self.version_of(bot)
        against = self.reader.get(f"versions/{self.version_of(rival)}/")
        asked = {"version": version, "bot": against["bot"]["id"], "game": game, "blocks": blocks}
        return int(self._client(self._owners[version]).post("challenges/", asked)["id"])

    def is_eligible(self, version: int) -> bool:
        """Return whether a version may play; have it validated again if the host has failed."""
        found = self.reader.get(f"versions/{version}/")
        if found["state"] == "unchecked":
            self._client(self._owners[version]).post(f"versions/{version}/validate/")
        elif found["state"] not in {"eligible", "validating"}:
            raise DemoFailed(f"{found['label']} is {found['state']}: {found['state_reason']}")
        is_eligible = bool(found["state"] == "eligible")
        if is_eligible and version not in self._eligible:
            self._eligible.add(version)
            self._moved = time.monotonic()
        if not is_eligible and time.monotonic() > self._moved + _PATIENCE_S:
            self._check_move_on(found["label"])
        return is_eligible

    def _check_move_on(self, label: str) -> None:
        """Raise `DemoFailed` unless matches of validations have ended since the last look."""
        ended = {
            int(match["id"])
            for client in self._clients.values()
            for match in client.get(
                "matches/", kind="validation", state="done", page_size=_LATEST
            )["results"]
        }
        if ended <= self._ended:
            raise DemoFailed(f"No worker has validated {label}: see the logs of the worker.")
        self._ended |= ended
        self._moved = time.monotonic()

    def _uploaded(self, bot: str, author: str) -> int:
        client = self._client(author)
        found = client.get("bots/", owner=author, name=bot)["results"]
        stored: Json = (
            found[0] if found else client.upload("bots/", pack_renamed(folder_of(bot), name=bot))
        )
        return int(stored["latest_version"]["id"])

    def _named(self, role: str) -> list[str]:
        return [login.username for login in self._logins.values() if login.role == role]

    def _client(self, username: str) -> ApiClient:
        if username not in self._clients:
            password = self._logins[username].password
            self._clients[username] = ApiClient.signed_in(
                self._address, username=username, password=password
            )
        return self._clients[username]
