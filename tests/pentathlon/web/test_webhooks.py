import random
import re
from collections.abc import Callable
from datetime import UTC, datetime
from html import unescape
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from pentathlon.accounts.models import User
from pentathlon.webhooks.attempt_results import record_answers
from pentathlon.webhooks.http_client import PostResult
from pentathlon.webhooks.messages import secret_of, signed_headers
from pentathlon.webhooks.models import DeliveryState, WebhookEndpoint, new_salt
from pentathlon.webhooks.outbox import spread_events
from pentathlon.webhooks.services import mail_events, ping_endpoint
from tests.factories import make_user
from tests.pentathlon.web.pages import page_of
from tests.pentathlon.webhooks.receiving import make_endpoint

pytestmark = pytest.mark.django_db
URL = "http://127.0.0.1:9/hook"
FAILED = PostResult(status=500, error="Answered 500.", text="<b>oops</b>", duration_ms=12)


@pytest.fixture
def author() -> User:
    return make_user()


@pytest.fixture
def client(author: User) -> Client:
    client = Client()
    client.force_login(author)
    return client


def _tried(endpoint: WebhookEndpoint, *, times: int = 1) -> None:
    for _ in range(times):
        ping_endpoint(actor=endpoint.owner, endpoint_id=endpoint.pk)
    spread_events()
    sent = [(pk, FAILED) for pk in endpoint.deliveries.values_list("pk", flat=True)]
    record_answers(endpoint.pk, sent, luck=random.Random(1))


def _address(name: str, endpoint: WebhookEndpoint) -> str:
    return reverse(name, args=[endpoint.pk])


def test_secret_is_shown_once(client: Client) -> None:
    form = {"url": URL, "events": ["version.validated"]}

    made = client.post(reverse("webhook_new"), form)

    endpoint = WebhookEndpoint.objects.get()
    assert secret_of(endpoint.salt) in made.content.decode()
    assert endpoint.site == "http://testserver"
    for address in (reverse("webhooks"), _address("webhook", endpoint)):
        text = client.get(address).content.decode()
        assert "whsec_" not in text
        assert URL in text


def test_bad_address_is_told_at_its_field(client: Client) -> None:
    form = {"url": "http://10.0.0.1/", "events": ["version.validated"]}

    page = page_of(client.post(reverse("webhook_new"), form))

    assert "10.0.0.1 is not a public address" in page.text
    assert "#id_url" in page.links()
    assert not WebhookEndpoint.objects.exists()


def test_deliveries_show_what_came_of_each(client: Client, author: User) -> None:
    endpoint = make_endpoint(author)
    _tried(endpoint)

    page = page_of(client.get(_address("webhook", endpoint)))

    assert "webhook.ping" in page.text
    assert "status 500, 12 ms" in " ".join(page.text.split())
    assert "<b>oops</b>" in page.text
    assert "Nothing arrives there." in page.text


def _renewed_at(html: str) -> str:
    found = re.search(r'data-renew="([^"]+)"', html)
    assert found
    return unescape(found[1])


def test_open_page_gets_deliveries_made_since(client: Client, author: User) -> None:
    endpoint = make_endpoint(author)
    address = _renewed_at(client.get(_address("webhook", endpoint)).content.decode())
    assert client.get(address, headers={"X-Part": "true"}).status_code == 204

    _tried(endpoint)
    part = client.get(address, headers={"X-Part": "true"}).content.decode()

    assert "<html" not in part
    assert "webhook.ping" in part
    assert "Nothing arrives there." in part
    again = client.get(_renewed_at(part), headers={"X-Part": "true"})
    assert (again.status_code, again.content) == (204, b"")


def test_renewed_page_keeps_its_place_without_a_mark_in_links(
    client: Client, author: User
) -> None:
    endpoint = make_endpoint(author)
    _tried(endpoint, times=32)
    older = f"{_address('webhook', endpoint)}?before={endpoint.deliveries.earliest('pk').pk + 31}"

    address = _renewed_at(client.get(older).content.decode())
    _tried(endpoint)
    part = client.get(address, headers={"X-Part": "true"}).content.decode()

    assert f"before={endpoint.deliveries.earliest('pk').pk + 31}" in _renewed_at(part)
    links = re.findall(r'href="([^"]+)"', part)
    assert links
    assert not [each for each in links if "mark=" in each]


def test_buttons_do_what_they_say(client: Client, author: User) -> None:
    endpoint = make_endpoint(author)
    _tried(endpoint)
    delivery = endpoint.deliveries.get()
    delivery.state = DeliveryState.FAILED
    delivery.save()

    client.post(_address("webhook_redeliver", endpoint), {"delivery": delivery.pk})
    delivery.refresh_from_db()
    assert delivery.state == DeliveryState.WAITING
    client.post(_address("webhook_disable", endpoint))
    endpoint.refresh_from_db()
    assert not endpoint.is_enabled
    refused = client.post(_address("webhook_ping", endpoint), follow=True)
    assert "This webhook is disabled." in refused.content.decode()
    client.post(_address("webhook_enable", endpoint))
    client.post(_address("webhook_ping", endpoint))
    spread_events()
    assert endpoint.deliveries.count() == 2
    rotated = client.post(_address("webhook_rotate", endpoint))
    endpoint.refresh_from_db()
    assert secret_of(endpoint.salt) in rotated.content.decode()
    client.post(_address("webhook", endpoint), {"url": URL, "events": ["match.finished"]})
    endpoint = WebhookEndpoint.objects.get(pk=endpoint.pk)
    assert (endpoint.url, endpoint.events) == (URL, ["match.finished"])
    assert client.get(_address("webhook_delete", endpoint)).status_code == 200
    client.post(_address("webhook_delete", endpoint))
    assert client.get(_address("webhook", endpoint)).status_code == 404


@pytest.mark.parametrize(
    "name",
    [
        *("webhook", "webhook_rotate", "webhook_ping", "webhook_redeliver"),
        *("webhook_enable", "webhook_disable", "webhook_delete"),
    ],
)
def test_nobody_reaches_anothers_webhook(name: str, client: Client) -> None:
    endpoint = make_endpoint()

    assert client.post(_address(name, endpoint)).status_code == 404


def test_pages_need_a_person() -> None:
    for name in ("webhooks", "webhook_new"):
        assert Client().get(reverse(name)).status_code == 302


def test_mail_is_off_until_somebody_turns_it_on(client: Client, author: User) -> None:
    assert mail_events(author) == []

    client.post(reverse("webhooks"), {"events": ["version.rejected"]})
    assert mail_events(author) == ["version.rejected"]
    assert 'value="version.rejected"' in client.get(reverse("webhooks")).content.decode()

    client.post(reverse("webhooks"), {})
    assert mail_events(author) == []


def test_pages_ask_as_much_for_many_as_for_few(client: Client, author: User) -> None:
    client.get(reverse("webhooks"))
    counts: list[int] = []
    for times in (2, 5):
        endpoint = make_endpoint(author)
        _tried(endpoint, times=times)
        with CaptureQueriesContext(connection) as queries:
            client.get(reverse("webhooks"))
            client.get(_address("webhook", endpoint))
        counts.append(len(queries))

    assert counts[0] == counts[1]


class TestGuide:
    @pytest.mark.parametrize("example", ["with-the-library", "without-a-library"])
    def test_example_accepts_what_is_sent_and_nothing_else(self, example: str) -> None:
        read_event = _example(example)
        salt, body = new_salt(), b'{"type":"webhook.ping"}'
        sent = datetime.now(UTC)
        headers = signed_headers(message_id="msg_1", sent_at=sent, body=body, salts=[salt])

        assert read_event(secret_of(salt), body, headers) == {"type": "webhook.ping"}
        old = datetime.fromtimestamp(sent.timestamp() - 600, tz=UTC)
        late = signed_headers(message_id="msg_1", sent_at=old, body=body, salts=[salt])
        for secret, text, told in (
            (secret_of(new_salt()), body, headers),
            (secret_of(salt), body + b" ", headers),
            (secret_of(salt), body, late),
        ):
            with pytest.raises(Exception, match=r"signature|old"):
                read_event(secret, text, told)

    def test_every_event_and_pause_is_listed(self) -> None:
        page = page_of(Client().get(reverse("webhooks_guide")))

        assert "version.joined_ladder" in page.text
        assert "webhook.ping" in page.text
        assert (
            "5 s, 30 s, 2 min, 10 min, 30 min, 1 h, 2 h, 4 h, 8 h, 12 h, 20 h, 24 h." in page.text
        )


def _example(name: str) -> Callable[..., Any]:  # Any: whatever the page defines
    text = Client().get(reverse("webhooks_guide")).content.decode()
    source = unescape(text.split(f'id="{name}">')[1].split("</pre>")[0])
    found: dict[str, Any] = {}  # Any: whatever the page defines
    exec(source, found)
    read_event: Callable[..., Any] = found["read_event"]
    return read_event
