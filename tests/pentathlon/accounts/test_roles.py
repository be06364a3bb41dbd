"""Roles are given and taken by staff, for a reason that is kept."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client

from pentathlon.accounts.audit.models import AuditAction, AuditEvent
from pentathlon.accounts.models import User
from pentathlon.accounts.roles import (
    PersonRole,
    close_account,
    give_role,
    reopen_account,
    take_role,
)
from pentathlon.core.errors import Conflict, DomainError, InvalidInput, NotAllowed
from tests.api.client import V1, client_of
from tests.factories import make_staff, make_user

pytestmark = pytest.mark.django_db


def _events(person: User) -> list[tuple[str, str, object, str]]:
    rows = AuditEvent.objects.filter(person=person).order_by("pk")
    return [(each.action, each.actor_name, each.details, each.reason) for each in rows]


def test_staff_makes_an_organiser_and_takes_it_back() -> None:
    staff, person = make_staff(), make_user()
    asked: dict[str, Any] = {"actor": staff, "person": person, "role": PersonRole.ORGANISER}

    given = give_role(**asked, reason="Runs the spring cup.").is_organiser
    taken = take_role(**asked, reason="It is over.").is_organiser

    role = {"role": "organiser"}
    assert (given, taken) == (True, False)
    assert _events(person) == [
        (AuditAction.ROLE_GIVE, staff.username, role, "Runs the spring cup."),
        (AuditAction.ROLE_TAKE, staff.username, role, "It is over."),
    ]


def test_superuser_makes_staff() -> None:
    root, person = make_staff(superuser=True), make_user()

    give_role(actor=root, person=person, role=PersonRole.STAFF, reason="Helps.")

    assert User.objects.get(pk=person.pk).is_staff
    assert _events(person)[0][2] == {"role": "staff"}


def test_closed_account_can_neither_sign_in_nor_use_its_tokens() -> None:
    staff, person = make_staff(), make_user()
    token, browser = client_of(person), Client()
    browser.force_login(person)

    close_account(actor=staff, person=person, reason="Spam.")
    closed = (token.get(f"{V1}/tokens/current/").status_code, browser.get("/account/").status_code)
    reopen_account(actor=staff, person=person, reason="It was another one.")

    assert closed == (401, 302)
    assert token.get(f"{V1}/tokens/current/").status_code == 200
    assert [row[0] for row in _events(person)] == [
        *(AuditAction.PERSON_CLOSE, AuditAction.PERSON_REOPEN)
    ]


@pytest.mark.parametrize(
    ("decide", "error", "code"),
    [
        (
            lambda: give_role(
                actor=make_user(), person=make_user(), role=PersonRole.ORGANISER, reason="Me."
            ),
            NotAllowed,
            "staff_only",
        ),
        (
            lambda: give_role(
                actor=make_staff(), person=make_user(), role=PersonRole.STAFF, reason="A friend."
            ),
            NotAllowed,
            "superusers_only",
        ),
        (
            lambda: close_account(actor=make_staff(), person=make_staff(), reason="A rival."),
            NotAllowed,
            "superusers_only",
        ),
        (
            lambda: take_role(
                actor=make_staff(), person=make_user(), role=PersonRole.ORGANISER, reason="None."
            ),
            Conflict,
            "no_change",
        ),
        (
            lambda: close_account(actor=make_staff(), person=make_user(), reason=" "),
            InvalidInput,
            "required",
        ),
    ],
)
def test_what_may_not_be_is_refused_and_leaves_no_trace(
    decide: Callable[[], object], error: type[DomainError], code: str
) -> None:
    with pytest.raises(error) as caught:
        decide()

    assert caught.value.code == code
    assert not AuditEvent.objects.exists()


def test_nobody_decides_about_themselves() -> None:
    root = make_staff(superuser=True)

    with pytest.raises(NotAllowed) as caught:
        take_role(actor=root, person=root, role=PersonRole.STAFF, reason="Tired.")

    assert caught.value.code == "own_account"
