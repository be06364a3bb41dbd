"""The demo: real bots, uploaded through the API, in a real tournament.

Everything goes through the same doors that authors and organisers use. A start that was
interrupted goes on where it was; a demo that has been played is never played again.
"""

import io
import json
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final
from zipfile import ZipFile

import urllib3
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from pentathlon.local.api_client import ApiClient, ApiRefused
from pentathlon.local.demo_logins import Login

BOTS: Final = Path(__file__).parent / "demo_bots"
_GAME, _CYCLES, _SEED = "tuned", 2, 2026
_FILE: Final = "demo.json"
_PAUSE_S, _PATIENCE_S = 0.3, 120.0

Json = dict[str, Any]  # Any: JSON


class DemoFailed(Exception):
    """The demo cannot go on; the platform can."""

    code = "demo_failed"


class _Stopped(Exception):
    """Somebody pressed Ctrl-C."""


class Demo:
    """Runs beside the supervisor, in a thread of its own, and tells a console about it."""

    def __init__(
        self, address: str, *, data: Path, logins: Sequence[Login], console: Console
    ) -> None:
        self._address = address
        self._file = data / _FILE
        self._logins = logins
        self._console = console
        self._reader = ApiClient(address)
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name="demo", daemon=True)
        self._started = time.monotonic()

    def start(self) -> None:
        """Begin, or go on with what an earlier start has left."""
        self._thread.start()

    def stop(self) -> None:
        """Stop telling; what has been started goes on."""
        self._stopping.set()
        if self._thread.is_alive():
            self._thread.join()

    def _run(self) -> None:
        try:
            tournament = self._tournament()
            if tournament["state"] == "open":
                tournament = self._organiser().post(f"tournaments/{tournament['id']}/start/")
            self._say(f"Tournament: {self._address}/tournaments/{tournament['id']}/")
            if tournament["state"] in {"running", "paused"}:
                self._watch(tournament["id"])
            self._show_table()
        except _Stopped:
            return
        except (DemoFailed, ApiRefused, urllib3.exceptions.HTTPError) as error:
            self._say(f"The demo stopped, the platform goes on. {error}")

    def _tournament(self) -> Json:
        if self._file.exists():
            found: Json = self._reader.get(f"tournaments/{json.loads(self._file.read_text())}/")
            return found
        versions = [self._eligible(version) for version in self._upload_all()]
        made: Json = self._organiser().post(
            "tournaments/",
            {
                "name": "Demo: six bots play Tuned",
                "game": _GAME,
                "format": "round_robin",
                "cycles": _CYCLES,
                "seed": _SEED,
                "versions": versions,
            },
        )
        self._file.write_text(json.dumps(made["id"]))
        return made

    def _organiser(self) -> ApiClient:
        return self._client(next(login for login in self._logins if login.role == "organiser"))

    def _client(self, login: Login) -> ApiClient:
        return ApiClient.signed_in(self._address, username=login.username, password=login.password)

    def _upload_all(self) -> list[int]:
        authors = [login for login in self._logins if login.role == "author"]
        folders = sorted(path.parent for path in BOTS.glob("*/bot.toml"))
        uploaded = []
        for number, author in enumerate(authors):
            own = folders[number :: len(authors)]
            client = self._client(author)
            uploaded += [self._upload(client, author, folder) for folder in own]
        self._say(f"Uploaded {len(uploaded)} bots; each plays a validation match first.")
        return uploaded

    def _upload(self, client: ApiClient, author: Login, folder: Path) -> int:
        found = client.get("bots/", owner=author.username, name=folder.name)["results"]
        bot = found[0] if found else client.upload("bots/", _zipped(folder))
        return int(bot["latest_version"]["id"])

    def _eligible(self, version: int) -> int:
        deadline = time.monotonic() + _PATIENCE_S
        while time.monotonic() < deadline:
            found = self._reader.get(f"versions/{version}/")
            if found["state"] == "eligible":
                return version
            if found["state"] != "validating":
                raise DemoFailed(f"{found['label']} is {found['state']}: {found['state_reason']}")
            self._pause()
        raise DemoFailed(f"No worker has validated {found['label']}: see the logs of the worker.")

    def _watch(self, tournament: int) -> None:
        seen: set[int] = set()
        with self._bar() as advance:
            while True:
                progress = self._reader.get(f"tournaments/{tournament}/progress/")
                for match in self._news(tournament, seen):
                    self._say(f"  {_sentence(match)}")
                advance(len(seen), sum(progress[key] for key in ("done", "running", "waiting")))
                if self._state(tournament) == "closed":
                    break
                self._pause()
        self._say(f"All matches played, {time.monotonic() - self._started:.0f} s after the start.")

    def _state(self, tournament: int) -> str:
        return str(self._reader.get(f"tournaments/{tournament}/")["state"])

    def _news(self, tournament: int, seen: set[int]) -> list[Json]:
        query = {"tournament": tournament, "state": "done", "page_size": 200}
        found = self._reader.get("matches/", **query)["results"]
        news = sorted(
            (match for match in found if match["id"] not in seen), key=lambda m: m["finished_at"]
        )
        if news and not seen:
            self._say(
                f"First rated match {time.monotonic() - self._started:.1f} s after the start."
            )
        seen.update(match["id"] for match in news)
        return news

    @contextmanager
    def _bar(self) -> Iterator[Callable[[int, int], None]]:
        columns = (TextColumn("Matches"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
        with Progress(
            *columns, console=self._console, disable=not self._console.is_terminal
        ) as bar:
            task = bar.add_task("matches", total=None)
            yield lambda done, total: bar.update(task, completed=done, total=total)

    def _show_table(self) -> None:
        self._say("\nLeaderboard of Tuned:")
        for row in self._reader.get(f"leaderboards/{_GAME}/")["results"]:
            skill = f"{row['mu']:5.1f} ± {2 * row['sigma']:.1f}"
            self._say(f"  {row['rank']:>2}  {row['version']['label']:<16} {skill}")

    def _pause(self) -> None:
        if self._stopping.wait(_PAUSE_S):
            raise _Stopped

    def _say(self, line: str) -> None:
        self._console.print(line, markup=False, highlight=False, soft_wrap=True)


def _zipped(folder: Path) -> bytes:
    buffer = io.BytesIO()
    with ZipFile(buffer, "w") as archive:
        for path in sorted(folder.glob("*.*")):
            archive.write(path, path.name)
    return buffer.getvalue()


def _sentence(match: Json) -> str:
    first, second = sorted(match["seats"], key=lambda seat: int(seat["rank"]))
    names = [seat["version"]["label"] for seat in (first, second)]
    if second["fault"]:
        how = f"beats {names[1]}: {second['fault']['kind']}"
    elif first["rank"] == second["rank"]:
        how = f"draws with {names[1]}: {match['outcome_reason']}"
    else:
        how = f"beats {names[1]}: {match['outcome_reason']}"
    return f"{names[0]} {how} after {match['ply']} actions"
