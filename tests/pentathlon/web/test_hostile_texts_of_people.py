"""What stands beside matches stays text, too: games of people, records, webhooks, logs."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any, NamedTuple

import pytest
from django.db.models.functions import Now
from django.test import Client
from django.urls import reverse

from pentathlon.accounts.audit.models import AuditAction, AuditedKind, AuditEvent
from pentathlon.accounts.models import ApiToken, User
from pentathlon.bots.models import Bot
from pentathlon.fleet.models import Worker, WorkerToken
from pentathlon.friendlies.models import Friendly
from pentathlon.friendlies.stretches import accept_stretches
from pentathlon.matches.desk_records.models import DeskRecord
from pentathlon.matches.desk_records.services import CheckedRecord, keep_record
from pentathlon.matches.models import Attempt, AttemptState, Match
from pentathlon.matches.replays.services import canonical_record
from pentathlon.tournaments.challenges.models import Challenge
from pentathlon.tournaments.models import Tournament
from pentathlon.trust.models import Quarantine
from pentathlon.webhooks.attempt_results import record_answers
from pentathlon.webhooks.http_client import PostResult
from pentathlon.webhooks.models import OutboxEvent, WebhookEndpoint
from pentathlon.webhooks.outbox import spread_events
from pentathlon.webhooks.services import ping_endpoint
from pentathlon_engines.match.faults import Fault, FaultKind
from pentathlon_engines.match.friendly import resume
from pentathlon_engines.record.record import chain
from tests.engines.record.random_records import tuned_record
from tests.factories import make_match, make_staff, make_token, make_version, make_worker
from tests.pentathlon.friendlies.acting import begun, claimed, result_of
from tests.pentathlon.matches.acting import claimed as claimed_match
from tests.pentathlon.matches.replays.playing import record_of, submit
from tests.pentathlon.tournaments.challenges.acting import challenged
from tests.pentathlon.web.hostile import MARKUP, NAMES, TEXTS, Check, data, html, part, xml
from tests.pentathlon.web.pages import page_of
from tests.pentathlon.web.scene import open_tournament
from tests.pentathlon.webhooks.receiving import make_endpoint

pytestmark = pytest.mark.django_db


class Stage(NamedTuple):
    """Where hostile texts stand."""

    staff: User
    bot: Bot
    under_way: Friendly
    over: Friendly
    record: DeskRecord
    webhook: WebhookEndpoint
    cup: Tournament
    challenge: Challenge
    match: Match
    quarantine: Quarantine


@pytest.fixture
def stage() -> Stage:
    staff = make_staff(superuser=True)
    staff.is_organiser = True
    staff.save()
    bot = make_version(owner=staff).bot
    Bot.objects.filter(pk=bot.pk).update(name=NAMES[0])
    cup = open_tournament(staff, "Cup", [])
    Tournament.objects.filter(pk=cup.pk).update(name=NAMES[1])
    _note_events(staff, cup)
    token, _ = make_token(staff)
    ApiToken.objects.filter(pk=token.pk).update(name=NAMES[2][:50])
    return Stage(
        staff=staff,
        bot=bot,
        under_way=begun(person=staff, bot=bot.versions.get()),
        over=_lost(begun(person=staff, seat=1, bot=bot.versions.get())),
        record=_record(staff),
        webhook=_webhook(staff),
        cup=cup,
        challenge=challenged(rival=bot.versions.get()),
        match=_played(bot),
        quarantine=_quarantine(),
    )


def _lost(friendly: Friendly) -> Friendly:
    """Let the bot fail while it says all it can think of."""
    stretch = claimed(friendly)
    referee = resume(stretch.course)
    detail = " ".join([MARKUP, *TEXTS])
    referee.expel(Fault(FaultKind.ILLEGAL_ACTION, seat=0, ply=0, detail=detail))
    assert accept_stretches([result_of(stretch, referee)]) == [None]
    return Friendly.objects.get(pk=friendly.pk)


def _record(author: User) -> DeskRecord:
    """Store a record from a desk, past the checks that refuse most of such texts."""
    fault = Fault(FaultKind.ILLEGAL_ACTION, seat=0, ply=0, detail=f"{MARKUP} {TEXTS[2]}")
    record = tuned_record(fault=fault)
    record["bots"] = [{"name": name, "hash": TEXTS[2]} for name in NAMES[:2]]
    record["match"] = TEXTS[1][:64]
    record["chain"] = chain(record)
    checked = CheckedRecord(record=record, text=canonical_record(record))
    return keep_record(actor=author, checked=checked)


def _webhook(owner: User) -> WebhookEndpoint:
    """Store a webhook that has told of hostile names and got hostile answers."""
    webhook = make_endpoint(owner)
    for _ in TEXTS:
        ping_endpoint(actor=owner, endpoint_id=webhook.pk)
    spread_events()
    events = OutboxEvent.objects.filter(deliveries__endpoint=webhook).order_by("pk")
    for event, text in zip(events, TEXTS, strict=True):
        OutboxEvent.objects.filter(pk=event.pk).update(
            data={"url": "/x/", "name": text, text: "x"}
        )
    sent = [
        (pk, PostResult(status=500, error=text[:300], text=text, duration_ms=12))
        for pk, text in zip(webhook.deliveries.values_list("pk", flat=True), TEXTS, strict=True)
    ]
    record_answers(webhook.pk, sent, luck=random.Random(1))
    url = f"http://127.0.0.1:9/{MARKUP}{TEXTS[2]}"
    columns = {"url": url, "disabled_reason": TEXTS[1], "is_enabled": False}
    WebhookEndpoint.objects.filter(pk=webhook.pk).update(**columns)
    return webhook


def _note_events(staff: User, cup: Tournament) -> None:
    """Store what an audit log says, past the services that write it."""
    for number, text in enumerate(TEXTS):
        kind = (AuditedKind.TOURNAMENT, AuditedKind.VERSION)[number % 2]
        AuditEvent.objects.create(
            actor=staff,
            action=AuditAction.ENTRY_DISQUALIFY,
            kind=kind,
            object_id=str(cup.pk),
            object_name=text[:200],
            tournament=cup.pk,
            reason=text[:300],
            details={text[:60]: [text]},
        )


def _played(bot: Bot) -> Match:
    """Play a match of the bot on a worker that says all it can think of."""
    worker = make_worker(
        NAMES[2],
        runtimes=[*NAMES[:3], *(f"build:{name}" for name in NAMES[:3])],
        layers=[{"layer": name, "state": name, "detail": name} for name in NAMES],
        version=NAMES[0][:40],
    )
    match = make_match([bot.versions.get(), make_version()])
    slot = f"{worker.name}.0"
    job = claimed_match(match, slot)
    done = submit(job, record_of(job))
    Attempt.objects.create(
        match=done, number=9, worker=slot, state=AttemptState.FAILED, reason=MARKUP, ended_at=Now()
    )
    return done


def _quarantine() -> Quarantine:
    token = WorkerToken.objects.create(name=NAMES[0][:60], digest="0", quarantined_at=Now())
    return Quarantine.objects.create(token=token, reason=TEXTS[2][:200])


def _addresses(stage: Stage) -> Iterator[tuple[Check, str]]:
    under_way: list[object] = [stage.under_way.pk]
    over: list[object] = [stage.over.pk]
    record: list[object] = [stage.record.pk]
    cup: list[object] = [stage.cup.pk]
    pages: list[tuple[tuple[str, ...], list[object]]] = [
        (("friendlies", "desk_records", "audit", "webhooks", "challenges"), []),
        (("account", "workers", "join_worker", "quarantines", "data"), []),
        (("friendly",), under_way),
        (("friendly",), over),
        (("desk_record",), record),
        (("tournament_audit", "tournament_cancel", "tournament_handover"), cup),
        (("person_roles",), [stage.staff.username]),
        (("webhook",), [stage.webhook.pk]),
        (("challenge",), [stage.challenge.pk]),
        (("quarantine",), [stage.quarantine.pk]),
    ]
    for names, args in pages:
        for name in names:
            yield html, reverse(name, args=args)
    yield html, f"{reverse('friendly_new')}?bot={stage.bot.pk}"
    yield html, f"{reverse('challenge_new')}?against={stage.bot.versions.get().pk}"
    for name, args in (("friendly", over), ("desk_record", record)):
        for what in ("moment", "actions"):
            yield part, f"{reverse(f'{name}_{what}', args=args)}?ply=1"
        yield xml, f"{reverse(f'{name}_board', args=args)}?ply=1"
        yield data, reverse(f"{name}_file", args=args)
    for path in (
        f"replays/{stage.match.pk}/commentary/",
        f"friendlies/{over[0]}/",
        f"friendlies/{under_way[0]}/",
        f"desk-records/{record[0]}/",
        f"webhooks/{stage.webhook.pk}/",
        f"webhooks/{stage.webhook.pk}/deliveries/",
        f"challenges/{stage.challenge.pk}/",
        f"quarantines/{stage.quarantine.pk}/",
        *("audit/", "workers/", "tokens/"),
    ):
        yield data, f"/api/v1/{path}"


def test_hostile_texts_of_people_are_text_everywhere(
    stage: Stage, subtests: pytest.Subtests
) -> None:
    client = Client()
    client.force_login(stage.staff)

    for check, address in _addresses(stage):
        with subtests.test(address[:80]):
            check(_get(client, address))


def test_hostile_texts_are_shown_where_they_belong(stage: Stage) -> None:
    client = Client()
    client.force_login(stage.staff)

    for name, args in (
        ("friendly", [stage.over.pk]),
        ("desk_record", [stage.record.pk]),
        ("audit", []),
        ("webhook", [stage.webhook.pk]),
        ("workers", []),
    ):
        assert "pwned()" in page_of(_get(client, reverse(name, args=args))).text, name


def _get(client: Client, address: str) -> Any:  # Any: an answer of the test client
    Worker.objects.update(seen_at=Now())  # else a busy machine takes it for dead
    return client.get(address)
