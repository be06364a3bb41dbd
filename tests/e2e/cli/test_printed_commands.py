"""Every command that pages, READMEs and guides print, done one after the other by a newcomer.

`tests/local/test_up.py` copies the first of them into a real shell, beside the kit that the site
serves; `manage.py test sites` all of them.
"""

import shlex
import time
from collections.abc import Callable
from pathlib import Path

import pytest
import urllib3
from django.test import Client

from pentathlon.accounts.models import DeviceLogin
from pentathlon.matches.models import Match, MatchState
from pentathlon.ratings.services import apply_results
from pentathlon_engines.cli.commands import login
from pentathlon_engines.match.plain_launcher import PlainLauncher
from tests.e2e.cli.conftest import SITE, SiteInProcess
from tests.engines.commands import Run
from tests.local.newcomer import Copyist, commands_of_guides
from tests.pentathlon.ladders.playing import make_reference, open_ladder, seat_all, step
from tests.pentathlon.matches.acting import claimed
from tests.workers.playing import bot_files, play_jobs

pytestmark = pytest.mark.django_db

_MOST_AT_A_TIME = 2
"""The most waiting matches that are played at a time: a ladder always has more."""


class CopyistInProcess(Copyist):
    """Has no shell: each command runs in this process, and the site works while one waits."""

    def __init__(self, home: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
        super().__init__(SITE, home)
        self._run = run
        self._monkeypatch = monkeypatch
        self._client = Client()
        monkeypatch.chdir(self.desk)

    def page(self, path: str) -> str:
        answer = self._client.get(path)
        assert answer.status_code == 200, path
        return answer.content.decode()

    def post(self, path: str, **fields: str) -> None:
        assert self._client.post(path, fields).status_code in {200, 302}

    def install(self, command: str) -> None:
        assert command.startswith("pip install "), command

    def log_in(self, command: str) -> str:
        return self._do(command, while_waiting=self._approve)

    def run(self, command: str) -> str:
        return self._do(command, while_waiting=self.wait)

    def wait(self) -> None:
        seat_all()
        step()
        files = bot_files()
        for match in Match.objects.filter(state=MatchState.PENDING).order_by("pk")[
            :_MOST_AT_A_TIME
        ]:
            play_jobs([claimed(match)], launcher=PlainLauncher(), files=files)
        files.close()
        apply_results()

    def _approve(self) -> None:
        code = DeviceLogin.objects.get().shown_code
        self.post(f"/activate/?code={code}", code=code, answer="approve")

    def _do(self, command: str, *, while_waiting: Callable[[], None]) -> str:
        program, *words = shlex.split(command)
        assert program == "pentathlon"
        with self._monkeypatch.context() as patch:
            if words[0] in ("login", "submit"):
                self._let_sleep(patch, while_waiting)
            done = self._run(*words)
        assert done.code == 0, (command, done.out, done.err)
        return done.out

    def _let_sleep(self, patch: pytest.MonkeyPatch, work: Callable[[], None]) -> None:
        def sleep(seconds: float) -> None:
            with self._monkeypatch.context() as awake:
                awake.setattr(time, "sleep", really_sleep)
                work()

        really_sleep = time.sleep
        patch.setattr(time, "sleep", sleep)
        patch.setattr(login.await_token, "__kwdefaults__", {"sleep": sleep})


@pytest.mark.deep
def test_every_printed_command_does_its_work(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # `verify --tournament` does not use a `Site`: it asks any address, without a token.
    monkeypatch.setattr(urllib3, "request", SiteInProcess().request)
    open_ladder()
    make_reference("house bot")
    newcomer = CopyistInProcess(tmp_path / "newcomer", run, monkeypatch)
    newcomer.sign_up("ada")

    first = newcomer.try_everything(commands_of_guides())

    assert (first["kind"], first["rated"], first["state"]) == ("ladder", True, "done")
