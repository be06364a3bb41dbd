"""A Celery worker with an address and a token plays rated matches to the end."""

from __future__ import annotations

import io
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest
from redis import Redis

from pentathlon.core.wheel import wheels
from pentathlon.env import IMPORT_PATH
from pentathlon.fleet.models import WorkerToken
from pentathlon.fleet.queues import QUEUES, WORKER, worker_line
from pentathlon.live.frames import frame_key
from pentathlon.matches.models import Attempt, AttemptState, Match, MatchState
from pentathlon.matches.worker_tokens import revoke_worker_token
from tests.factories import make_match, make_version
from tests.patience import PATIENCE_S
from tests.ports import unused_port
from tests.tls import make_certificate, tls_to
from tests.workers.playing import make_sleeper
from tests.workers.running import Platform, running_platform
from tests.workers.sites import make_worker_token

PASSWORD = "p" * 40


@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
def test_worker_that_only_takes_plays_rated_matches_to_the_end(tmp_path: Path) -> None:
    token, secret = make_worker_token()
    versions = [make_version(), make_version(like="greedy")]
    for _ in range(3):
        make_match(versions, rated=True)
    served = tmp_path / "served"
    for wheel in wheels().values():
        ZipFile(io.BytesIO(wheel.data)).extractall(served)

    certificate = make_certificate(tmp_path / "certificate.pem")

    with (
        running_platform(tmp_path) as platform,
        broker_to_take_from(platform) as broker,
        tls_to(broker.port, certificate=certificate) as port,
    ):
        site = platform.start_web()
        platform.start_reconciler()
        # The environment has no database, key or home, so they cannot be stolen from it.
        worker = platform.start_remote_worker(
            site,
            secret,
            PYTHONPATH=str(served),
            PENTATHLON_WORKER_BROKER=f"rediss://{WORKER}:{PASSWORD}@localhost:{port}/0",
            SSL_CERT_FILE=str(certificate),
        )
        platform.eventually(_all_ended)
        assert _takes(broker.client)
        assert broker.client.acl_log() == []
        assert set(Match.objects.values_list("state", "host_faults")) == {(MatchState.DONE, 0)}
        played = Attempt.objects.values_list("worker_token", "state").distinct()
        assert list(played) == [(token.pk, AttemptState.ACCEPTED)]
        # The worker hears of the last result a moment after the database has it.
        unsent = tmp_path / "state" / "worker" / "unsent"
        platform.eventually(lambda: not list(unsent.rglob("*.json")))

        revoke_worker_token(WorkerToken.objects.get())
        assert worker.wait(PATIENCE_S) == 3, platform.all_logs()
        assert "The site refuses this worker token." in platform.all_logs()


@pytest.mark.deep
@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
def test_worker_asks_the_site_while_the_broker_is_away_and_returns_to_it(tmp_path: Path) -> None:
    _, secret = make_worker_token()
    sleepers = [make_sleeper(0.1), make_sleeper(0.1)]

    with running_platform(tmp_path) as platform, broker_to_take_from(platform) as broker:
        site = platform.start_web()
        platform.start_reconciler()
        worker = platform.start_remote_worker(site, secret, PENTATHLON_WORKER_BROKER=broker.url)
        platform.eventually(lambda: "ready" in _log_of(platform, "remote-worker"))
        broker.client.config_set("port", 0)
        broker.client.execute_command("CLIENT", "KILL", "USER", WORKER)
        # Frames are hints: while the broker or the site is busy, none are sent for some seconds.
        shown = [make_match(sleepers, rated=True).pk for _ in range(4)]
        platform.eventually(_all_ended)
        assert broker.client.exists(*[frame_key(pk, 1) for pk in shown]), "nobody saw one"
        assert "Connected to site:" in _log_of(platform, "remote-worker")

        broker.client.config_set("port", broker.port)
        platform.eventually(lambda: _takes(broker.client))
        worker.terminate()
        assert worker.wait(PATIENCE_S) == 0, platform.all_logs()


class Broker:
    """The broker of a platform, reached by its owner and by a user that may only take."""

    def __init__(self, client: Any, port: int) -> None:  # Any: commands without types
        self.client = client
        self.port = port
        self.url = f"redis://{WORKER}:{PASSWORD}@127.0.0.1:{port}/0"


@contextmanager
def broker_to_take_from(platform: Platform) -> Iterator[Broker]:
    """Open a port of the platform's broker for the user of workers."""
    port = unused_port()
    with Redis.from_url(platform.environment["REDIS_URL"], decode_responses=True) as client:
        rules = worker_line(password=PASSWORD, queues=QUEUES).split()[2:]
        client.execute_command("ACL", "SETUSER", WORKER, "reset", *rules)
        client.config_set("port", port)
        yield Broker(client, port)


def _takes(client: Any) -> bool:  # Any: commands without types
    return any(each["user"] == WORKER and each["cmd"] == "brpop" for each in client.client_list())


def _log_of(platform: Platform, name: str) -> str:
    return "".join(log.read_text() for log in platform.logs.glob(f"{name}-*.log"))


def _all_ended() -> bool:
    return not Match.objects.unfinished().exists()


@pytest.mark.parametrize("broker", [{}, {"PENTATHLON_WORKER_BROKER": "redis://a:b@localhost/0"}])
def test_worker_without_keys_imports_no_django(broker: dict[str, str]) -> None:
    program = (
        "import sys\n"
        "from workers.celery_app import app\n"
        "app.loader.import_default_modules()\n"
        "from workers.tasks import import_module, PORT\n"
        "import_module(PORT).open_platform()\n"
        "app.connection_for_read().transport\n"
        "print([m for m in ('django.conf', 'django.db', 'psycopg') if m in sys.modules])"
    )
    # The images set the first of these for all their processes. kombu takes a class of lazy texts
    # from a Django that is installed, hence no look for "django" itself.
    variables = {
        "DJANGO_SETTINGS_MODULE": "pentathlon.settings",
        "PYTHONPATH": IMPORT_PATH,
        "PENTATHLON_SERVER": "https://example.org",
        "PENTATHLON_WORKER_TOKEN": "ptw_1",
        **broker,
    }

    found = subprocess.run(
        [sys.executable, "-c", program], env=variables, capture_output=True, text=True, check=False
    )

    assert found.stdout.strip() == "[]", found.stderr
