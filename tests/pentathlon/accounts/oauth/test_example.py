"""The program of the guide signs somebody in at a server that runs."""

from __future__ import annotations

import subprocess
import sys
from importlib.resources import files
from urllib.request import urlopen

import pytest
from django.test import Client
from django.urls import reverse
from pytest_django.live_server_helper import LiveServer

from pentathlon.web import examples
from tests.factories import make_user
from tests.pentathlon.accounts.oauth.acting import FakeApp, browser_of
from tests.pentathlon.web.pages import page_of

_SCRIPT = files(examples).joinpath("sign_in.py")


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(
    ("answer", "said", "status"),
    [("yes", "Signed in as ada.", 0), ("", "Not allowed: access_denied", 1)],
    ids=["allowed", "denied"],
)
def test_program_of_the_guide_runs(
    live_server: LiveServer, answer: str, said: str, status: int
) -> None:
    person, app = make_user("ada"), FakeApp(redirect="http://127.0.0.1/callback")
    with subprocess.Popen(
        [sys.executable, str(_SCRIPT), live_server.url, app.row.client_id],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env={"BROWSER": "true", "PATH": "/usr/bin:/bin"},
    ) as program:
        assert program.stdout is not None
        asked = program.stdout.readline().partition("Allow it here: ")[2].strip()
        path = asked.removeprefix(live_server.url)
        # The test stands in for the browser: it answers, and follows the redirect.
        host = live_server.url.removeprefix("http://")
        sent = browser_of(person).post(path, {"allow": answer}, headers={"host": host})
        with urlopen(sent.headers["Location"]) as back:
            assert back.read() == b"You may close this window."
        told = program.stdout.read()

    assert said in told
    assert program.returncode == status


@pytest.mark.django_db
def test_guide_shows_the_program_that_is_run() -> None:
    page = page_of(Client().get(reverse("apps_guide")))

    assert " ".join(_SCRIPT.read_text().split()) in page.text
