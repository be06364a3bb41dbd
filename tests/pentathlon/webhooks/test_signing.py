from datetime import UTC, datetime

import pytest
from standardwebhooks.webhooks import Webhook, WebhookVerificationError

from pentathlon.webhooks.messages import secret_of, signed_headers
from pentathlon.webhooks.models import new_salt

BODY = '{"type":"webhook.ping","who":"é"}'.encode()


def _headers(*salts: str) -> dict[str, str]:
    return signed_headers(message_id="msg_1", sent_at=datetime.now(UTC), body=BODY, salts=salts)


def test_library_of_the_convention_verifies_it() -> None:
    salt = new_salt()

    told = Webhook(secret_of(salt)).verify(BODY, _headers(salt))

    assert told == {"type": "webhook.ping", "who": "é"}


def test_both_secrets_verify_during_a_rotation() -> None:
    old, new = new_salt(), new_salt()
    headers = _headers(new, old)

    assert headers["webhook-signature"].count("v1,") == 2
    for salt in (old, new):
        Webhook(secret_of(salt)).verify(BODY, headers)


@pytest.mark.parametrize("part", ["webhook-id", "webhook-timestamp", "body", "secret"])
def test_whatever_changes_the_signature_does_not_fit(part: str) -> None:
    salt = new_salt()
    headers, body, secret = _headers(salt), BODY, secret_of(salt)
    if part == "webhook-id":
        headers[part] = "msg_2"
    elif part == "webhook-timestamp":
        headers[part] = str(int(headers[part]) + 1)
    elif part == "body":
        body = BODY.replace(b"ping", b"pong")
    else:
        secret = secret_of(new_salt())

    with pytest.raises(WebhookVerificationError):
        Webhook(secret).verify(body, headers)


def test_secret_is_made_of_the_row_and_the_key_of_the_installation(settings: object) -> None:
    salt = new_salt()
    first = secret_of(salt)

    settings.SECRET_KEY = "another " * 8  # type: ignore[attr-defined]  # pytest-django's

    assert first.startswith("whsec_")
    assert len(first) == len("whsec_") + 44
    assert secret_of(salt) != first
