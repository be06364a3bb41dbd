"""The audit log for staff, decisions about a tournament for everybody, and roles of a person."""

from __future__ import annotations

from copy import deepcopy

import pytest
from django.test import Client
from django.urls import reverse

from pentathlon.accounts.audit.models import AuditAction, AuditEvent
from pentathlon.accounts.models import User
from pentathlon.tournaments.entries.withdrawals import disqualify_entry
from pentathlon.tournaments.models import Tournament
from pentathlon.tournaments.services import pause_tournament
from tests.databases import made_once
from tests.factories import make_staff, make_user
from tests.pentathlon.tournaments.acting import started
from tests.pentathlon.web.pages import Page, page_of

pytestmark = pytest.mark.django_db


def _cup() -> Tournament:
    cup = started(bots=3)
    version = cup.entries.in_order()[0].version_id
    disqualify_entry(actor=cup.owner, tournament=cup, version_id=version, reason="A copy.")
    pause_tournament(actor=cup.owner, tournament=cup)
    return cup


cup_once = made_once(_cup)


@pytest.fixture
def cup(cup_once: Tournament) -> Tournament:
    return deepcopy(cup_once)


def _as(person: User) -> Client:
    client = Client()
    client.force_login(person)
    return client


def _log(query: str = "", *, of: Client | None = None) -> Page:
    return page_of((of or _as(make_staff())).get(reverse("audit") + query))


def test_staff_reads_everything_and_others_nothing(cup: Tournament) -> None:
    page = _log()

    shown = ("created Cup", "draft: no", "paused Cup", "A copy.")
    assert all(word in page.text for word in shown)
    assert _as(cup.owner).get(reverse("audit")).status_code == 403
    assert Client().get(reverse("audit")).status_code == 302


@pytest.mark.parametrize(
    ("query", "shown", "left_out"),
    [
        ("action=entry.disqualify", "A copy.", "paused"),
        ("kind=tournament&object_id={cup}", "paused", "A copy."),
        ("person={author}", "A copy.", "paused"),
        ("until=2020-01-01", "Nothing of this kind", "paused"),
        ("since=2020-01-01", "paused", "Nothing of this kind"),
        ("since=soon", "Enter a valid date", "paused"),
    ],
)
def test_filters_narrow_the_log(cup: Tournament, query: str, shown: str, left_out: str) -> None:
    author = cup.entries.in_order()[0].version.bot.owner.username

    page = _log("?" + query.format(cup=cup.pk, author=author))

    assert shown in page.text
    assert left_out not in page.text


def test_long_log_has_pages(cup: Tournament) -> None:
    AuditEvent.objects.bulk_create(
        AuditEvent(action=AuditAction.SEASON_END, kind="season", object_id=str(number))
        for number in range(40)
    )
    client = _as(make_staff())

    older = next(link for link in _log(of=client).links() if "before=" in link)

    assert "created Cup" in _log(older, of=client).text


def test_everybody_reads_what_changed_the_field(cup: Tournament) -> None:
    address = reverse("tournament_audit", args=[cup.pk])

    public, own = page_of(Client().get(address)), page_of(_as(cup.owner).get(address))

    assert "A copy." in public.text
    assert "paused Cup" not in public.text
    assert "paused Cup" in own.text
    assert address in page_of(Client().get(reverse("tournament", args=[cup.pk]))).links()


def test_staff_gives_a_role_and_the_page_says_so() -> None:
    staff, person = _as(make_staff()), make_user()
    address = reverse("person_roles", args=[person.username])

    nothing = staff.post(address, {"decision": "give-organiser", "reason": ""})
    done = staff.post(address, {"decision": "give-organiser", "reason": "A cup."}, follow=True)
    beyond = staff.post(address, {"decision": "give-staff", "reason": "A friend."})

    person.refresh_from_db()
    assert page_of(nothing).field("reason")["aria-invalid"] == "true"
    assert "is an organiser now" in page_of(done).text
    assert "gave a role to" in page_of(done).text
    assert (person.is_organiser, person.is_staff) == (True, False)
    assert beyond.status_code == 200


def test_account_of_staff_is_left_to_superusers() -> None:
    other = make_staff()
    address = reverse("person_roles", args=[other.username])

    seen = page_of(_as(make_staff()).get(address))
    tried = _as(make_staff()).post(address, {"decision": "close", "reason": "A rival."})
    done = _as(make_staff(superuser=True)).post(
        address, {"decision": "close", "reason": "Has left."}
    )

    other.refresh_from_db()
    assert "only superusers decide" in seen.text
    assert tried.status_code == 403
    assert (done.status_code, other.is_active) == (302, False)


def test_roles_are_shown_to_no_other_author() -> None:
    address = reverse("person_roles", args=[make_user().username])

    assert _as(make_user()).get(address).status_code == 403
    assert _as(make_staff()).get(reverse("person_roles", args=["nobody"])).status_code == 404
