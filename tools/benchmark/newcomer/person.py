"""A newcomer at a site: signs up in a browser, and copies commands from its pages into a shell."""

import json
import os
import re
import subprocess
import sys
from html import unescape
from http.cookiejar import CookieJar
from pathlib import Path
from resource import RUSAGE_CHILDREN, getrusage
from typing import Any, Final
from urllib.parse import urlencode
from urllib.request import HTTPCookieProcessor, ProxyHandler, build_opener

from pentathlon.env import child_environment

_PATIENCE_S: Final = 400
_RUNS: Final = 10
PASSWORD: Final = "a long secret 17"  # noqa: S105  of an account that exists for minutes
_COPIED: Final = re.compile(r'<button[^>]* data-copy="([^"]*)"')
_FORM_TOKEN: Final = re.compile(r'name="csrfmiddlewaretoken" value="(\w+)"')
_CODE: Final = re.compile(r"Open http\S+\?code=(\S+)\n")
_NETWORK: Final = (
    "pip could not install the kit. It takes typer and rich from the package index: it needs a "
    "network, or a pip that is set up to find them elsewhere.\n"
)


class WalkFailed(Exception):
    """A command or a page did not do what the site promises."""

    code = "walk_failed"


class Newcomer:
    """One person with a browser, a shell, and a home of their own."""

    def __init__(self, address: str, home: Path) -> None:
        self.address = address
        self.username = ""
        self.desk = home / "desk"
        self._home = home
        self._browser = build_opener(HTTPCookieProcessor(CookieJar()), ProxyHandler({}))
        self._browser.addheaders.append(("Referer", address))  # over https Django asks for it
        self.desk.mkdir(parents=True)

    def page(self, path: str) -> str:
        """Return the text of a page as the browser gets it."""
        with self._browser.open(f"{self.address}{path}", timeout=_PATIENCE_S) as answer:
            text: str = answer.read().decode()
        return text

    def api(self, path: str) -> Any:  # Any: JSON
        """Return JSON from the API that everybody may read."""
        return json.loads(self.page(f"/api/v1/{path}"))

    def post(self, path: str, **fields: str) -> None:
        """Send the form of a page."""
        token = _FORM_TOKEN.search(self.page(path))
        if token is None:
            raise WalkFailed(f"{path} has no form.")
        form = urlencode({**fields, "csrfmiddlewaretoken": token[1]}).encode()
        self._browser.open(f"{self.address}{path}", form, timeout=_PATIENCE_S).close()

    def sign_up(self, username: str) -> None:
        """Make an account."""
        self.username = username
        email = f"{username}@example.org"
        self.post("/sign-up/", username=username, email=email, password=PASSWORD)

    def commands(self, path: str) -> list[str]:
        """Return the commands that a page prints, in its order."""
        return copied_commands(self.page(path))

    def install(self, command: str) -> None:
        """Run the install command of a page in a new virtual environment."""
        subprocess.run([sys.executable, "-m", "venv", str(self._home / "new")], check=True)
        done = self._sh(command)
        if done.returncode != 0:
            raise WalkFailed(_NETWORK + done.stdout + done.stderr)

    def log_in(self, command: str) -> str:
        """Run the login, confirm its code in the browser, and return what the command said."""
        with subprocess.Popen(
            ["/bin/sh", "-ec", f"exec {command}"], cwd=self.desk, env=self._environment(),
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        ) as terminal:  # fmt: skip
            said = ""
            while not (code := _CODE.search(said)):
                line = terminal.stderr.readline() if terminal.stderr else ""
                if not line:
                    raise WalkFailed(f"{command} shows no code.\n{said}")
                said += line
            self.post(f"/activate/?code={code[1]}", code=code[1], answer="approve")
            out, err = terminal.communicate(timeout=_PATIENCE_S)
        if terminal.returncode != 0:
            raise WalkFailed(f"{command}\n{said}{err}")
        return out

    def run(self, command: str) -> str:
        """Run a command at the desk; return what it printed."""
        done = self._sh(command)
        if done.returncode != 0:
            raise WalkFailed(f"{command}\n{done.stdout}{done.stderr}")
        return done.stdout

    def cost_s(self, command: str) -> float:
        """Return the least CPU seconds of a command, of some runs."""
        costs = []
        for _ in range(_RUNS):
            before = getrusage(RUSAGE_CHILDREN)
            self.run(command)
            after = getrusage(RUSAGE_CHILDREN)
            costs.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
        return min(costs)

    def submit(self, command: str) -> Any:  # Any: JSON
        """Run a `submit --wait`; return the first rated match."""
        number = self.run(command).strip().rpartition("/matches/")[2].strip("/")
        match = self.api(f"matches/{number}/")
        if (match["kind"], match["rated"], match["state"]) != ("ladder", True, "done"):
            raise WalkFailed(f"{command} ended at match {number}, which is not rated.")
        return match

    def _sh(self, command: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            ["/bin/sh", "-ec", command], cwd=self.desk, env=self._environment(),
            capture_output=True, text=True, check=False, timeout=_PATIENCE_S,
        )  # fmt: skip

    def _environment(self) -> dict[str, str]:
        """Return a shell's variables: this machine's set-up of pip, but nothing else of ours."""
        ours = child_environment()
        return {
            "PATH": f"{self._home / 'new/bin'}:{os.defpath}",
            "HOME": str(self._home),
            "PIP_CACHE_DIR": str(Path.home() / ".cache/pip"),
            "PIP_CONFIG_FILE": str(_pip_config()),
            **{name: value for name, value in ours.items() if name.startswith("PIP_")},
        }


def copied_texts(page: str) -> list[str]:
    """Return the texts that the copy buttons of a page put on the clipboard, in page order."""
    return [unescape(text) for text in _COPIED.findall(page)]


def copied_commands(page: str) -> list[str]:
    """Return the shell commands among the copied texts of a page, one by one."""
    lines = [line for text in copied_texts(page) for line in text.split(" && ")]
    return [line for line in lines if line.startswith(("pip ", "pentathlon "))]


def _pip_config() -> Path:
    """Return the user's own pip configuration, as the newcomer has another home."""
    places = (Path.home() / ".config/pip/pip.conf", Path("/etc/pip.conf"))
    return next((path for path in places if path.is_file()), Path(os.devnull))
