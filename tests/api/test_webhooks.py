import random
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from jsonschema import Draft202012Validator
from rest_framework.test import APIClient

from pentathlon.accounts.models import User
from pentathlon.webhooks.attempt_results import record_answers
from pentathlon.webhooks.event_types import ALL_TYPES, USUAL
from pentathlon.webhooks.http_client import PostResult
from pentathlon.webhooks.messages import secret_of
from pentathlon.webhooks.models import OutboxEvent, WebhookEndpoint
from pentathlon.webhooks.outbox import spread_events
from pentathlon.webhooks.services import ping_endpoint
from tests.api.client import V1, assert_problem, client_of
from tests.factories import make_user
from tests.pentathlon.webhooks.receiving import make_endpoint

pytestmark = pytest.mark.django_db
URL = "http://127.0.0.1:9/hook"
SENT = PostResult(status=500, error="Answered 500.", text="oops", duration_ms=12)


@pytest.fixture
def author() -> User:
    return make_user()


@pytest.fixture
def client(author: User) -> APIClient:
    return client_of(author)


def _post(client: APIClient, path: str = "/webhooks/", **body: Any) -> Any:
    return client.post(f"{V1}{path}", body, format="json")


def _tried(endpoint: WebhookEndpoint, *, times: int = 1) -> None:
    """Have test events sent to an endpoint, without success."""
    for _ in range(times):
        ping_endpoint(actor=endpoint.owner, endpoint_id=endpoint.pk)
    spread_events()
    sent = [(pk, SENT) for pk in endpoint.deliveries.values_list("pk", flat=True)]
    record_answers(endpoint.pk, sent, luck=random.Random(1))


def test_secret_is_in_the_first_answer_alone(client: APIClient) -> None:
    made = _post(client, url=URL)

    body = made.json()
    assert made.status_code == 201
    assert body["secret"] == secret_of(WebhookEndpoint.objects.get().salt)
    assert body["events"] == sorted(USUAL)
    for address in ("/webhooks/", f"/webhooks/{body['id']}/"):
        assert "whsec_" not in client.get(f"{V1}{address}").content.decode()


def test_links_lead_to_the_site_that_was_asked(client: APIClient) -> None:
    _post(client, url=URL)

    assert WebhookEndpoint.objects.get().site == "http://testserver"


@pytest.mark.parametrize(
    ("body", "code", "attr"),
    [
        ({}, "required", "url"),
        ({"url": "ftp://x"}, "bad_url", "url"),
        ({"url": "http://10.0.0.1/"}, "bad_url", "url"),
        ({"url": URL, "events": []}, "min_length", "events"),
        ({"url": URL, "events": ["nonsense"]}, "invalid_choice", "events.0"),
        ({"url": URL, "secret": "mine"}, "unknown_field", "secret"),
    ],
)
def test_bad_webhooks_are_refused_by_field(
    body: dict[str, Any], code: str, attr: str, client: APIClient
) -> None:
    answer = _post(client, **body)

    assert_problem(answer, status=400, code=code, attr=attr)


def test_what_is_not_given_stays(client: APIClient, author: User) -> None:
    endpoint = make_endpoint(author, events=["version.validated"])
    address = f"{V1}/webhooks/{endpoint.pk}/"

    changed = client.patch(address, {"events": ["match.finished"]}, format="json").json()
    disabled = client.patch(address, {"is_enabled": False}, format="json").json()

    assert (changed["events"], changed["url"]) == (["match.finished"], endpoint.url)
    assert (disabled["is_enabled"], disabled["events"]) == (False, ["match.finished"])


def test_rotation_answers_with_another_secret(client: APIClient, author: User) -> None:
    endpoint = make_endpoint(author)
    before = secret_of(endpoint.salt)

    told = _post(client, f"/webhooks/{endpoint.pk}/rotate/").json()

    endpoint.refresh_from_db()
    assert told["secret"] == secret_of(endpoint.salt) != before


def test_deliveries_show_attempts_and_body(client: APIClient, author: User) -> None:
    endpoint = make_endpoint(author)
    _tried(endpoint)

    [row] = client.get(f"{V1}/webhooks/{endpoint.pk}/deliveries/").json()["results"]

    assert (row["event"], row["state"]) == ("webhook.ping", "waiting")
    assert row["message_id"] == OutboxEvent.objects.get().message_id
    assert row["body"]["data"]["url"] == f"http://testserver/api/v1/webhooks/{endpoint.pk}/"
    [attempt] = row["attempts"]
    assert (attempt["status"], attempt["answer"], attempt["duration_ms"]) == (500, "oops", 12)


def test_redelivery_waits_again(client: APIClient, author: User) -> None:
    endpoint = make_endpoint(author)
    _tried(endpoint)
    delivery = endpoint.deliveries.get()
    path = f"/webhooks/{endpoint.pk}/deliveries/{delivery.pk}/redeliver/"

    told = _post(client, path)

    assert (told.status_code, told.json()["state"]) == (202, "waiting")
    other = make_endpoint(author)
    assert_problem(
        _post(client, f"/webhooks/{other.pk}/deliveries/{delivery.pk}/redeliver/"),
        status=404,
        code="not_found",
    )


def test_deleted_webhook_is_gone(client: APIClient, author: User) -> None:
    endpoint = make_endpoint(author)
    address = f"{V1}/webhooks/{endpoint.pk}/"

    assert client.delete(address).status_code == 204

    assert client.get(address).status_code == 404
    assert client.get(f"{V1}/webhooks/").json()["results"] == []


def test_types_of_events_come_with_schemas_that_fit_their_examples() -> None:
    rows = APIClient().get(f"{V1}/webhooks/events/").json()["results"]

    assert [row["name"] for row in rows] == list(ALL_TYPES)
    for row in rows:
        Draft202012Validator(row["schema"]).validate(row["example"])


@pytest.mark.parametrize("path", ["", "{pk}/deliveries/"])
def test_lists_ask_as_much_for_many_as_for_few(path: str, client: APIClient, author: User) -> None:
    counts: list[int] = []
    client.get(f"{V1}/webhooks/")  # notes the use of the token
    for _ in range(2):
        endpoint = make_endpoint(author)
        _tried(endpoint, times=2 + len(counts))
        with CaptureQueriesContext(connection) as queries:
            address = f"{V1}/webhooks/{path.format(pk=endpoint.pk)}"
            assert client.get(address).status_code == 200
        counts.append(len(queries))

    assert counts[0] == counts[1]
