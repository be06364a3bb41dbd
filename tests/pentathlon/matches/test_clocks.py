"""Hosts may be wrong about the time, and the database's clock may be set back."""

from datetime import UTC, datetime, timedelta

import pytest
from django.db.models.functions import Now
from django.utils import timezone

from pentathlon.fleet.models import Worker
from pentathlon.fleet.tokens import announce_worker
from pentathlon.matches.dispatch.reasons import why_waiting
from pentathlon.matches.models import Attempt
from tests.factories import make_match
from tests.pentathlon.matches.acting import claimed, finish, result
from workers.heartbeat import describe_worker

pytestmark = pytest.mark.django_db

HOUR = timedelta(hours=1)


@pytest.fixture
def fast_host(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the clock of this host be an hour fast."""
    monkeypatch.setattr(timezone, "now", lambda: datetime.now(UTC) + HOUR)


@pytest.mark.usefixtures("fast_host")
def test_attempt_on_a_fast_host_begins_before_it_ends() -> None:
    job = claimed(make_match())
    finish(job, result())

    attempt = Attempt.objects.get()
    assert attempt.ended_at is not None
    assert attempt.started_at <= attempt.ended_at


@pytest.mark.usefixtures("fast_host")
def test_worker_is_not_silent_for_a_fast_page() -> None:
    match = make_match()
    claimed(match)

    match.refresh_from_db()
    assert why_waiting(match) is None


@pytest.mark.usefixtures("fast_host")
def test_worker_on_a_fast_host_did_not_start_in_the_future() -> None:
    announce_worker(describe_worker(None, slots=1))

    assert Worker.objects.filter(started_at__lte=Now()).exists()
