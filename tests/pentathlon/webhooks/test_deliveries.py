"""From the outbox to the receiver: at least once, bounded, and written down."""

import json
import random
from collections.abc import Callable, Sequence
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.db.models import F, QuerySet
from django.test.utils import CaptureQueriesContext
from standardwebhooks.webhooks import Webhook

from pentathlon.core.clock import database_now
from pentathlon.core.errors import Conflict, InvalidInput, NotFound
from pentathlon.operations import retention
from pentathlon.operations.retention import forget_old_deliveries
from pentathlon.webhooks import outbox
from pentathlon.webhooks.attempt_results import (
    DISABLED_AFTER_S,
    RETENTION_S,
    RETRIES_S,
    record_answers,
)
from pentathlon.webhooks.http_client import PostResult
from pentathlon.webhooks.messages import Message, secret_of, send
from pentathlon.webhooks.models import (
    Delivery,
    DeliveryAttempt,
    DeliveryState,
    OutboxEvent,
    Subscription,
    WebhookEndpoint,
)
from pentathlon.webhooks.outbox import note_event, spread_events
from pentathlon.webhooks.sender import SLOTS, Sender
from pentathlon.webhooks.services import (
    MOST_ENDPOINTS,
    change_endpoint,
    create_endpoint,
    delete_endpoint,
    ping_endpoint,
    redeliver,
    rotate_secret,
)
from tests.factories import make_user
from tests.pentathlon.webhooks.receiving import SITE, answering, hanging, make_endpoint, receiver
from tests.plans import copies_of, count_rows

pytestmark = pytest.mark.django_db
OK = PostResult(status=200, error="", text="", duration_ms=1)
BAD = PostResult(status=500, error="Answered 500.", text="oops", duration_ms=1)


def _note(endpoint: WebhookEndpoint, *, times: int = 1) -> None:
    for number in range(times):
        note_event(
            "challenge.finished",
            people=[endpoint.owner_id],
            path=f"/api/v1/challenges/{number + 1}/",
            challenge=number + 1,
            game="tuned",
        )


def _queued(endpoint: WebhookEndpoint, *, times: int = 1) -> list[Delivery]:
    _note(endpoint, times=times)
    while spread_events():
        pass
    return list(endpoint.deliveries.order_by("pk"))


def _record(endpoint: WebhookEndpoint, deliveries: Sequence[Delivery], answer: PostResult) -> None:
    told = [(delivery.pk, answer) for delivery in deliveries]
    record_answers(endpoint.pk, told, luck=random.Random(1))
    endpoint.refresh_from_db()
    for delivery in deliveries:
        delivery.refresh_from_db()


class _Noting:
    """Takes every message and answers as it is told."""

    def __init__(self, answer: PostResult = OK) -> None:
        self.answer = answer
        self.sent: list[Message] = []

    def __call__(self, message: Message) -> PostResult:
        self.sent.append(message)
        return self.answer


def test_event_arrives_signed_and_is_written_down() -> None:
    with receiver(answering("200 OK", body=b"thanks")) as found:
        endpoint = make_endpoint(url=found.url)
        [delivery] = _queued(endpoint)
        sender = Sender()

        sender.step()
        recorded = sender.finish()

    [request] = found.requests
    body = Webhook(secret_of(endpoint.salt)).verify(request.body, request.headers)
    assert body["type"] == "challenge.finished"
    assert body["data"] == {
        "challenge": 1,
        "game": "tuned",
        "url": f"{SITE}/api/v1/challenges/1/",
    }
    assert request.headers["webhook-id"] == delivery.event.message_id
    assert recorded == 1
    delivery.refresh_from_db()
    attempt = delivery.attempts.get()
    assert delivery.state == DeliveryState.DELIVERED
    assert (attempt.status, attempt.answer, attempt.error) == (200, "thanks", "")
    endpoint.refresh_from_db()
    assert (endpoint.due_at, endpoint.waiting, endpoint.failures) == (None, 0, 0)


def test_nothing_is_stored_for_who_wants_nothing() -> None:
    endpoint = make_endpoint(events=["version.stopped"])

    with CaptureQueriesContext(
        connection,
    ) as queries:
        _note(endpoint)
    note_event("challenge.finished", people=[], path="/")

    assert not OutboxEvent.objects.exists()
    assert len(queries) == 1


def test_failed_delivery_waits_as_the_table_says_and_is_given_up() -> None:
    endpoint = make_endpoint()
    deliveries = _queued(endpoint)

    for stated in RETRIES_S:
        before = database_now()
        _record(endpoint, deliveries, BAD)
        pause = (deliveries[0].next_at - before).total_seconds()
        assert deliveries[0].state == DeliveryState.WAITING
        assert stated <= pause <= stated * 1.2 + 5
        assert endpoint.due_at is not None
    _record(endpoint, deliveries, BAD)

    assert deliveries[0].state == DeliveryState.FAILED
    assert deliveries[0].attempts.count() == len(RETRIES_S) + 1
    assert (endpoint.waiting, endpoint.due_at) == (0, None)


def test_same_bytes_and_id_at_every_attempt() -> None:
    noting = _Noting(BAD)
    endpoint = make_endpoint()
    _queued(endpoint)
    sender = Sender(send=noting)
    for _ in range(2):
        Delivery.objects.update(next_at=F("created_at"))
        WebhookEndpoint.objects.update(due_at=F("created_at"), paused_until=None)
        sender.step()
        sender.finish()

    first, second = noting.sent
    assert first.body == second.body
    assert first.message_id == second.message_id


def test_failing_endpoint_is_left_alone_whatever_else_waits() -> None:
    endpoint = make_endpoint()
    first, _ = _queued(endpoint, times=2)

    _record(endpoint, [first], BAD)

    assert endpoint.paused_until is not None
    assert endpoint.due_at == endpoint.paused_until
    _queued(endpoint)
    endpoint.refresh_from_db()
    assert endpoint.due_at == endpoint.paused_until
    assert Sender(send=_Noting()).step() == 0


def test_one_that_arrives_makes_an_endpoint_well_again() -> None:
    endpoint = make_endpoint()
    first, second = _queued(endpoint, times=2)
    _record(endpoint, [first], BAD)

    _record(endpoint, [second], OK)

    assert (endpoint.failures, endpoint.failing_since, endpoint.paused_until) == (0, None, None)
    assert endpoint.waiting == 1


def test_endpoint_that_fails_for_days_is_disabled_and_its_owner_told() -> None:
    owner = make_user()
    endpoint, other = make_endpoint(owner), make_endpoint(owner, url="http://127.0.0.1:10/")
    deliveries = _queued(endpoint, times=2)
    long_ago = database_now() - timedelta(seconds=DISABLED_AFTER_S + 60)
    WebhookEndpoint.objects.filter(pk=endpoint.pk).update(failing_since=long_ago)
    Delivery.objects.filter(endpoint=other).delete()

    _record(endpoint, deliveries[:1], BAD)

    assert not endpoint.is_enabled
    assert endpoint.disabled_reason.startswith("Nothing has arrived since")
    assert (endpoint.waiting, endpoint.due_at) == (0, None)
    assert {each.state for each in endpoint.deliveries.all()} == {DeliveryState.FAILED}
    spread_events()
    told = other.deliveries.get().event
    assert (told.type, told.data["endpoint"]) == ("webhook.disabled", endpoint.pk)
    change_endpoint(actor=owner, endpoint_id=endpoint.pk, is_enabled=True)
    assert [each.state for each in _queued(endpoint)][-1] == DeliveryState.WAITING


def test_endpoint_that_is_gone_is_disabled_at_once() -> None:
    endpoint = make_endpoint()

    _record(endpoint, _queued(endpoint), PostResult(status=410, error="x", text="", duration_ms=1))

    assert not endpoint.is_enabled


def test_killed_sender_leaves_its_deliveries_to_the_next() -> None:
    endpoint = make_endpoint()
    [delivery] = _queued(endpoint)
    dead, alive = _Noting(), _Noting()
    first = Sender(send=dead)
    first.step()
    while not dead.sent:
        pass  # it has sent it and dies before it can say so

    assert Sender(send=alive).step() == 0
    assert alive.sent == []
    WebhookEndpoint.objects.update(due_at=F("created_at"))  # the claim lapses
    second = Sender(send=alive)
    second.step()
    second.finish()

    assert [message.delivery_id for message in alive.sent] == [delivery.pk]
    delivery.refresh_from_db()
    assert delivery.state == DeliveryState.DELIVERED


def test_hanging_receivers_delay_no_other() -> None:
    with receiver(hanging) as slow, receiver() as quick:
        hung = [make_endpoint(url=slow.url) for _ in range(2 * SLOTS)]
        for endpoint in hung:
            _note(endpoint)
        well = make_endpoint(url=quick.url)
        while spread_events():
            pass
        WebhookEndpoint.objects.exclude(pk=well.pk).update(
            failing_since=F("created_at"), failures=1
        )
        sender = Sender()
        sender.step()
        assert len(sender._claims) == SLOTS // 2
        _queued(well)

        sender.step()
        while not quick.requests:
            pass

        assert len(sender._claims) == SLOTS // 2 + 1
        while Delivery.objects.get(endpoint=well).state != DeliveryState.DELIVERED:
            sender.step()


def test_one_person_takes_two_places_at_most() -> None:
    owner = make_user()
    with receiver(hanging) as slow:
        for _ in range(MOST_ENDPOINTS):
            _queued(make_endpoint(owner, url=slow.url))
        sender = Sender()

        sender.step()

        assert len(sender._claims) == 2


def test_many_deliveries_go_in_order_and_stop_at_a_failure() -> None:
    endpoint = make_endpoint()
    noting = _Noting()
    deliveries = _queued(endpoint, times=3)
    sender = Sender(send=noting)
    sender.step()
    sender.finish()
    assert [message.delivery_id for message in noting.sent] == [each.pk for each in deliveries]

    failing = _Noting(BAD)
    _queued(endpoint, times=3)
    sender = Sender(send=failing)
    sender.step()
    sender.finish()
    assert len(failing.sent) == 1


def test_endpoint_with_too_many_waiting_misses_events_and_says_so(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(outbox, "MOST_WAITING", 3)
    endpoint = make_endpoint()

    assert len(_queued(endpoint, times=5)) == 3

    endpoint.refresh_from_db()
    assert (endpoint.waiting, endpoint.missed) == (3, 2)


def test_wide_event_is_spread_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(outbox, "_DELIVERIES_AT_ONCE", 2)
    endpoints = [make_endpoint() for _ in range(5)]
    people = [endpoint.owner_id for endpoint in endpoints]
    note_event("challenge.finished", people=people, path="/", challenge=1, game="tuned")

    steps = 0
    while spread_events():
        steps += 1

    assert steps == 3
    assert [endpoint.deliveries.count() for endpoint in endpoints] == [1] * 5


def test_steps_ask_as_much_for_many_as_for_few() -> None:
    counts = []
    for many in (1, 7):
        for _ in range(many):
            _note(make_endpoint())
        with CaptureQueriesContext(connection) as queries:
            spread_events()
        counts.append(len(queries))
        Delivery.objects.all().delete()

    assert counts[0] == counts[1] <= 12


def test_idle_steps_read_only_indexes_of_what_waits() -> None:
    endpoint = make_endpoint()
    _record(endpoint, _queued(endpoint, times=3), OK)

    with CaptureQueriesContext(connection) as queries:
        assert (spread_events(), Sender(send=_Noting()).step(), forget_old_deliveries()) == (
            0,
            0,
            0,
        )

    assert len([each for each in queries if "SAVEPOINT" not in each["sql"]]) <= 8


class TestPeople:
    def test_ping_goes_to_the_one_endpoint(self) -> None:
        owner = make_user()
        endpoint, other = make_endpoint(owner), make_endpoint(owner)

        ping_endpoint(actor=owner, endpoint_id=endpoint.pk)
        spread_events()

        assert endpoint.deliveries.get().event.type == "webhook.ping"
        assert not other.deliveries.exists()

    def test_redelivery_sends_the_same_again(self) -> None:
        endpoint = make_endpoint()
        [delivery] = _queued(endpoint)
        _record(endpoint, [delivery], OK)

        redeliver(actor=endpoint.owner, endpoint_id=endpoint.pk, delivery_id=delivery.pk)
        noting = _Noting()
        sender = Sender(send=noting)
        sender.step()
        sender.finish()

        assert [message.message_id for message in noting.sent] == [delivery.event.message_id]
        assert delivery.attempts.count() == 2
        endpoint.refresh_from_db()
        assert endpoint.waiting == 0

    def test_rotation_signs_with_both_for_a_day(self) -> None:
        endpoint = make_endpoint()
        old = secret_of(endpoint.salt)
        _, new = rotate_secret(actor=endpoint.owner, endpoint_id=endpoint.pk)
        _queued(endpoint)
        noting = _Noting()
        sender = Sender(send=noting)
        sender.step()
        sender.finish()

        assert [secret_of(salt) for salt in noting.sent[0].salts] == [new, old]
        WebhookEndpoint.objects.update(old_until=F("created_at"))
        _queued(endpoint)
        sender.step()
        sender.finish()
        assert [secret_of(salt) for salt in noting.sent[1].salts] == [new]

    def test_stranger_may_do_nothing(self) -> None:
        endpoint, stranger = make_endpoint(), make_user()

        for ask in (change_endpoint, delete_endpoint, rotate_secret, ping_endpoint):
            with pytest.raises(NotFound):
                ask(actor=stranger, endpoint_id=endpoint.pk)

    def test_number_of_webhooks_is_limited(self) -> None:
        owner = make_user()
        for _ in range(MOST_ENDPOINTS):
            make_endpoint(owner)

        with pytest.raises(Conflict) as refused:
            make_endpoint(owner)

        assert refused.value.code == "too_many_webhooks"

    @pytest.mark.parametrize("events", [[], ["version.validated", "nonsense"], ["webhook.ping"]])
    def test_unknown_events_are_refused(self, events: list[str]) -> None:
        with pytest.raises(InvalidInput):
            create_endpoint(actor=make_user(), url="http://127.0.0.1:9/", events=events, site=SITE)

    def test_disabled_endpoint_gets_nothing_and_no_ping(self) -> None:
        endpoint = make_endpoint()
        change_endpoint(actor=endpoint.owner, endpoint_id=endpoint.pk, is_enabled=False)

        assert _queued(endpoint) == []
        with pytest.raises(Conflict):
            ping_endpoint(actor=endpoint.owner, endpoint_id=endpoint.pk)


class TestRetention:
    def test_old_rows_go_and_young_ones_stay(self) -> None:
        endpoint = make_endpoint()
        old, young = _queued(endpoint, times=2)
        _record(endpoint, [old, young], OK)
        long_ago = database_now() - timedelta(seconds=RETENTION_S + 60)
        Delivery.objects.filter(pk=old.pk).update(created_at=long_ago)
        OutboxEvent.objects.update(happened_at=long_ago)

        while forget_old_deliveries():
            pass

        assert list(Delivery.objects.all()) == [young]
        assert list(OutboxEvent.objects.all()) == [young.event]
        assert DeliveryAttempt.objects.count() == 1

    def test_deleted_endpoint_goes_in_parts(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(retention, "_DELIVERIES_AT_ONCE", 2)
        endpoint = make_endpoint()
        _queued(endpoint, times=5)

        delete_endpoint(actor=endpoint.owner, endpoint_id=endpoint.pk)

        assert not WebhookEndpoint.objects.owned_by(endpoint.owner).exists()
        assert not Subscription.objects.exists()
        steps = 0
        while forget_old_deliveries():
            steps += 1
        assert steps == 4
        assert not WebhookEndpoint.objects.exists()

    def test_sent_meanwhile_to_a_deleted_endpoint_is_no_error(self) -> None:
        endpoint = make_endpoint()
        [delivery] = _queued(endpoint)
        pk = endpoint.pk
        endpoint.delete()

        assert record_answers(pk, [(delivery.pk, OK)], luck=random.Random(1)) == 0


def test_mail_says_the_same(mailoutbox: list[object]) -> None:
    from pentathlon.webhooks.services import choose_mail  # noqa: PLC0415

    owner = make_user()
    choose_mail(actor=owner, events=["version.rejected"], site=SITE)
    note_event("version.rejected", people=[owner.pk], path="/api/v1/versions/1/", bot_name="x")
    spread_events()
    sender = Sender(send=send)
    sender.step()
    sender.finish()

    [mail] = mailoutbox
    assert mail.to == [owner.email]  # type: ignore[attr-defined]
    assert f"{SITE}/api/v1/versions/1/" in mail.body  # type: ignore[attr-defined]
    assert json.dumps("x")[1:-1] in mail.subject  # type: ignore[attr-defined]


_STEPS: dict[str, tuple[Callable[[], QuerySet[Any]], str]] = {
    "events": (
        lambda: OutboxEvent.objects.filter(spread_after__isnull=False).order_by("pk"),
        "webhooks_unspread",
    ),
    "working": (lambda: WebhookEndpoint.objects.due(is_failing=False), "webhooks_due"),
    "failing": (lambda: WebhookEndpoint.objects.due(is_failing=True), "webhooks_due_failing"),
    "deleted": (
        lambda: WebhookEndpoint.objects.filter(deleted_at__isnull=False).order_by("pk"),
        "webhooks_deleted",
    ),
    "waiting": (
        lambda: Delivery.objects.filter(
            endpoint=WebhookEndpoint.objects.earliest("pk"),
            state=DeliveryState.WAITING,
            next_at__lte=database_now(),
        ).order_by("next_at", "pk"),
        "webhooks_waiting",
    ),
}


def test_every_step_reads_a_partial_index_alone() -> None:
    _store_years_of_events()

    plans = {index: rows()[:50].explain() for rows, index in _STEPS.values()}

    for index, plan in plans.items():
        assert index in plan, plan
        assert "Seq Scan" not in plan, plan


def _store_years_of_events() -> None:
    """Store much that is over and a little that waits, of each kind."""
    endpoint = make_endpoint()
    now = database_now()
    for count, due, failing, deleted in (
        (1000, None, None, None),
        (4, now, None, None),
        (4, now, now, None),
        (4, None, None, now),
    ):
        state = {"due_at": due, "failing_since": failing, "deleted_at": deleted}
        WebhookEndpoint.objects.bulk_create(copies_of(endpoint, count=count, **state))
    event = OutboxEvent(type="version.rejected", data={}, audience=[], spread_after=None)
    events = OutboxEvent.objects.bulk_create(copies_of(event, count=2000))
    OutboxEvent.objects.bulk_create(copies_of(event, count=20, spread_after=0))
    Delivery.objects.bulk_create(
        Delivery(
            endpoint=endpoint,
            event=each,
            state=DeliveryState.DELIVERED if number % 20 else DeliveryState.WAITING,
        )
        for number, each in enumerate(events)
    )
    count_rows(WebhookEndpoint, OutboxEvent, Delivery)
