"""Tokens of apps go when they have ended: those that the toolkit would delete, and no others."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.db import transaction
from django.utils import timezone
from oauth2_provider.models import AccessToken, Grant, RefreshToken, clear_expired

from pentathlon.accounts.models import User
from pentathlon.accounts.oauth.models import OAuthApp
from pentathlon.operations.retention import classes
from tests.factories import make_user
from tests.pentathlon.accounts.oauth.acting import FakeApp

pytestmark = pytest.mark.django_db


def _tokens(app: OAuthApp, person: User, *, ended: float, revoked: float | None = None) -> None:
    """Store an access token that ended so many days ago, with its refresh token."""
    now = timezone.now()
    access = AccessToken.objects.create(
        user=person,
        application=app,
        token=f"a{ended}{revoked}",
        expires=now - timedelta(days=ended),
        scope="",
    )
    RefreshToken.objects.create(
        user=person,
        application=app,
        token=f"r{ended}{revoked}",
        access_token=None if revoked else access,
        revoked=None if revoked is None else now - timedelta(days=revoked),
    )


@pytest.fixture
def rows() -> None:
    """Store codes and tokens that are good, have ended, or were used."""
    app, person = FakeApp().row, make_user()
    for minutes in (-1, 1):
        Grant.objects.create(
            user=person,
            application=app,
            code=f"c{minutes}",
            expires=timezone.now() - timedelta(minutes=minutes),
            redirect_uri="https://app.example.org/",
            scope="",
        )
    _tokens(app, person, ended=-1)
    _tokens(app, person, ended=1)
    _tokens(app, person, ended=91)
    _tokens(app, person, ended=80, revoked=80)
    _tokens(app, person, ended=92, revoked=92)
    RefreshToken.objects.create(user=person, application=app, token="orphan", access_token=None)


def _left() -> dict[str, Any]:
    return {
        model.__name__: sorted(model.objects.values_list(column, flat=True))
        for model, column in ((Grant, "code"), (AccessToken, "token"), (RefreshToken, "token"))
    }


def test_what_goes_is_what_the_toolkit_deletes(rows: None) -> None:
    with transaction.atomic():
        clear_expired()
        by_toolkit = _left()
        transaction.set_rollback(True)

    (app_tokens,) = (kind for kind in classes() if kind.key == "app_tokens")
    while app_tokens.forget():
        pass

    assert _left() == by_toolkit
    assert by_toolkit["RefreshToken"] == ["r-1None", "r1None", "r8080"]
    assert by_toolkit["Grant"] == ["c-1"]


def test_what_is_counted_is_what_goes(rows: None) -> None:
    (app_tokens,) = (kind for kind in classes() if kind.key == "app_tokens")
    due = app_tokens.count_due()

    assert due == app_tokens.forget()
    assert due == 1 + 2 + 3
