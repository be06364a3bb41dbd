"""Pages are asked for as often as the table of limits says, whatever headers claim."""

import pytest
from django.core.wsgi import get_wsgi_application
from django.test import Client
from pytest_django import Settings

from pentathlon.core.server.bridge import Bridge
from pentathlon.core.server.limits import RATES
from pentathlon.core.server.protocol import Receive, Scope, Send
from pentathlon.core.server.proxies import without_hearsay
from tests.factories import make_user
from tests.pentathlon.core.server.asking import ask, scope_of
from tests.pentathlon.web.pages import page_of

pytestmark = pytest.mark.django_db

CLAIMS = ("X-Forwarded-For", "X_Forwarded_For", "Forwarded", "X-Real-IP", "X-Client-IP")


def test_third_page_is_refused_in_words(settings: Settings) -> None:
    settings.RATES = {**settings.RATES, "pages": "2/min"}
    client = Client(REMOTE_ADDR="10.1.1.1")

    answers = [client.get("/docs/") for _ in range(3)]

    assert [answer.status_code for answer in answers] == [200, 200, 429]
    assert 0 < int(answers[2]["Retry-After"]) <= 60
    assert "You have asked for this too often" in page_of(answers[2]).text


def test_people_behind_one_address_do_not_share_a_rate(settings: Settings) -> None:
    settings.RATES = {**settings.RATES, "pages": "1/min"}
    codes = []
    for _ in range(2):
        client = Client(REMOTE_ADDR="10.1.1.2")
        client.force_login(make_user())
        codes.append(client.get("/docs/").status_code)

    assert codes == [200, 200]


def test_monitoring_is_never_turned_away(settings: Settings) -> None:
    settings.RATES = {**settings.RATES, "pages": "1/min"}
    client = Client()

    assert {client.get("/healthz").status_code for _ in range(3)} == {200}


@pytest.mark.parametrize(
    ("path", "rate"),
    [
        ("/tournaments/1/results.csv", "exports"),
        ("/tournaments/1/standings.csv", "tables"),
        ("/leaderboards/tuned/table.csv", "exports"),
        ("/tournaments/1/", "tables"),
        ("/tournaments/1/schedule/", "tables"),
        ("/api/v1/tournaments/1/standings/", "tables"),
        ("/api/v1/tournaments/1/crosstable/", "tables"),
        ("/api/v1/tournaments/1/seats/", "tables"),
        ("/api/v1/tournaments/1/proof/", "exports"),
    ],
)
@pytest.mark.parametrize("method", ["GET", "HEAD"])
def test_costly_address_has_a_rate_of_its_own(
    method: str, path: str, rate: str, settings: Settings
) -> None:
    settings.RATES = {**settings.RATES, rate: "2/min"}
    client = Client(REMOTE_ADDR="10.1.1.3")

    codes = [client.generic(method, path).status_code for _ in range(3)]

    assert codes[:2] != [429, 429]
    assert codes[2] == 429


@pytest.mark.parametrize("name", CLAIMS)
@pytest.mark.parametrize("path", ["/docs/", "/api/v1/games/"])
def test_no_header_walks_around_a_rate(name: str, path: str, settings: Settings) -> None:
    settings.RATES = {**settings.RATES, "pages": "2/min", "visitors": "2/min"}
    bridge = Bridge(get_wsgi_application())

    async def door(scope: Scope, receive: Receive, send: Send) -> None:
        await bridge(without_hearsay(scope, proxies=0), receive, send)

    codes = [
        ask(door, scope_of(path, headers=[(name, f"10.2.0.{number}")])).status
        for number in range(4)
    ]

    assert codes == [200, 200, 429, 429]


def test_every_rate_of_the_table_is_set(settings: Settings) -> None:
    assert settings.RATES.keys() == RATES.keys()


def test_limits_are_told_to_people() -> None:
    text = page_of(Client().get("/docs/limits/")).text

    assert all(name in text for name in RATES)
    assert "quota_exceeded" in text
