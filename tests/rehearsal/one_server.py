"""The job of the person on call, done with real containers: `python3 manage.py test rehearsal`.

The README of this folder says what it needs. The usual run compares the files with the code, and
runs the scripts against stubs (tests/one_server).
"""

from __future__ import annotations

import faulthandler
import re
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http import HTTPStatus
from pathlib import Path
from typing import Final, Protocol
from urllib.error import URLError
from urllib.parse import unquote
from urllib.request import urlopen

import pytest

from pentathlon.env import export
from pentathlon.local.demo.people import ApiClient
from tests.factories import make_upload
from tests.k8s.manifests import K8S, load
from tests.rehearsal.figures import write_tests
from tests.rehearsal.site import ADDRESS, NAME, Site, eventually
from tools.benchmark.newcomer.person import PASSWORD, Newcomer

BOTS: Final = {"anna": "random", "bert": "greedy", "carl": "random"}
AUTHORITY: Final = "/certificates/authority.pem"
SERVICES: Final = ("database", "redis", "web", "reconciler", "worker", "proxy")

ALERTS: Final = {
    "reconciler": "PentathlonReconcilerDown",
    "worker": "PentathlonNoWorkers",
    "redis": "PentathlonBrokerDown",
    "database": "PentathlonDatabaseAway",
    "web": "PentathlonWebDown",
}


class Played(Protocol):
    """A site that knows how many of its matches are done."""

    def played(self) -> int: ...


@pytest.fixture
def site(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Site]:
    """A machine with Docker, or none."""
    for command in (("docker", "info"), ("docker", "compose", "version")):
        try:
            subprocess.run(command, capture_output=True, check=True)
        except (OSError, subprocess.CalledProcessError):
            pytest.skip("No Docker engine with compose answers; tests/rehearsal/README.md helps.")
    faulthandler.cancel_dump_traceback_later()  # it ends a test after 15 minutes
    made = Site(tmp_path)
    made.prepare(compiled=not request.config.getoption("--uncompiled"))
    yield made
    made.end()


@pytest.mark.slow
def test_person_on_call_can_do_the_job(site: Site, tmp_path: Path) -> None:
    with act("install"):
        install(site)
    with act("people, letters, bots"):
        sign_up(site, Newcomer(ADDRESS, tmp_path / "ada"))
        versions = upload_bots("ada")
    with act("a tournament, a webhook, replays"):
        play_tournament(site, versions)
    with act("backup, loss of the machine, restore"):
        lose_and_restore(site, tmp_path / "disk")
    with act("monitoring"):
        site.compose("--profile", "monitoring", "up", "-d", "prometheus")
        eventually(lambda: has_figures(site))
    with act("each alert, by its figures"):
        try_alerts(site)
    for service, alert in ALERTS.items():
        with act(f"{alert} fires and clears"):
            fire_and_clear(site, service, alert)
    change_everything(site)
    upgrade_and_go_back(site)


def install(site: Site) -> None:
    """Make a site, its first person, and what it is told of its neighbours."""
    site.run("install", NAME)
    export("SSL_CERT_FILE", str(site.trust()))
    settings = {
        "PENTATHLON_MAIL": "smtps://rehearsal:secret@mail.example.org:465",
        "PENTATHLON_REPLAYS": "s3://replays/here?endpoint=https://store.example.org&region=eu-1",
        "PENTATHLON_REPLAY_DAYS": "0",
        "AWS_ACCESS_KEY_ID": "rehearsal",
        "AWS_SECRET_ACCESS_KEY": "rehearsal",
        "AWS_CA_BUNDLE": AUTHORITY,
        "SSL_CERT_FILE": AUTHORITY,
    }
    site.configure(settings)
    site.manage(
        *("createsuperuser", "--noinput", "--username=boss", "--email=boss@example.org"),
        DJANGO_SUPERUSER_PASSWORD=PASSWORD,
    )
    site.ask("UPDATE accounts_user SET is_organiser = true")  # there is a page for it


def sign_up(site: Site, author: Newcomer) -> None:
    """Sign up as ada, and confirm the address with the letter."""
    author.sign_up("ada")
    eventually(lambda: "/account/email/confirm/" in received(site, "letter"))
    (link,) = re.findall(r"/account/email/confirm/\?link=(\S+)", received(site, "letter"))
    author.post(f"/account/email/confirm/?link={link}", link=unquote(link))


def upload_bots(author: str, *, address: str = ADDRESS) -> list[int]:
    """Upload bots; return their versions once a worker has let them play."""
    client = ApiClient.signed_in(address, username=author, password=PASSWORD)
    bots = [client.upload("bots/", make_upload(name, like=like)) for name, like in BOTS.items()]
    versions = [int(bot["latest_version"]["id"]) for bot in bots]
    eventually(lambda: all(is_eligible(client, version) for version in versions))
    return versions


def is_eligible(reader: ApiClient, version: int) -> bool:
    """Return whether a version may play; fail if it never will."""
    read = reader.get(f"versions/{version}/")
    assert read["state"] != "rejected", read
    return bool(read["state"] == "eligible")


def play_tournament(site: Site, versions: list[int]) -> None:
    """Play a round robin to its end; the webhook says so, and replays move to the store."""
    boss = ApiClient.signed_in(ADDRESS, username="boss", password=PASSWORD)
    hook = {"url": "https://hooks.example.org/", "events": ["tournament.finished"]}
    boss.post("webhooks/", hook)
    document = {"name": "Rehearsal", "game": "tuned", "versions": versions, "cycles": 1}
    tournament = boss.post("tournaments/", document)["id"]
    boss.post(f"tournaments/{tournament}/start/")
    eventually(lambda: boss.get(f"tournaments/{tournament}/")["state"] == "closed")
    eventually(lambda: "tournament.finished" in received(site, "webhook"))
    eventually(lambda: site.ask("SELECT max(object_name) FROM matches_replay") != "")


def lose_and_restore(site: Site, disk: Path) -> None:
    """Bring a lost machine's matches back from a backup, on a new one."""
    disk.mkdir()
    played = site.played()
    site.run("backup", str(disk))
    site.lose()
    install(site)
    site.run("restore", str(*disk.iterdir()))
    assert site.played() >= played
    site.manage("verify_ratings")
    goes_on(site)


@contextmanager
def act(name: str) -> Iterator[None]:
    """Tell which act of the rehearsal ends, and how long it took."""
    started = time.monotonic()
    yield
    print(f"{name:<36} {time.monotonic() - started:7.1f} s", flush=True)  # noqa: T201  # its report


@contextmanager
def visits() -> Iterator[None]:
    """Look at the site twice a second; fail if a visitor would have complained."""
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
        yield
    finally:
        is_over.set()
        visitor.join()
    assert not failures, failures


def has_figures(site: Site) -> bool:
    """Return whether monitoring reads the site's figures."""
    try:
        return bool(site.monitoring("query?query=pentathlon_gauges_up")["result"])
    except (URLError, OSError):
        return False


def try_alerts(site: Site) -> None:
    """Let Prometheus's own program try the rules as they are, with the times that they wait."""
    folder = site.home / "alerts"
    folder.mkdir()
    write_tests(load(K8S / "components/monitoring/alerts.yaml")[0]["spec"], folder)
    site.compose(
        *("run", "--rm", "-T", "--no-deps", f"--volume={folder}:/tests:ro"),
        *("--entrypoint=sh", "prometheus", "-c", "promtool test rules /tests/*.test"),
    )


def fire_and_clear(site: Site, service: str, alert: str) -> None:
    """Stop a service until its alert fires, start it until the alert is gone."""
    assert alert not in site.alerts()
    site.compose("stop", service)
    eventually(lambda: alert in site.alerts())
    if service == "redis":
        plays_on(site)  # workers ask the site
        assert ALERTS["reconciler"] not in site.alerts()
    site.compose("start", service)
    eventually(lambda: alert not in site.alerts())


def change_everything(site: Site) -> None:
    """Rotate each secret and restart each container; the site goes on each time."""
    for secret in ("token", "broker", "key", "password"):
        with act(f"rotate {secret}"):
            site.run("rotate", secret)
            goes_on(site)
    for service in SERVICES:
        with act(f"restart {service}"):
            site.compose("restart", service)
            goes_on(site)


def upgrade_and_go_back(site: Site) -> None:
    """Upgrade and roll back while matches run and visitors look, then back up."""
    with act("upgrade"), visits():
        site.release("second", makes_table=True)
        site.run("upgrade")
        goes_on(site)
        assert site.serving() == "second"
    with act("rollback"), visits():
        site.run("rollback")
        goes_on(site)
        assert site.serving() == "first"
        assert "A newer release" in site.run("backup")  # by the older code, of the newer tables


def received(site: Site, kind: str) -> str:
    """Return all letters, or all webhooks, one after the other."""
    return "\n".join(path.read_text() for path in sorted(site.received.glob(f"{kind}.*")))


def goes_on(site: Played) -> None:
    """Wait until the site serves, and plays more matches than before."""
    eventually(is_ready)
    plays_on(site)


def plays_on(site: Played) -> None:
    """Wait until the site plays more matches than before."""
    before = site.played()
    eventually(lambda: site.played() > before)


def is_ready(address: str = ADDRESS) -> bool:
    """Return whether the site says that it can work."""
    try:
        with urlopen(f"{address}/readyz", timeout=30) as answer:  # https
            return bool(answer.status == HTTPStatus.OK)
    except (URLError, OSError):
        return False
