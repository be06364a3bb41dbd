from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from rest_framework.test import APIClient

from pentathlon.accounts.models import User
from pentathlon.matches.models import Match
from pentathlon.trust.models import Quarantine, Review, Verdict
from pentathlon.trust.quarantine import begin_quarantine
from tests.api.client import V1, assert_problem, client_of
from tests.factories import make_staff, make_user, make_worker
from tests.pentathlon.trust.acting import join, played_by

pytestmark = pytest.mark.django_db


def test_workers_tell_what_they_offer_but_not_where_they_are(anonymous: APIClient) -> None:
    make_worker("secret-host/7", slots=3, runtimes=["java", "python"])

    (worker,) = anonymous.get(f"{V1}/workers/").json()["results"]

    assert (worker["slots"], worker["runtimes"]) == (3, ["java", "python"])
    assert worker["games"]["tuned"] == 1
    assert worker["layers"][0] == {"layer": "identity", "state": "ok", "detail": "no rights"}
    assert "secret-host" not in str(worker)


def test_silent_and_stopping_workers_are_left_out(anonymous: APIClient) -> None:
    make_worker(seen_at=timezone.now() - timedelta(minutes=1))
    make_worker(is_draining=True)

    assert anonymous.get(f"{V1}/workers/").json()["results"] == []


@pytest.fixture
def staff() -> User:
    return make_staff()


@pytest.fixture
def client(staff: User) -> APIClient:
    return client_of(staff)


@pytest.fixture
def matches() -> list[Match]:
    token = join()
    matches = played_by(token, times=2)
    begin_quarantine(token_id=token.pk, reason="Two other workers agree on a different result.")
    return matches


def at(path: str = "") -> str:
    return f"{V1}/quarantines/{Quarantine.objects.get().pk}/{path}"


def _post(client: APIClient, path: str, **body: Any) -> Any:
    return client.post(at(path), body, format="json")


def test_only_staff_are_told(matches: list[Match]) -> None:
    author = client_of(make_user())

    for path in (f"{V1}/quarantines/", at(), at("results/")):
        assert_problem(author.get(path), status=403, code="staff_only")
        assert APIClient().get(path).status_code == 401
    for path in ("review/", "end/"):
        assert_problem(_post(author, path), status=403, code="staff_only")


def test_results_are_decided_on_and_the_quarantine_ends(
    client: APIClient, staff: User, matches: list[Match]
) -> None:
    first, second = (match.pk for match in matches)
    (listed,) = client.get(f"{V1}/quarantines/").json()["results"]
    assert listed["ended_at"] is None
    questioned = client.get(at("results/")).json()["results"]
    assert [each["match"] for each in questioned] == [second, first]

    kept = _post(client, "review/", verdict="keep", reason="Seen by eye.", matches=[first])
    assert_problem(_post(client, "end/", reason="Mended."), status=409, code="undecided")
    rest = _post(client, "review/", verdict="revoke", reason="A lie.")
    ended = _post(client, "end/", reason="Mended.")

    assert kept.json() == {"decided": 1, "left": 1}
    assert rest.json() == {"decided": 1, "left": 0}
    assert (ended.status_code, ended.json()["ended_by"]) == (200, staff.username)


def test_page_does_the_same(staff: User, matches: list[Match]) -> None:
    browser = Client()
    browser.force_login(staff)
    page = reverse("quarantine", args=[Quarantine.objects.get().pk])
    first, second = (match.pk for match in matches)
    decided = {"verdict": Verdict.REVOKE, "reason": "A lie."}

    browser.post(page, {**decided, "match": [first]})
    assert browser.post(page, {"end_reason": "Mended."}).status_code == 200
    browser.post(page, {"verdict": Verdict.KEEP, "reason": "Seen by eye.", "all": "yes"})
    browser.post(page, {"end_reason": "Mended."})

    verdicts = dict(Review.objects.values_list("match_id", "verdict"))
    assert verdicts == {first: Verdict.REVOKE, second: Verdict.KEEP}
    assert Quarantine.objects.get().ended_by == staff


def test_pages_are_for_staff(matches: list[Match]) -> None:
    browser = Client()
    browser.force_login(make_user())

    for page in (
        reverse("quarantines"),
        reverse("quarantine", args=[Quarantine.objects.get().pk]),
    ):
        assert browser.get(page).status_code == 403
