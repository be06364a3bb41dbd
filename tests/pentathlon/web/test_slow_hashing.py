"""Nothing hashes a password inside a transaction: SQLite has one writer, PostgreSQL gives up."""

from base64 import b64encode
from typing import Any

import pytest
from django.contrib.auth.hashers import get_hasher
from django.db import connection
from django.test import Client
from django.urls import reverse

from pentathlon.accounts.letters import reset_link
from pentathlon.accounts.models import User
from pentathlon.web.form_keys import FIELD, new_form_key
from tests.factories import PASSWORD, make_user

pytestmark = pytest.mark.django_db

_NEW = "another long sentence 7"


@pytest.fixture
def depths(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Return in how many transactions each password was hashed, that of the test left out."""
    hasher, found = type(get_hasher()), list[int]()
    encode = hasher.encode

    def noting(self: Any, *args: Any, **named: Any) -> str:  # Any: whatever hashers take
        found.append(len(connection.savepoint_ids))
        return encode(self, *args, **named)

    monkeypatch.setattr(hasher, "encode", noting)
    return found


FORMS = {
    "sign_up": {"username": "newcomer", "email": "new@example.org", "password": PASSWORD},
    "sign_in": {"username": "ada", "password": PASSWORD},
    "password_change": {"old": PASSWORD, "new": _NEW},
    "email_change": {"email": "other@example.org", "password": PASSWORD},
    "confirm": {"password": PASSWORD},
    "password_reset_new": {"link": "", "new": _NEW},
    "account_delete": {"username": "ada", "password": PASSWORD},
}


@pytest.mark.parametrize("name", FORMS)
def test_password_is_hashed_before_the_transaction(name: str, depths: list[int]) -> None:
    ada, client = make_user("ada"), Client()
    reader: User | None = None
    if name not in ("sign_up", "sign_in", "password_reset_new"):
        client.force_login(ada)
        reader = ada
    depths.clear()
    typed = {**FORMS[name], **({"link": reset_link(ada)} if "link" in FORMS[name] else {})}

    answer = client.post(reverse(name), {**typed, FIELD: new_form_key(reader)})

    assert answer.status_code == 302, answer.content.decode()
    assert depths
    assert not any(depths)


REQUESTS = {
    "me/password/": {"password": PASSWORD, "new_password": _NEW},
    "me/delete/": {"username": "ada", "password": PASSWORD},
    "tokens/": {"name": "laptop"},
}


@pytest.mark.parametrize("path", REQUESTS)
@pytest.mark.parametrize("key", [{}, {"Idempotency-Key": "again"}])
def test_request_hashes_before_the_transaction(
    path: str, key: dict[str, str], depths: list[int]
) -> None:
    make_user("ada")
    signed_in = f"Basic {b64encode(f'ada:{PASSWORD}'.encode()).decode()}"
    depths.clear()

    answer = Client().post(
        f"/api/v1/{path}",
        REQUESTS[path],
        content_type="application/json",
        headers={"Authorization": signed_in, **key},
    )

    assert answer.status_code < 300, answer.content.decode()
    assert depths
    assert not any(depths)
