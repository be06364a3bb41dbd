"""The queries of every tick read an index of what is under way, never the whole table."""

from collections.abc import Callable

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from pentathlon.matches.models import Match, MatchQuerySet, MatchState
from pentathlon.operations.status import read_status
from pentathlon_engines import GAMES
from tests.databases import made_once
from tests.plans import store_history

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("history")]

history = made_once(store_history)

_QUERIES: dict[str, Callable[[], MatchQuerySet]] = {
    "live": Match.objects.live,
    "live of a lane": lambda: Match.objects.of_lane(5).live(),
    "sent": Match.objects.sent,
    "validations": lambda: Match.objects.validations_of(5),
    "leases": lambda: Match.objects.lease_expired().order_by("lease_until", "pk"),
}


def test_page_of_matches_skips_what_waits_by_an_index() -> None:
    begun = Match.objects.exclude(state=MatchState.PENDING).order_by("-pk")

    assert "matches_begun" in begun[:31].explain()


@pytest.mark.parametrize("name", _QUERIES)
def test_only_a_partial_index_is_read(name: str) -> None:
    """Of two equal indexes SQLite takes the one that was made last, so their order matters."""
    plan = _QUERIES[name]()[:50].explain()

    partial = (
        *("matches_running", "matches_live_of_lane", "matches_sent", "matches_waiting"),
        "matches_validations",
    )
    assert any(index in plan for index in partial), plan
    assert "SCAN matches_match" not in plan, plan
    assert "Seq Scan on matches_match" not in plan, plan


def test_what_waits_longest_is_read_of_an_index_in_turn() -> None:
    """Not all that waits is sorted for it, however little the database knows of its tables."""
    with CaptureQueriesContext(connection) as asked:
        read_status()
    (query,) = [each["sql"] for each in asked.captured_queries if "MIN(" in each["sql"]]

    assert "matches_waiting_in_turn" in _plan(query)


def test_status_counts_no_match_of_the_past() -> None:
    with CaptureQueriesContext(connection) as asked:
        read_status()
    counts = [each["sql"] for each in asked.captured_queries if "COUNT(" in each["sql"]]
    assert len(counts) == 3 + len(GAMES)

    plans = [_plan(query) for query in counts]

    assert [plan for plan in plans if "matches_by_game" in plan or "Seq Scan" in plan] == []


def test_matches_of_an_hour_are_counted_by_an_index_alone() -> None:
    with CaptureQueriesContext(connection) as asked:
        read_status()
    counts = [each["sql"] for each in asked.captured_queries if "'tuned'" in each["sql"]]

    (plan,) = [_plan(query) for query in counts]

    assert "matches_latest_of_game" in plan, plan


def _plan(query: str) -> str:
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            # A few rows are sorted quickly, so the planner would settle for any other index.
            cursor.execute("SET LOCAL enable_sort = off")
        explain = "EXPLAIN QUERY PLAN" if connection.vendor == "sqlite" else "EXPLAIN"
        cursor.execute(f"{explain} {query}")
        return str(cursor.fetchall())
