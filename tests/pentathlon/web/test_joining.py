"""Staff let a machine work for the site, with one command and what the site serves."""

from __future__ import annotations

import io
import shlex
import subprocess
import sys
from html import unescape
from pathlib import Path
from zipfile import ZipFile

import pytest
from django.test import Client

from pentathlon.core.wheel import engines_wheel, wheels, worker_wheel
from pentathlon.fleet.models import WorkerToken
from pentathlon.fleet.tokens import find_worker_token
from tests.factories import make_staff, make_user
from workers.__main__ import _read_options

ASKED = {"name": "lab 3", "slots": 3, "work": ["unrated", "analyses"]}


@pytest.fixture
def staff() -> Client:
    browser = Client()
    browser.force_login(make_staff())
    return browser


def commands(page: str) -> list[list[str]]:
    block = page.partition("data-commands>")[2].partition("</pre>")[0]
    lines = block.replace('<span class="prompt">$ </span>', "").splitlines()
    return [shlex.split(unescape(line)) for line in lines]


@pytest.mark.django_db
def test_page_prints_commands_with_the_token_just_made(staff: Client) -> None:
    page = staff.post("/workers/join/", ASKED).content.decode()

    install, start = commands(page)
    assert install[:2] == ["pip", "install"]
    assert [source.partition("#sha256=")[2] for source in install[2:]] == [
        engines_wheel().sha256,
        worker_wheel().sha256,
    ]
    assert start[0] == "pentathlon-worker"
    variables, _ = _read_options(start[1:])
    token = find_worker_token(variables["PENTATHLON_WORKER_TOKEN"])
    assert token is not None
    assert (token.name, token.work) == ("lab 3", ["unrated", "analyses"])
    assert token.created_by is not None


@pytest.mark.django_db
def test_token_is_shown_once(staff: Client) -> None:
    made = staff.post("/workers/join/", ASKED)
    again = staff.post("/workers/join/", ASKED).content.decode()

    assert "no-store" in made["Cache-Control"]
    assert "There is a worker token lab 3 already." in unescape(again)
    assert "ptw_" not in again
    assert WorkerToken.objects.count() == 1


@pytest.mark.django_db
def test_only_staff_add_machines() -> None:
    browser = Client()
    browser.force_login(make_user())

    answers = [browser.get("/workers/join/"), browser.post("/workers/join/", ASKED)]

    assert [answer.status_code for answer in answers] == [403, 403]
    assert Client().get("/workers/join/").status_code == 302
    assert not WorkerToken.objects.exists()


def test_served_wheels_are_all_that_a_worker_needs_of_us(tmp_path: Path) -> None:
    for name in wheels():
        with ZipFile(io.BytesIO(Client().get(f"/kit/{name}").content)) as files:
            files.extractall(tmp_path)
    program = (
        "import sys, workers.tasks, workers.remote.adapter, workers.__main__ as worker; "
        "ours = ('workers', 'pentathlon', 'pentathlon_engines'); "
        "print(*(m.__file__ for n, m in sys.modules.items() if n.split('.')[0] in ours)); "
        "worker.main(['--help'])"
    )

    ran = subprocess.run(
        [sys.executable, "-P", "-c", program],
        cwd=tmp_path,
        env={"PYTHONPATH": str(tmp_path), "PENTATHLON_SERVER": "https://example.org"},
        capture_output=True,
        text=True,
        check=True,
    )

    loaded, _, usage = ran.stdout.partition("\n")
    assert all(path.startswith(str(tmp_path)) for path in loaded.split())
    assert "--token-file" in usage
    (scripts,) = tmp_path.glob("pentathlon_worker-*.dist-info/entry_points.txt")
    assert "pentathlon-worker = workers.__main__:main" in scripts.read_text()
