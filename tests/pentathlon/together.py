"""Do things at the same moment, each in a thread with its own database connection."""

import threading
import time
from collections.abc import Callable, Sequence
from typing import Any, Final

from django.db import connection, transaction
from django.db.models import QuerySet

from tests.patience import PATIENCE_S

_HOLD: Final = QuerySet.select_for_update
"""Kept for tests that take it from the product."""


def all_at_once(actions: Sequence[Callable[[], object]]) -> list[Any]:  # Any: what they return
    """Start all actions together; return what each returned or raised, in order."""
    start = threading.Barrier(len(actions))
    outcomes: list[object] = [RuntimeError("did not end")] * len(actions)

    def act(index: int, action: Callable[[], object]) -> None:
        try:
            start.wait(PATIENCE_S)
            outcomes[index] = action()
        except Exception as error:
            outcomes[index] = error
        finally:
            connection.close()

    threads = [threading.Thread(target=act, args=pair) for pair in enumerate(actions)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(PATIENCE_S)
    return outcomes


def behind(
    rows: QuerySet[Any], *, change: Callable[[], object], action: Callable[[], object]
) -> Any:  # Any: what the action returned or raised; rows of any table
    """Begin `action` while these rows are held, make `change` once it waits, then let go.

    An action that does not wait for the rows ends before the change.
    """
    outcome: list[object] = [RuntimeError("did not end")]
    backend: list[int] = []

    def act() -> None:
        try:
            connection.ensure_connection()
            backend.append(connection.connection.info.backend_pid)
            outcome[0] = action()
        except Exception as error:
            outcome[0] = error
        finally:
            connection.close()

    thread = threading.Thread(target=act)
    with transaction.atomic():
        # Whoever refers to the rows need not wait, only who locks or changes them.
        list(_HOLD(rows.order_by("pk"), no_key=True))
        thread.start()
        _wait_until(lambda: not thread.is_alive() or (bool(backend) and _waits(backend[0])))
        change()
    thread.join(PATIENCE_S)
    return outcome[0]


def _waits(backend: int) -> bool:
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1 FROM pg_locks WHERE pid = %s AND NOT granted", [backend])
        return cursor.fetchone() is not None


def _wait_until(is_so: Callable[[], bool]) -> None:
    until = time.monotonic() + PATIENCE_S
    while not is_so() and time.monotonic() < until:
        time.sleep(0.005)
