from unittest.mock import ANY

import pytest
from django.db.migrations.executor import MigrationExecutor
from django.test import Client, override_settings


def test_living_process_says_ok_without_asking_anybody(client: Client) -> None:
    answer = client.get("/healthz")

    assert (answer.status_code, answer.content) == (200, b"ok\n")


@pytest.mark.django_db(transaction=True)
def test_everything_that_answers_is_ready(client: Client) -> None:
    answer = client.get("/readyz", headers={"Accept": "application/json"})

    assert answer.status_code == 200
    assert answer.json() == {
        "Database(alias='default')": "OK",
        "Migrations()": "OK",
        "Broker()": "OK",
    }


@pytest.mark.django_db(transaction=True)
@override_settings(REDIS_URL="unix:///nowhere.sock")
def test_silent_broker_makes_it_not_ready(client: Client) -> None:
    answer = client.get("/readyz", headers={"Accept": "application/json"})

    assert answer.status_code == 503
    assert answer.json()["Broker()"] == ANY
    assert "the broker does not answer" in answer.json()["Broker()"]


@pytest.mark.django_db(transaction=True)
def test_waiting_migration_makes_it_not_ready(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(MigrationExecutor, "migration_plan", lambda self, leaves: [leaves])

    answer = client.get("/readyz", headers={"Accept": "application/json"})

    assert answer.status_code == 503
    assert "1 migrations wait" in answer.json()["Migrations()"]
