"""Messages to one endpoint: the signed body of an event, or an e-mail with the same content."""

from __future__ import annotations

import base64
import json
import smtplib
import time
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final

from django.conf import settings
from django.core.mail import send_mail
from django.utils.crypto import salted_hmac
from standardwebhooks.webhooks import Webhook

from pentathlon.accounts.models import User
from pentathlon.webhooks.event_types import ALL_TYPES
from pentathlon.webhooks.http_client import PostResult, post
from pentathlon.webhooks.models import Channel, Delivery, OutboxEvent, WebhookEndpoint

PREFIX: Final = "whsec_"
_PURPOSE: Final = "pentathlon.webhooks.secret"
_OK: Final = 250
"""The reply code with which a mail server accepts a message."""
_LONGEST_ERROR: Final = 300


def secret_of(salt: str) -> str:
    """Return the secret that belongs to a salt, as its owner is shown it once."""
    return PREFIX + base64.b64encode(_key(salt)).decode()


def signed_headers(
    *, message_id: str, sent_at: datetime, body: bytes, salts: Sequence[str]
) -> dict[str, str]:
    """Return the three headers of a message, with a signature by each of the valid secrets."""
    text = body.decode()
    signatures = (Webhook(_key(salt)).sign(message_id, sent_at, text) for salt in salts)
    return {
        "webhook-id": message_id,
        "webhook-timestamp": str(int(sent_at.timestamp())),
        "webhook-signature": " ".join(signatures),
    }


def _key(salt: str) -> bytes:
    return salted_hmac(_PURPOSE, salt, algorithm="sha256").digest()


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """Everything that a thread needs to send one delivery without the database."""

    delivery_id: int
    channel: str
    to: str
    """A URL, or an e-mail address; empty while the address is not verified."""
    subject: str
    body: bytes
    message_id: str
    salts: Sequence[str]
    sent_at: datetime


def message_to(endpoint: WebhookEndpoint, delivery: Delivery, *, now: datetime) -> Message:
    """Return the message to send for a delivery."""
    event = delivery.event
    is_mail = endpoint.channel == Channel.MAIL
    salts = [endpoint.salt]
    if endpoint.old_salt and endpoint.old_until is not None and endpoint.old_until > now:
        salts.append(endpoint.old_salt)
    return Message(
        delivery_id=delivery.pk,
        channel=endpoint.channel,
        to=_mail_address(endpoint.owner) if is_mail else endpoint.url,
        subject=_subject(event),
        body=_letter(event, endpoint).encode() if is_mail else body_of(event, site=endpoint.site),
        message_id=event.message_id,
        salts=salts,
        sent_at=now,
    )


def body_of(event: OutboxEvent, *, site: str) -> bytes:
    """Return the body of an event: the same bytes at every attempt."""
    return json.dumps(told_of(event, site=site), separators=(",", ":"), sort_keys=True).encode()


def told_of(event: OutboxEvent, *, site: str) -> dict[str, Any]:  # Any: JSON
    """Return the content of an event's body."""
    return {
        "type": event.type,
        "timestamp": event.happened_at.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ"),
        "data": _data(event, site),
    }


def send(message: Message) -> PostResult:
    """Send a message and return the result."""
    if message.channel == Channel.MAIL:
        return _mail(message)
    return post(
        message.to,
        body=message.body,
        headers=signed_headers(
            message_id=message.message_id,
            # Retries are signed again: receivers refuse what is older than five minutes.
            sent_at=datetime.now(UTC),
            body=message.body,
            salts=message.salts,
        ),
        allows_loopback=settings.WEBHOOKS_ALLOW_LOOPBACK,
    )


def _data(event: OutboxEvent, site: str) -> dict[str, Any]:  # Any: JSON
    return {**event.data, "url": site + event.data["url"]}


def _subject(event: OutboxEvent) -> str:
    about = [str(event.data[name]) for name in _ABOUT if name in event.data]
    return _one_line(" ".join(["Pentathlon:", event.type, *about]))[:120]


_ABOUT: Final = ("bot_name", "version_number", "tournament_name")


def _letter(event: OutboxEvent, endpoint: WebhookEndpoint) -> str:
    meaning = ALL_TYPES[event.type].meaning if event.type in ALL_TYPES else event.type
    told = _data(event, endpoint.site).items()
    facts = "\n".join(_one_line(f"{name}: {value}") for name, value in told)
    return (
        f"{meaning}\n\n{facts}\n\n"
        f"You get this because you turned it on at {endpoint.site}/account/webhooks/, where you "
        "can turn it off.\n"
    )


def _one_line(text: str) -> str:
    """Return a text without line breaks, so that no name adds a line or a header to a letter."""
    return " ".join(text.split())


def _mail_address(person: User) -> str:
    return person.email if person.has_verified_email else ""


def _mail(message: Message) -> PostResult:
    if not message.to:
        error = "The e-mail address of this account is not verified."
        return PostResult(status=None, error=error, text="", duration_ms=0)
    began = time.monotonic()
    error = ""
    try:
        send_mail(message.subject, message.body.decode(), None, [message.to])
    except (OSError, smtplib.SMTPException, ValueError) as failure:
        error = f"{type(failure).__name__}: {failure}"[:_LONGEST_ERROR]
    return PostResult(
        status=None if error else _OK,
        error=error,
        text="",
        duration_ms=round((time.monotonic() - began) * 1000),
    )
