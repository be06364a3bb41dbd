"""The demo's people, who use the API, each with a token and their own bots."""

import time
from collections.abc import Sequence
from functools import cached_property
from typing import Any, Final

from pentathlon.ladders.reference import pack_renamed
from pentathlon.local.demo.api_client import ApiClient
from pentathlon.local.demo.logins import Login
from pentathlon.local.demo.plan import authors, folder_of

Json = dict[str, Any]  # Any: JSON

_PATIENCE_S: Final = 120.0
"""Seconds without an upload, a verdict or an ended validation until the demo gives up."""
_LATEST: Final = 200
"""How many of an author's validations are looked at: the latest ones."""


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
