"""A newcomer who copies every command that pages, READMEs and guides print into a shell."""

import re
import time
from collections.abc import Sequence
from html import unescape
from typing import Any, Final

from pentathlon.env import CHECKOUT
from tools.benchmark.newcomer.person import Newcomer

PAGES_WITH_COMMANDS: Final = {
    "kit.html": "/kit/",
    "docs/bot_guide.html": "/docs/bots/",
    "docs/first_bot.html": "/docs/first-bot/",
    "docs/why_lost.html": "/docs/why-did-i-lose/",
    "docs/why_did_it.html": "/docs/why-did-it-do-that/",
    "parts/first_bot_commands.html": "/docs/bots/azure/",
    "docs/learning.html": "/docs/learning/",
    "docs/verify.html": "/docs/verify/",
    "upload.html": "/bots/new/",
    "parts/start_here.html": "/games/tuned/",
    "parts/explanation.html": "/matches/{match}/",
    "parts/seals.html": "/tournaments/{tournament}/",
}
"""Each template that prints commands, with a page that shows them; the pages of the five games
differ only in the word for the game."""
_TURN: Final = ("pip", "login", "init", "play", "check", "submit", "replay", "verify")
"""The commands that come first, in order; the others follow in the order of the pages."""
_PATIENCE_S: Final = 400
_FILE = re.compile(r'<pre[^>]* data-file="([^"]+)"[^>]*>(.*?)</pre>', re.DOTALL)
_CODE_IN_TEXT = re.compile(r"`(?:\.venv/bin/)?pentathlon [^`\n]+`|^pentathlon .+$", re.MULTILINE)
_PLACEHOLDER = re.compile(r"\b[A-Z]{2,}\b|[|…]")


class Copyist(Newcomer):
    """A newcomer who does all that pages and guides say."""

    def try_everything(self, guides: Sequence[str]) -> Any:  # Any: JSON
        """Run the commands of all pages and guides; return the first rated match."""
        public = [page for page in PAGES_WITH_COMMANDS.values() if "{" not in page]
        # Guides name the address that `up` prints by default; this site has another port.
        told = [line.replace("http://localhost:8000", self.address) for line in guides]
        given = [line for page in public for line in self.commands(page)] + told
        install, login, *rest = sorted(dict.fromkeys(given), key=_turn)
        self.install(install)
        self.log_in(login)
        local = [line for line in rest if _turn(line) < _TURN.index("submit")]
        bundles = [line for line in local if ".zip" in line]
        files = {name: text for page in public for name, text in self.files(page).items()}
        for line in local:
            if line not in bundles:
                self.run(line)
            if _turn(line) == _TURN.index("init"):
                self._write(files)
        match = self._unsealed(self.submit("pentathlon submit my-bot --wait")["id"])
        name = f"{self.username}-bot"
        seat = next(s["seat"] for s in match["seats"] if s["version"]["bot"]["name"] == name)
        zip_name = f"match-{match['id']}-seat-{seat}.zip"
        self.run(f"pentathlon repro {match['id']} my-bot --keep {zip_name}")
        tournament = self.api(f"tournaments/{match['tournament']}/")
        private = [page for page in PAGES_WITH_COMMANDS.values() if "{" in page]
        paths = [page.format(match=match["id"], tournament=tournament["id"]) for page in private]
        more = [line for path in paths for line in self.commands(path)]
        assert len({*paths}) == len(private) <= len(more)
        for line in [*bundles, *(line for line in rest if line not in local), *more]:
            # Pages and guides mention match 12; replace it by one that exists.
            self.run(
                line.replace("/matches/1/", f"/matches/{match['id']}/")
                .replace("/tournaments/1/", f"/tournaments/{tournament['id']}/")
                .replace("YOUR_NOTE", tournament["commitment"])
                .replace(" 12 ", f" {match['id']} ")
                .replace("match-12-seat-1.zip", zip_name)
            )
        return match

    def files(self, path: str) -> dict[str, str]:
        """Return the files that a page tells people to write, by their names at the desk."""
        return {name: unescape(text) for name, text in _FILE.findall(self.page(path))}

    def _write(self, files: dict[str, str]) -> None:
        """Write those files whose folders are there."""
        for name, text in files.items():
            if (self.desk / name).parent.is_dir():
                (self.desk / name).write_text(text)

    def _unsealed(self, number: int) -> Any:  # Any: JSON
        """Wait until the seed of a match is public; return the match."""
        deadline = time.monotonic() + _PATIENCE_S
        while (match := self.api(f"matches/{number}/"))["seed"] is None:
            assert time.monotonic() < deadline, match
            self.wait()
        return match

    def wait(self) -> None:
        """Let the site get on."""
        time.sleep(0.2)


def commands_of_guides() -> list[str]:
    """Return what READMEs and guides tell people to run with the kit as it stands there."""
    return [line for line in lines_of_guides() if not _PLACEHOLDER.search(line)]


def lines_of_guides() -> list[str]:
    """Return the same with lines such as `init GAME`, but without mere mentions of a command."""
    found = []
    for guide in sorted(CHECKOUT.rglob("*.md")):
        parts = guide.relative_to(CHECKOUT).parts
        # The changelog tells of the past; the README of a template belongs to a bot.
        if parts[0].startswith(".") or parts[0] == "CHANGELOG.md" or "templates" in parts:
            continue
        for code in _CODE_IN_TEXT.findall(guide.read_text()):
            line = code.partition(" #")[0].strip(" `\n").removeprefix(".venv/bin/")
            words = line.split()
            if words[0] == "pentathlon" and any(word[0] != "-" for word in words[2:]):
                found.append(line)
    return found


def _turn(line: str) -> int:
    words = line.split()
    verb = words[0] if words[0] == "pip" else words[1]
    return _TURN.index(verb) if verb in _TURN else len(_TURN)
