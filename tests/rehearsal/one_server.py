"""The job of the person on call, done with real containers: `python3 manage.py test rehearsal`.

The README of this folder says what it needs. The usual run compares the files with the code, and
runs the scripts against stubs (tests/one_server).
"""

from __future__ import annotations

import re
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http import HTTPStatus
from pathlib import Path
from typing import Final
from urllib.error import URLError
from urllib.parse import unquote
from urllib.request import urlopen

import pytest

from pentathlon.local.demo.api_client import ApiClient
from tests.factories import make_upload
from tests.rehearsal.site import ADDRESS, NAME, Site, eventually
from tools.benchmark.newcomer.person import PASSWORD, Newcomer

NOT_HERE: Final = 77
BOTS: Final = {"anna": "random", "bert": "greedy", "carl": "random"}
SERVICES: Final = ("database", "redis", "web", "reconciler", "worker", "proxy")


@pytest.fixture(scope="session", autouse=True)
def engine() -> None:
    """Stop where there is nothing to rehearse on."""
    for command in (("docker", "info"), ("docker", "compose", "version")):
        try:
            subprocess.run(command, capture_output=True, check=True)
        except (OSError, subprocess.CalledProcessError):
            sentence = "No Docker engine with compose answers; tests/rehearsal/README.md helps."
            pytest.exit(sentence, returncode=NOT_HERE)


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    made = Site(tmp_path)
    made.prepare()
    yield made
    made.end()


@pytest.mark.slow
def test_person_on_call_can_do_the_job(
    site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with act("install"):
        site.run("install", NAME)
        monkeypatch.setenv("SSL_CERT_FILE", str(site.trust()))
        site.manage(
            *("createsuperuser", "--noinput", "--username=boss", "--email=boss@example.org"),
            DJANGO_SUPERUSER_PASSWORD=PASSWORD,
        )
        talk_to_the_neighbours(site)
        boss = ApiClient.signed_in(ADDRESS, username="boss", password=PASSWORD)

    with act("people, letters, bots"):
        sign_up(site, Newcomer(ADDRESS, tmp_path / "ada"))
        ada = ApiClient.signed_in(ADDRESS, username="ada", password=PASSWORD)
        bots = [ada.upload("bots/", make_upload(name, like=like)) for name, like in BOTS.items()]
        versions = [int(bot["latest_version"]["id"]) for bot in bots]
        eventually(lambda: all(is_eligible(ada, version) for version in versions))

    with act("a tournament, webhooks, replays"):
        boss.post(
            "webhooks/", {"url": "https://hooks.example.org/", "events": ["tournament.closed"]}
        )
        play_tournament(boss, versions)
        eventually(lambda: "tournament.closed" in received(site, "webhook"))
        eventually(lambda: any((site.received / "store").rglob("*")))

    with act("backup, loss, restore"):
        disk = tmp_path / "disk"
        disk.mkdir()
        site.run("backup", str(disk))
        played = site.played()
        site.lose()
        site.run("install", NAME)
        monkeypatch.setenv("SSL_CERT_FILE", str(site.trust()))
        site.run("restore", str(*disk.iterdir()))
        talk_to_the_neighbours(site)
        assert site.played() >= played
        site.manage("verify_ratings")
        goes_on(site)

    for secret in ("token", "broker", "key", "password"):
        with act(f"rotate {secret}"):
            site.run("rotate", secret)
            goes_on(site)

    for service in SERVICES:
        with act(f"restart {service}"):
            site.compose("restart", service)
            goes_on(site)

    with act("upgrade"), visits() as failures:
        site.release("second")
        site.run("upgrade")
        goes_on(site)
        assert site.serving() == "second"
    assert failures == []

    with act("rollback"), visits() as failures:
        site.run("rollback")
        goes_on(site)
        assert site.serving() == "first"
        site.run("backup")
    assert failures == []


@contextmanager
def act(name: str) -> Iterator[None]:
    """Tell which act of the rehearsal ends, and how long it took."""
    started = time.monotonic()
    yield
    print(f"{name:<36} {time.monotonic() - started:7.1f} s", flush=True)  # noqa: T201  # its report


@contextmanager
def visits() -> Iterator[list[str]]:
    """Look at the site twice a second; collect what a visitor would complain about."""
    failures: list[str] = []
    is_over = threading.Event()

    def visit() -> None:
        while not is_over.wait(0.5):
            try:
                urlopen(f"{ADDRESS}/", timeout=90).close()  # https
            except (URLError, OSError) as error:
                failures.append(f"{time.strftime('%T')} {error}")

    visitor = threading.Thread(target=visit)
    visitor.start()
    try:
        yield failures
    finally:
        is_over.set()
        visitor.join()


def talk_to_the_neighbours(site: Site) -> None:
    """Set what an operator sets after the installation."""
    authority = "/certificates/authority.pem"
    site.configure(
        PENTATHLON_MAIL="smtps://rehearsal:secret@mail.example.org:465",
        PENTATHLON_REPLAYS="s3://replays/here?endpoint=https://store.example.org&region=eu-1",
        PENTATHLON_REPLAY_DAYS="0",
        AWS_ACCESS_KEY_ID="rehearsal",
        AWS_SECRET_ACCESS_KEY="rehearsal",
        SSL_CERT_FILE=authority,
        AWS_CA_BUNDLE=authority,
    )


def sign_up(site: Site, person: Newcomer) -> None:
    """Make an account, and confirm its address with the letter that arrives."""
    person.sign_up("ada")
    eventually(lambda: "/account/email/confirm/" in received(site, "letter"))
    (link,) = re.findall(r"/account/email/confirm/\?link=(\S+)", received(site, "letter"))
    person.post(f"/account/email/confirm/?link={link}", link=unquote(link))


def received(site: Site, kind: str) -> str:
    """Return all letters, or all webhooks, one after the other."""
    return "\n".join(path.read_text() for path in sorted(site.received.glob(f"{kind}.*")))


def is_eligible(reader: ApiClient, version: int) -> bool:
    """Return whether a version may play; fail if it never will."""
    state = reader.get(f"versions/{version}/")["state"]
    assert state != "rejected", reader.get(f"versions/{version}/")
    return bool(state == "eligible")


def play_tournament(organiser: ApiClient, versions: list[int]) -> None:
    """Play a round robin to its end."""
    document = {"name": "Rehearsal", "game": "tuned", "versions": versions, "cycles": 1}
    tournament = organiser.post("tournaments/", document)["id"]
    organiser.post(f"tournaments/{tournament}/start/")
    eventually(lambda: organiser.get(f"tournaments/{tournament}/")["state"] == "closed")


def goes_on(site: Site) -> None:
    """Wait until the site serves, and plays more matches than before."""
    eventually(is_ready)
    before = site.played()
    eventually(lambda: site.played() > before)


def is_ready() -> bool:
    """Return whether the site says that it can work."""
    try:
        with urlopen(f"{ADDRESS}/readyz", timeout=30) as answer:  # https
            return bool(answer.status == HTTPStatus.OK)
    except (URLError, OSError):
        return False
