"""A newcomer at a site: signs up in a browser, and copies commands from pages into a shell."""

import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Sequence
from html import unescape
from http.cookiejar import CookieJar
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlencode
from urllib.request import HTTPCookieProcessor, ProxyHandler, build_opener

from pentathlon.env import CHECKOUT
from tests.pentathlon.web.pages import Page

PAGES_WITH_COMMANDS: Final = {
    "kit.html": "/kit/",
    "docs/bot_guide.html": "/docs/bots/",
    "docs/first_bot.html": "/docs/first-bot/",
    "docs/why_lost.html": "/docs/why-did-i-lose/",
    "parts/first_bot_commands.html": "/docs/bots/azure/",
    "docs/learning.html": "/docs/learning/",
    "docs/verify.html": "/docs/verify/",
    "upload.html": "/bots/new/",
    "parts/start_here.html": "/games/tuned/",
    "parts/explanation.html": "/matches/{match}/",
    "parts/seals.html": "/tournaments/{tournament}/",
}
"""Each template that prints commands, and a page on which they are; the five games differ only in
the word for the game."""
_TURN: Final = ("pip", "login", "init", "play", "check", "submit", "replay", "verify")
"""What comes first; the rest in the order of the pages."""
_PATIENCE_S: Final = 400
_FILE = re.compile(r'<pre[^>]* data-file="([^"]+)"[^>]*>(.*?)</pre>', re.DOTALL)
_CODE = re.compile(r"Open http\S+\?code=(\S+)\n")
_CODE_IN_TEXT = re.compile(r"`(?:\.venv/bin/)?pentathlon [^`\n]+`|^pentathlon .+$", re.MULTILINE)
_PLACEHOLDER = re.compile(r"\b[A-Z]{2,}\b|[|…]")
_NETWORK = (
    "pip could not install the kit. It takes typer and rich from the package index: without a "
    "network, or a pip that is set up to find them elsewhere, this test cannot pass.\n"
)


class Newcomer:
    """One person with a browser, a shell, and a home of their own."""

    def __init__(self, address: str, home: Path) -> None:
        self.address = address
        self._home = home
        self._browser = build_opener(HTTPCookieProcessor(CookieJar()), ProxyHandler({}))
        self._desk = home / "desk"
        self._desk.mkdir(parents=True)

    def page(self, path: str) -> str:
        """Return a page as the browser gets it."""
        with self._browser.open(f"{self.address}{path}") as answer:
            text: str = answer.read().decode()
        return text

    def api(self, path: str) -> Any:  # Any: JSON
        """Return what everybody may read."""
        return json.loads(self.page(f"/api/v1/{path}"))

    def post(self, path: str, **fields: str) -> None:
        """Send the form of a page."""
        inputs = Page(self.page(path)).all("input")
        token = next(each for each in inputs if each.get("name") == "csrfmiddlewaretoken")
        form = urlencode({**fields, "csrfmiddlewaretoken": token["value"]}).encode()
        self._browser.open(f"{self.address}{path}", form).close()

    def sign_up(self, username: str) -> None:
        """Make an account."""
        self._username = username
        email = f"{username}@example.org"
        self.post("/sign-up/", username=username, email=email, password="a long secret 17")

    def commands(self, path: str) -> list[str]:
        """Return the commands that a page prints, in its order."""
        buttons = Page(self.page(path)).all("button")
        copied = [button["data-copy"] for button in buttons if "data-copy" in button]
        lines = [line for text in copied for line in text.split(" && ")]
        return [line for line in lines if line.startswith(("pip ", "pentathlon "))]

    def files(self, path: str) -> dict[str, str]:
        """Return the files that a page tells people to write, by their names at the desk."""
        return {name: unescape(text) for name, text in _FILE.findall(self.page(path))}

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
        said = self.run("pentathlon submit my-bot --wait")
        match = self._unsealed(said.strip().rpartition("/matches/")[2].strip("/"))
        name = f"{self._username}-bot"
        seat = next(s["seat"] for s in match["seats"] if s["version"]["bot"]["name"] == name)
        zip_name = f"match-{match['id']}-seat-{seat}.zip"
        self.run(f"pentathlon repro {match['id']} my-bot --keep {zip_name}")
        tournament = self.api(f"tournaments/{match['tournament']}/")
        private = [page for page in PAGES_WITH_COMMANDS.values() if "{" in page]
        paths = [page.format(match=match["id"], tournament=tournament["id"]) for page in private]
        more = [line for path in paths for line in self.commands(path)]
        assert len({*paths}) == len(private) <= len(more)
        for line in [*bundles, *(line for line in rest if line not in local), *more]:
            # Pages and guides tell of match 12; here is one that exists.
            self.run(
                line.replace("/matches/1/", f"/matches/{match['id']}/")
                .replace("/tournaments/1/", f"/tournaments/{tournament['id']}/")
                .replace("YOUR_NOTE", tournament["commitment"])
                .replace(" 12 ", f" {match['id']} ")
                .replace("match-12-seat-1.zip", zip_name)
            )
        return match

    def _write(self, files: dict[str, str]) -> None:
        """Write those files whose folders are there."""
        for name, text in files.items():
            if (self._desk / name).parent.is_dir():
                (self._desk / name).write_text(text)

    def _unsealed(self, number: str) -> Any:  # Any: JSON
        """Wait until the seed of a match is public; return the match."""
        deadline = time.monotonic() + _PATIENCE_S
        while (match := self.api(f"matches/{number}/"))["seed"] is None:
            assert time.monotonic() < deadline, match
            time.sleep(0.2)
        return match

    def install(self, command: str) -> None:
        """Run the install command of a page in a new virtual environment."""
        subprocess.run([sys.executable, "-m", "venv", str(self._home / "new")], check=True)
        done = self._sh(command)
        assert done.returncode == 0, _NETWORK + done.stdout + done.stderr

    def log_in(self, command: str) -> str:
        """Run the login, confirm its code in the browser, and return what the command said."""
        with subprocess.Popen(
            ["sh", "-ec", f"exec {command}"], cwd=self._desk, env=self._environment(),
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        ) as terminal:  # fmt: skip
            assert terminal.stderr is not None
            said = ""
            while not (found := _CODE.search(said)):
                line = terminal.stderr.readline()
                assert line, said
                said += line
            self.post(f"/activate/?code={found[1]}", code=found[1], answer="approve")
            out, err = terminal.communicate(timeout=_PATIENCE_S)
        assert terminal.returncode == 0, said + err
        return out

    def run(self, command: str) -> str:
        """Run a command at the desk; return what it printed."""
        done = self._sh(command)
        assert done.returncode == 0, f"{command}\n{done.stdout}{done.stderr}"
        return done.stdout

    def _sh(self, command: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            ["sh", "-ec", command], cwd=self._desk, env=self._environment(),
            capture_output=True, text=True, check=False, timeout=_PATIENCE_S,
        )  # fmt: skip

    def _environment(self) -> dict[str, str]:
        """Return what a shell has: how this machine's pip is set up, but nothing of ours."""
        kept = {name: value for name, value in os.environ.items() if name.startswith("PIP_")}
        return {
            **kept,
            "PATH": f"{self._home / 'new/bin'}:{os.defpath}",
            "HOME": str(self._home),
            "PIP_CACHE_DIR": os.environ.get("PIP_CACHE_DIR", str(Path.home() / ".cache/pip")),
            "PIP_CONFIG_FILE": os.environ.get("PIP_CONFIG_FILE", str(_pip_config())),
        }


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


def _pip_config() -> Path:
    """Return where pip is set up for whoever runs the tests; the newcomer has another home."""
    places = (Path.home() / ".config/pip/pip.conf", Path("/etc/pip.conf"))
    return next((path for path in places if path.is_file()), Path(os.devnull))
