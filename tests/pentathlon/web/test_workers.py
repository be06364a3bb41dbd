from datetime import datetime, timedelta
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from pentathlon.matches import worker_history
from pentathlon.matches.models import (
    PRIVATE_KINDS,
    Attempt,
    AttemptState,
    Match,
    MatchKind,
    MatchState,
)
from pentathlon.matches.services import void_matches
from pentathlon.operations import status
from tests.factories import make_match, make_staff, make_user, make_version, make_worker
from tests.pentathlon.tournaments.acting import matches_of, started
from tests.pentathlon.web.pages import page_of

pytestmark = pytest.mark.django_db


def make_attempt(
    *,
    worker: str,
    attempt: AttemptState = AttemptState.ACCEPTED,
    state: MatchState = MatchState.DONE,
    reason: str = "",
    at: datetime | None = None,
    **fields: Any,  # Any: of the match
) -> Match:
    """Store a match and the attempt that a worker made at it."""
    match = make_match(state=state, **fields)
    at = at or timezone.now()
    ended_at = None if attempt == AttemptState.RUNNING else at
    Attempt.objects.create(
        match=match,
        number=1,
        worker=worker,
        state=attempt,
        reason=reason,
        started_at=at,
        ended_at=ended_at,
    )
    return match


def test_workers_show_what_they_offer_and_their_walls() -> None:
    make_worker("secret-host/7", runtimes=["build:cc", "build:make", "java", "python"])

    text = page_of(Client().get(reverse("workers"))).text

    assert "java, python" in text
    assert "cc, make" in text
    assert "build:" not in text
    assert "Identity in force" in text
    assert "secret-host" not in text


def test_long_queue_is_not_counted_to_its_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(status, "MOST_COUNTED", 1)
    for _ in range(3):
        make_match()

    text = page_of(Client().get(reverse("status"))).text

    assert text.count("more than 1") == 1


def test_status_tells_the_last_hour_in_steps_of_ten_minutes() -> None:
    now = timezone.now()
    for minutes in (5, 15, 15, 25, 70):
        make_match(state=MatchState.DONE, finished_at=now - timedelta(minutes=minutes))

    found = status.read_status()

    assert list(found["spans"].values()) == [0, 0, 0, 1, 2, 1]
    assert found["last_hour"] == 4
    page = page_of(Client().get(reverse("status")))
    assert "A minute 0.1" in page.text
    assert [rect["width"] for rect in page.all("rect") if rect.get("class") == "done"] == [
        *["0.0%"] * 3, "50.0%", "100.0%", "50.0%"
    ]  # fmt: skip


def test_workers_show_their_latest_public_matches_and_how_many_an_hour() -> None:
    make_worker("host/7")
    for name in ("Otter", "Heron", "Marten", "Badger"):
        make_attempt(versions=[make_version(name=name), make_version()], worker="host/7.0")
    make_attempt(
        versions=[make_version(name="Stoat")] * 2, kind=MatchKind.VALIDATION, worker="host/7.1"
    )
    make_attempt(versions=[make_version(name="Lynx"), make_version()], worker="host/77.0")

    text = page_of(Client().get(reverse("workers"))).text

    assert "Last hour5 matches" in text
    assert "Last trouble none lately" in text
    shown = [
        name for name in ("Badger", "Marten", "Heron", "Otter", "Stoat", "Lynx") if name in text
    ]
    assert shown == ["Badger", "Marten", "Heron"]


@pytest.mark.parametrize("kind", MatchKind)
def test_trouble_of_a_worker_is_told_and_its_reason_to_staff_alone(kind: MatchKind) -> None:
    make_worker("host/7")
    match = make_attempt(
        worker="host/7.0",
        kind=kind,
        state=MatchState.PENDING,
        attempt=AttemptState.FAILED,
        reason="/srv/secret is full",
    )
    staff = Client()
    staff.force_login(make_staff())

    page, of_staff = (page_of(client.get(reverse("workers"))) for client in (Client(), staff))

    assert "Last trouble failed on the host" in page.text
    assert (reverse("match", args=[match.pk]) in page.links()) is (kind not in PRIVATE_KINDS)
    assert "secret" not in page.text
    assert "/srv/secret is full" in of_staff.text


def test_match_that_was_called_off_is_no_trouble_of_its_worker() -> None:
    make_worker("host/7")
    make_attempt(worker="host/7.0", state=MatchState.RUNNING, attempt=AttemptState.RUNNING)

    void_matches(matches=Match.objects.all(), reason="The organiser cancelled it.")

    assert "Last trouble none lately" in page_of(Client().get(reverse("workers"))).text


def test_many_matches_are_estimated_by_the_youngest(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worker_history, "LOOKED_AT", 6)
    now = timezone.now()
    versions = [make_version(), make_version()]
    for minutes in range(10, 0, -1):
        make_attempt(versions=versions, worker="host/7.0", at=now - timedelta(minutes=minutes))

    histories = worker_history.read_histories(["host/7"], now=now)

    assert histories["host/7"].an_hour == 60


def test_workers_ask_as_often_for_6_as_for_3() -> None:
    counts = []
    for _ in range(2):
        for _ in range(3):
            worker = make_worker()
            make_attempt(worker=f"{worker.name}.0")
            make_attempt(worker=f"{worker.name}.0", attempt=AttemptState.EXPIRED)
        with CaptureQueriesContext(connection) as queries:
            assert Client().get(reverse("workers")).status_code == 200
        counts.append(len(queries))

    assert counts[0] == counts[1]


def test_workers_show_that_their_hosts_are_starved() -> None:
    make_worker(starved=0.87, held_slots=1)

    text = page_of(Client().get(reverse("workers"))).text

    assert "87 % of the time; 1 slot held back" in text


def test_operator_sees_which_worker_it_is() -> None:
    make_worker("secret-host/7")
    operator = make_user()
    operator.is_superuser = True
    operator.save()
    client = Client()
    client.force_login(operator)

    assert "secret-host/7" in page_of(client.get(reverse("workers"))).text


def test_status_warns_when_nothing_plays() -> None:
    text = page_of(Client().get(reverse("workers"))).text

    assert "No worker is alive" in text


@pytest.mark.parametrize("name", ["tournament", "tournament_schedule"])
def test_tournament_says_why_nothing_is_played(name: str) -> None:
    tournament = started(bots=2)

    text = page_of(Client().get(reverse(name, args=[tournament.pk]))).text

    assert "No worker is alive." in text


def test_match_says_why_it_waits() -> None:
    match = matches_of(started(bots=2))[0]

    text = page_of(Client().get(reverse("match", args=[match.pk]))).text

    assert "No worker is alive." in text


@pytest.mark.parametrize("page", ["upload", "bot_guide"])
def test_authors_see_what_workers_have_before_they_upload(page: str) -> None:
    client = Client()
    client.force_login(make_user())
    before = page_of(client.get(reverse(page))).text
    make_worker(runtimes=["build:cc", "command", "python"], untried=["build:cargo", "node"])

    after = page_of(client.get(reverse(page))).text

    assert "No worker is alive now" in before
    assert "No worker is alive now" not in after
    # Terms and their descriptions have nothing between them.
    for words in ("run bots incommand, python", "build withcc", "being testedcargo, node"):
        assert words in after
