"""The demo: real bots, uploaded through the API, in tournaments of every game and some formats.

Everything goes through the same doors that authors and organisers use. A start that was
interrupted goes on where it was; a demo that has been played is never played again.
"""

import json
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import urllib3
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from pentathlon.local.demo.people import ApiRefused, DemoFailed, Json, Login, People
from pentathlon.local.demo.plan import CHALLENGE, CHALLENGE_BLOCKS, Plan, plans
from pentathlon.ratings.uncertainty import half_width
from pentathlon_engines.commentary.words import count

_FILE: Final = "demo.json"
_CHALLENGE: Final = "challenge"
"""The key of the challenge, beside those of the plans."""
_PAUSE_S: Final = 0.4


class _Stopped(Exception):
    """Somebody pressed Ctrl-C."""


class Demo:
    """Runs beside the supervisor, in a thread of its own, and reports on a console."""

    def __init__(
        self, address: str, *, data: Path, logins: Sequence[Login], console: Console
    ) -> None:
        self._address = address
        self._file = data / _FILE
        self._console = console
        self._people = People(address, logins)
        self._read = self._people.reader.get
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name="demo", daemon=True)
        self._started = time.monotonic()
        self._is_new = True
        self._ids: dict[str, int] = {}
        """The ids of the tournaments, by the keys of their plans, and that of the challenge."""
        self._counts: dict[str, tuple[int, int]] = {}
        """How many matches were played and planned, by the key of the plan."""
        self._told: set[int] = set()

    def start(self) -> None:
        """Begin the demo, or continue where an earlier start has stopped."""
        self._thread.start()

    def stop(self) -> None:
        """Stop reporting; tournaments that have started go on."""
        self._stopping.set()
        if self._thread.is_alive():
            self._thread.join()

    def _run(self) -> None:
        try:
            self._is_new = not self._file.exists()
            self._ids = {} if self._is_new else json.loads(self._file.read_text())
            self._play()
            for plan in plans():
                self._show_table(plan)
        except _Stopped:
            return
        except (DemoFailed, ApiRefused, urllib3.exceptions.HTTPError) as error:
            self._say(f"The demo stopped, the platform keeps running. {error}")

    def _play(self) -> None:
        waiting, running = plans(), list[Plan]()
        with self._bar() as advance:
            while waiting or running or _CHALLENGE not in self._ids:
                if waiting and self._has_begun(waiting[0]):
                    running.append(waiting.pop(0))
                self._make_challenge()
                running = [plan for plan in running if not self._is_over(plan)]
                advance(*(sum(counts) for counts in zip(*self._counts.values(), strict=True)))
                self._pause()
        if self._told:
            self._say(f"All matches played, {self._seconds()} s after the start.")

    def _has_begun(self, plan: Plan) -> bool:
        """Create and start a tournament if that is possible now; return whether it has started."""
        if plan.key not in self._ids and not self._create(plan):
            return False
        tournament = f"tournaments/{self._ids[plan.key]}/"
        if self._read(tournament)["state"] == "open":
            self._people.organiser.post(f"{tournament}start/")
        self._say(f"{plan.label}: {self._address}/{tournament}")
        return True

    def _create(self, plan: Plan) -> bool:
        versions = [self._people.version_of(bot) for bot in plan.bots]
        if not all(map(self._people.is_eligible, versions)):
            return False
        made = self._people.organiser.post("tournaments/", plan.document(versions))
        self._ids[plan.key] = made["id"]
        self._file.write_text(json.dumps(self._ids))
        return True

    def _make_challenge(self) -> None:
        """Have two bots of the first tournament's game meet in a challenge, once both may play."""
        if _CHALLENGE in self._ids:
            return
        bot, rival = CHALLENGE
        versions = [self._people.version_of(name) for name in CHALLENGE]
        if not all(map(self._people.is_eligible, versions)):
            return
        self._ids[_CHALLENGE] = self._people.challenge(
            bot=bot, rival=rival, game=plans()[0].game, blocks=CHALLENGE_BLOCKS
        )
        self._file.write_text(json.dumps(self._ids))
        self._say(f"{bot} challenges {rival}: {self._address}/challenges/{self._ids[_CHALLENGE]}/")

    def _is_over(self, plan: Plan) -> bool:
        tournament = f"tournaments/{self._ids[plan.key]}/"
        # The state is read before the news: once a tournament is over, no more news comes.
        over = self._read(tournament)["state"] in {"closed", "cancelled"}
        progress = self._read(f"{tournament}progress/")
        planned = sum(progress[key] for key in ("done", "running", "waiting"))
        if not over or plan.key in self._counts:
            self._tell_news(plan, done=progress["done"])
        self._counts[plan.key] = (progress["done"], planned)
        return over

    def _tell_news(self, plan: Plan, *, done: int) -> None:
        """Print the matches that have ended since the last look."""
        if self._counts.get(plan.key, (0, 0))[0] == done:
            return
        query = {"tournament": self._ids[plan.key], "state": "done", "page_size": 200}
        found = self._read("matches/", **query)["results"]
        news = [match for match in found if match["id"] not in self._told]
        if news and not self._told and self._is_new:
            self._say(f"First rated match {self._seconds()} s after the start.")
        for match in sorted(news, key=lambda match: str(match["finished_at"])):
            self._say(f"  {plan.label}: {_sentence(match)}")
        self._told.update(match["id"] for match in news)

    @contextmanager
    def _bar(self) -> Iterator[Callable[..., None]]:
        columns = (TextColumn("Matches"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
        with Progress(
            *columns, console=self._console, disable=not self._console.is_terminal
        ) as bar:
            task = bar.add_task("matches", total=None)
            yield lambda done=0, total=None: bar.update(task, completed=done, total=total)

    def _show_table(self, plan: Plan) -> None:
        rows = self._read(f"leaderboards/{plan.game}/")["results"]
        # Tables larger than usual count on a leaderboard of their own, not on this one.
        if plan.format != "round_robin" or not rows:
            self._show_places(plan)
            return
        self._say(f"\nLeaderboard of {plan.title}:")
        for row in rows:
            skill = f"{row['mu']:5.1f} ± {half_width(row['sigma']):.1f}"
            self._say(f"  {row['rank']:>2}  {row['version']['label']:<16} {skill}")

    def _show_places(self, plan: Plan) -> None:
        self._say(f"\nPlaces of {plan.label}:")
        for row in self._read(f"tournaments/{self._ids[plan.key]}/standings/")["results"]:
            points = f"{row['points']:g} points in {count(row['matches'], 'match')}"
            self._say(f"  {row['place']:>2}  {row['version']['label']:<16} {points}")

    def _pause(self) -> None:
        if self._stopping.wait(_PAUSE_S):
            raise _Stopped

    def _seconds(self) -> str:
        return f"{time.monotonic() - self._started:.1f}"

    def _say(self, line: str) -> None:
        self._console.print(line, markup=False, highlight=False, soft_wrap=True)


def _sentence(match: Json) -> str:
    seats = sorted(match["seats"], key=lambda seat: int(seat["rank"]))
    first, *others = (str(seat["version"]["label"]) for seat in seats)
    faults = [seat["fault"]["kind"] for seat in seats if seat["fault"]]
    reason = faults[0] if faults else match["outcome_reason"]
    if seats[0]["rank"] > 0:
        return f"{', '.join([first, *others])} all lose: {reason} after {match['ply']} actions"
    verb = "draws with" if seats[1]["rank"] == 0 else "beats"
    return f"{first} {verb} {', '.join(others)}: {reason} after {match['ply']} actions"
