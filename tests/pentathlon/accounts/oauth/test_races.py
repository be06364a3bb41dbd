"""A code or a refresh token that two requests use at the same moment counts as used twice."""

from __future__ import annotations

from typing import Any

import pytest
from django.db import connection
from django.test import Client
from oauth2_provider.models import AccessToken, Grant, RefreshToken

from tests.api.client import V1
from tests.factories import make_user
from tests.pentathlon.accounts.oauth.acting import FakeApp, allow, code_of
from tests.pentathlon.together import all_at_once, behind

pytestmark = pytest.mark.django_db(transaction=True)
on_postgresql = pytest.mark.skipif(
    connection.vendor != "postgresql", reason="SQLite locks the database as a whole"
)


def _me(token: str) -> Any:  # Any: a response of the test client
    return Client().get(f"{V1}/me/", headers={"Authorization": f"Bearer {token}"})


@on_postgresql
def test_refresh_token_used_twice_at_once_ends_the_sign_in() -> None:
    app = FakeApp()
    token = app.tokens_of(make_user())["refresh_token"]
    answers = []

    late = behind(
        RefreshToken.objects.all(),
        change=lambda: answers.append(app.refresh(token)),
        action=lambda: app.refresh(token),
    )

    won = answers[0].json()
    assert (answers[0].status_code, late.status_code) == (200, 400), late
    assert late.json()["error"] == "invalid_grant"
    assert _me(won["access_token"]).status_code == 401
    assert app.refresh(won["refresh_token"]).status_code == 400


def test_many_refreshes_at_once_end_the_sign_in_and_none_fails() -> None:
    app = FakeApp()
    token = app.tokens_of(make_user())["refresh_token"]

    answers = all_at_once([lambda: app.refresh(token)] * 4)

    assert sorted(each.status_code for each in answers) == [200, 400, 400, 400], answers
    assert not AccessToken.objects.exists()


@on_postgresql
def test_code_used_twice_at_once_makes_one_pair_of_tokens() -> None:
    app = FakeApp()
    code = code_of(allow(make_user(), app.question()))
    answers = []

    late = behind(
        Grant.objects.all(),
        change=lambda: answers.append(app.exchange(code)),
        action=lambda: app.exchange(code),
    )

    assert (answers[0].status_code, late.status_code) == (200, 400), late
    assert AccessToken.objects.count() == RefreshToken.objects.count() == 1
