"""What the planner of a test knows: rows of the test's own, never what others left behind."""

from collections.abc import Iterator
from datetime import timedelta
from itertools import cycle
from typing import Any, TypeVar

from django.db import connection
from django.db.models import Model

from pentathlon.core.clock import database_now
from pentathlon.matches.models import Match, MatchSeat, MatchState
from pentathlon_engines import GAMES
from tests.factories import make_match, make_version

_LANES = 100

Row = TypeVar("Row", bound=Model)


def copies_of(row: Row, *, count: int, **changes: Any) -> Iterator[Row]:  # Any: its columns
    """Make rows like a stored one, not stored yet; a table of a few is always read as a whole."""
    model = type(row)
    names = [field.attname for field in model._meta.concrete_fields if not field.primary_key]
    columns = {name: getattr(row, name) for name in names} | changes
    return (model(**columns) for _ in range(count))


def count_rows(*models: type[Model]) -> None:
    """Let the database know what these tables hold now, before it makes a plan.

    Only tables with rows: PostgreSQL keeps the numbers that it counted last, even in a transaction
    that was undone. One that was counted while it was empty is planned for as empty by all later
    tests, and the start of a tournament takes ten seconds. SQLite plans by its schema alone.
    """
    if connection.vendor != "postgresql":
        return
    with connection.cursor() as cursor:
        for model in models:
            cursor.execute(f"ANALYZE {connection.ops.quote_name(model._meta.db_table)}")


def store_history() -> None:
    """Store many matches of the past, some that wait, and a few that run or have just ended."""
    versions = [make_version(), make_version()]
    past = database_now() - timedelta(days=1)
    done = make_match(versions, state=MatchState.DONE, finished_at=past)
    void = make_match(versions, state=MatchState.VOID, finished_at=past)
    waits = make_match(versions, state=MatchState.PENDING)
    runs = make_match(versions, state=MatchState.RUNNING)
    now = make_match(versions, state=MatchState.DONE)
    matches = [*copies_of(waits, count=200), *copies_of(runs, count=4)]
    for game in GAMES:
        matches += copies_of(now, count=10, game=game)
    for lane, game in zip(range(_LANES), cycle(GAMES), strict=False):
        matches += copies_of(done, count=10, lane=lane, game=game)
    for lane in range(0, _LANES, 5):
        matches += copies_of(void, count=1, lane=lane)
    Match.objects.bulk_create(matches)
    MatchSeat.objects.bulk_create(
        MatchSeat(match=match, seat=seat, version=version, fault_kind="crash" * (n % 40 == seat))
        for n, match in enumerate(matches)
        for seat, version in enumerate(versions)
    )
    count_rows(Match, MatchSeat)
