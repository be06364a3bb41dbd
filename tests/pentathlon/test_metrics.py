"""Who may read /metrics."""

import pytest
from django.test import Client
from pytest_django import Settings

pytestmark = pytest.mark.django_db

FIGURE = b"django_http_requests_before_middlewares_total"


@pytest.mark.parametrize("address", ["127.0.0.1", "127.8.0.1", "::1"])
def test_this_machine_reads_metrics(address: str, client: Client) -> None:
    answer = client.get("/metrics", REMOTE_ADDR=address)

    assert answer.status_code == 200
    assert FIGURE in answer.content


@pytest.mark.parametrize("address", ["10.1.2.3", "2001:db8::1", "", "unix"])
def test_other_machines_do_not(address: str, client: Client) -> None:
    answer = client.get("/metrics", REMOTE_ADDR=address)

    assert answer.status_code == 401
    assert answer["WWW-Authenticate"] == "Bearer"
    assert b"PENTATHLON_METRICS_TOKEN" in answer.content
    assert FIGURE not in answer.content


@pytest.mark.parametrize("name", ["X-Forwarded-For", "X-Real-IP", "Forwarded"])
def test_proxy_on_this_machine_lets_nobody_in(name: str, client: Client) -> None:
    assert client.get("/metrics", headers={name: "127.0.0.1"}).status_code == 401


def test_production_is_closed_without_a_token(client: Client, settings: Settings) -> None:
    settings.PRODUCTION = True

    assert client.get("/metrics").status_code == 401


@pytest.mark.parametrize("production", [True, False])
def test_token_opens_metrics_from_anywhere(
    production: bool, client: Client, settings: Settings
) -> None:
    settings.METRICS_TOKEN, settings.PRODUCTION = "sesame-oil", production

    told = {
        value: client.get("/metrics", REMOTE_ADDR="10.1.2.3", HTTP_AUTHORIZATION=value).status_code
        for value in ("Bearer sesame-oil", "Bearer sesame", "sesame-oil", "Basic sesame-oil", "")
    }

    assert [value for value, status in told.items() if status == 200] == ["Bearer sesame-oil"]


def test_with_a_token_this_machine_needs_it_too(client: Client, settings: Settings) -> None:
    settings.METRICS_TOKEN = "sesame"

    assert client.get("/metrics").status_code == 401


def test_monitoring_may_ask_by_any_name(client: Client) -> None:
    answer = client.get("/metrics", REMOTE_ADDR="127.0.0.1", headers={"Host": "10.1.2.3:8000"})

    assert answer.status_code == 200
    assert client.get("/games/", headers={"Host": "10.1.2.3:8000"}).status_code == 400
