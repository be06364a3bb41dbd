from collections.abc import Iterator

import pytest
from django.conf import settings
from django.db import OperationalError, connection, transaction
from django.db.migrations.recorder import MigrationRecorder
from django.test import Client, override_settings
from django.test.utils import CaptureQueriesContext
from redis import Redis

from pentathlon import metrics
from pentathlon.core.services import LOOPS, acquire_leadership
from pentathlon.fleet.queues import FRIENDLIES

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def _nothing_told() -> Iterator[None]:
    metrics.forget()
    yield
    metrics.forget()


@pytest.fixture
def database_away(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(recorder: MigrationRecorder) -> None:
        raise OperationalError("connection timeout expired")

    monkeypatch.setattr(MigrationRecorder, "applied_migrations", fail)


def test_living_process_says_ok_without_asking_anybody(client: Client) -> None:
    answer = client.get("/healthz")

    assert (answer.status_code, answer.content) == (200, b"ok\n")


def test_database_that_answers_is_enough_to_be_ready(client: Client) -> None:
    answer = client.get("/readyz")

    assert answer.status_code == 200
    assert answer.json()["ready"]
    assert answer.json()["checks"] == {"database": "ok", "migrations": "ok"}


def test_loops_that_nobody_runs_are_named(client: Client) -> None:
    for name in LOOPS:
        acquire_leadership(name=name, holder="test", ttl_s=0 if name == "webhooks" else 60)

    answer = client.get("/readyz")

    assert answer.status_code == 200, "the pages are there all the same"
    assert answer.json()["silent_loops"] == ["webhooks"]


@override_settings(REDIS_URL="unix:///nowhere.sock")
def test_silent_broker_takes_no_page_away(client: Client) -> None:
    assert client.get("/readyz").status_code == 200
    assert metrics.hints_waiting() is None
    told = client.get("/metrics").content
    assert b"pentathlon_broker_up 0.0" in told
    assert b'pentathlon_hints_waiting{queue="match"} NaN' in told


def test_broker_that_answers_is_seen_by_monitoring(client: Client) -> None:
    with Redis.from_url(str(settings.REDIS_URL)) as broker:
        broker.delete(FRIENDLIES)
        broker.lpush(FRIENDLIES, "1", "2")
        told = client.get("/metrics").content
        broker.delete(FRIENDLIES)

    assert b"pentathlon_broker_up 1.0" in told
    assert b'pentathlon_hints_waiting{queue="friendly"} 2.0' in told


def test_waiting_migration_makes_it_not_ready(client: Client) -> None:
    MigrationRecorder(connection).record_unapplied("matches", "0001_initial")
    try:
        answer = client.get("/readyz")
    finally:
        MigrationRecorder(connection).record_applied("matches", "0001_initial")

    assert answer.status_code == 503
    assert answer.json()["checks"]["migrations"] == (
        "1 wait for `manage.py migrate`, the first is matches.0001_initial"
    )


@pytest.mark.usefixtures("database_away")
def test_database_that_is_away_is_named(client: Client) -> None:
    answer = client.get("/readyz")

    assert answer.status_code == 503
    assert answer.json() == {
        "ready": False,
        "checks": {"database": "does not answer", "migrations": "not known"},
        "silent_loops": None,
    }


def test_answer_holds_for_a_while(client: Client) -> None:
    with CaptureQueriesContext(connection) as first:
        client.get("/readyz")
    with CaptureQueriesContext(connection) as second:
        client.get("/readyz")

    assert len(first) > 0
    assert len(second) == 0


def test_looking_leaves_a_transaction_that_is_open(client: Client) -> None:
    with transaction.atomic():
        answer = client.get("/readyz")
        assert connection.is_usable()

    assert answer.status_code == 200
