"""After the clock was set back, no time stays further ahead than it can be."""

from datetime import datetime, timedelta

import pytest
from django.db.models.functions import Now
from structlog.testing import capture_logs

from pentathlon.accounts.models import Letter, LetterKind
from pentathlon.core.clock import database_now
from pentathlon.core.models import Leadership
from pentathlon.fleet.capabilities import read_fleet
from pentathlon.fleet.models import Worker
from pentathlon.insight.analyses.models import Analysis, AnalysisState
from pentathlon.ladders.models import Division, Season
from pentathlon.ladders.pace import LOOK_AGAIN, longest_lead
from pentathlon.matches.jobs import LEASE_S
from pentathlon.matches.leases import watch_leases
from pentathlon.matches.models import Match
from pentathlon.operations.times import RULES, Meaning, mend_times, time_columns, watch_clock
from pentathlon.tournaments.models import Tournament
from tests.factories import make_match, make_tournament, make_user, make_worker
from tests.pentathlon.ladders.playing import division_of, open_ladder
from tests.pentathlon.matches.acting import claimed

pytestmark = pytest.mark.django_db

HOUR = timedelta(hours=1)


def _set_back(by: timedelta) -> None:
    """Let the latest time seen be so far ahead."""
    watch_clock()
    Leadership.objects.filter(name="clock").update(until=Now() + by)


def _lead(value: datetime | None) -> float:
    assert value is not None
    return (value - database_now()).total_seconds()


def test_every_column_of_times_has_one_rule() -> None:
    labels = {label for _, _, label in time_columns()}

    assert labels - RULES.keys() == set(), "say in operations/times.py what it means"
    assert RULES.keys() - labels == set()


def test_no_time_of_any_column_stays_ahead() -> None:
    """Every rule is carried out on both databases; a million rows cost one scan."""
    now = database_now()

    assert mend_times(now) >= 0


@pytest.mark.parametrize("column", ["lease_until", "sent_at", "started_at", "created_at"])
def test_match_is_brought_back(column: str) -> None:
    match = make_match()
    job = claimed(match)
    Match.objects.filter(pk=job.match_id).update(**{column: Now() + HOUR})
    _set_back(HOUR)

    with capture_logs() as logs:
        assert watch_clock() >= 1

    assert _lead(getattr(Match.objects.get(), column)) <= (
        LEASE_S if column == "lease_until" else 0
    )
    assert [line["event"] for line in logs] == ["clock set back"]
    assert watch_clock() == 0


def test_worker_that_is_dead_is_not_taken_for_alive() -> None:
    make_worker(seen_at=Now() + HOUR)
    _set_back(HOUR)

    watch_clock()

    assert _lead(Worker.objects.get().seen_at) <= 0
    Worker.objects.update(seen_at=Now() - HOUR)
    assert read_fleet().slots == 0


def test_truce_and_leaderships_end() -> None:
    Leadership.objects.create(name="leases-truce", holder="all", until=Now() + HOUR)
    _set_back(HOUR)

    watch_clock()

    assert all(
        _lead(until) <= LEASE_S for until in Leadership.objects.values_list("until", flat=True)
    )
    watch_leases()


def test_analysis_is_sent_again() -> None:
    match = make_match()
    Analysis.objects.create(match=match, state=AnalysisState.WAITING, sent_at=Now() + HOUR)
    _set_back(HOUR)

    watch_clock()

    assert _lead(Analysis.objects.get().sent_at) <= 0


def test_ladder_and_season_are_due_at_most_their_interval_from_now() -> None:
    division = division_of(open_ladder())
    Division.objects.filter(pk=division.pk).update(due_at=Now() + timedelta(days=2))
    Season.objects.update(closes_at=Now() + timedelta(days=9999))
    _set_back(HOUR)

    watch_clock()

    for model, column in ((Division, "due_at"), (Season, "closes_at")):
        (longest,) = RULES[f"ladders.{model.__name__.lower()}.{column}"].leads
        value = model._default_manager.values_list(column, flat=True).get()
        assert _lead(value) <= longest.total_seconds()


def test_ladder_without_a_limit_looks_again_at_once_after_a_step_back() -> None:
    assert longest_lead(None) == LOOK_AGAIN
    assert longest_lead(60.0) == timedelta(minutes=1)


def test_retry_is_bounded_by_the_pause_of_its_try() -> None:
    ada = make_user()
    for tries in (0, 1, 5):
        Letter.objects.create(
            person=ada, kind=LetterKind.CONFIRM_EMAIL, tries=tries, next_at=Now() + 9 * HOUR
        )
    _set_back(HOUR)

    watch_clock()

    leads = [_lead(each.next_at) for each in Letter.objects.order_by("tries")]
    assert leads[0] <= 0 < leads[1] <= 30 < leads[2] <= 7200


def test_what_people_have_stated_stays() -> None:
    later = database_now() + 5 * HOUR
    make_tournament(starts_at=later, closes_entries_at=later)
    _set_back(HOUR)

    watch_clock()

    assert Tournament.objects.get().starts_at == later


def test_clock_that_goes_on_costs_one_look() -> None:
    match = make_match()
    Match.objects.update(sent_at=Now() + HOUR)
    watch_clock()

    assert watch_clock() == 0
    assert Match.objects.get(pk=match.pk).sent_at is not None
    assert Meaning.HAPPENED is RULES["matches.match.sent_at"].meaning
