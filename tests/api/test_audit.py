"""The audit log in the API: all of it for staff, decisions about a tournament for everybody."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

import pytest
from rest_framework.test import APIClient

from pentathlon.accounts.audit.models import AuditEvent
from pentathlon.accounts.models import Scope, User
from pentathlon.tournaments.batches import BlockOrder
from pentathlon.tournaments.corrections.orders import Order, give_order
from pentathlon.tournaments.entries.withdrawals import disqualify_entry
from pentathlon.tournaments.models import Tournament
from pentathlon.tournaments.organising.arrangement import Arrangement, arrange
from tests.api.client import V1, assert_problem, client_of
from tests.databases import made_once
from tests.factories import make_staff, make_user
from tests.pentathlon.tournaments.acting import open_cup, started

pytestmark = pytest.mark.django_db


def _cup() -> Tournament:
    cup = started(bots=3, rated=False)
    version = cup.entries.in_order()[0].version_id
    disqualify_entry(actor=cup.owner, tournament=cup, version_id=version, reason="A copy.")
    void = Order(kind=BlockOrder.VOID, block=2, reason="A host broke.")
    give_order(actor=cup.owner, tournament=cup, order=void)
    return cup


cup_once = made_once(_cup)


@pytest.fixture
def cup(cup_once: Tournament) -> Tournament:
    return deepcopy(cup_once)


def _actions(client: APIClient, path: str) -> list[str]:
    answer: Any = client.get(f"{V1}{path}")
    assert answer.status_code == 200, answer.content
    return [each["action"] for each in answer.json()["results"]]


def test_staff_reads_the_log_newest_first(cup: Tournament) -> None:
    staff = client_of(make_staff())

    found: Any = staff.get(f"{V1}/audit/?kind=version").json()["results"]

    assert _actions(staff, "/audit/") == [
        *("blocks.void", "entry.disqualify", "tournament.start", "tournament.create")
    ]
    assert found[0] | {"id": 0, "at": ""} == {
        "id": 0,
        "at": "",
        "actor": cup.owner.username,
        "action": "entry.disqualify",
        "kind": "version",
        "object_id": found[0]["object_id"],
        "object": AuditEvent.objects.get(kind="version").object_name,
        "person": cup.entries.in_order()[0].version.bot.owner.username,
        "tournament": cup.pk,
        "reason": "A copy.",
        "details": {"revoke": False},
    }


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("action=entry.disqualify", 1),
        ("actor={owner}", 4),
        ("actor=nobody", 0),
        ("since=2020-01-01T00:00:00Z&kind=tournament", 3),
        ("until=2020-01-01T00:00:00Z", 0),
        ("kind=tournament&object_id={cup}", 3),
    ],
)
def test_filters_narrow_the_log(cup: Tournament, query: str, found: int) -> None:
    asked = query.format(owner=cup.owner.username, cup=cup.pk)

    assert len(_actions(client_of(make_staff()), f"/audit/?{asked}")) == found


def test_log_is_for_staff_with_the_scope(cup: Tournament) -> None:
    staff = make_staff()

    assert APIClient().get(f"{V1}/audit/").status_code == 401
    assert_problem(client_of(cup.owner).get(f"{V1}/audit/"), status=403, code="staff_only")
    narrow = client_of(staff, scopes=[Scope.BOTS_WRITE])
    assert_problem(narrow.get(f"{V1}/audit/"), status=403, code="missing_scope")


def test_everybody_reads_what_changed_results_and_field(cup: Tournament) -> None:
    path = f"/tournaments/{cup.pk}/audit/"
    everything = ["blocks.void", "entry.disqualify", "tournament.start", "tournament.create"]

    assert _actions(APIClient(), path) == everything[:2]
    assert _actions(client_of(make_user()), path) == everything[:2]
    assert _actions(client_of(cup.owner), path) == everything
    assert _actions(client_of(cup.owner, scopes=[]), path) == everything[:2]
    assert _actions(client_of(make_staff()), path) == everything


def test_hidden_results_hide_what_was_done_to_them(cup: Tournament) -> None:
    arrange(cup, Arrangement(hides_results=True))

    found = _actions(APIClient(), f"/tournaments/{cup.pk}/audit/")

    assert found == ["entry.disqualify"]


def test_draft_of_another_has_no_log() -> None:
    organiser: User = make_user(organiser=True)
    draft = open_cup(organiser, is_draft=True)

    path = f"{V1}/tournaments/{draft.pk}/audit/"

    assert APIClient().get(path).status_code == 404
    assert client_of(organiser).get(path).status_code == 200
