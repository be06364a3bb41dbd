"""Transactions that hang on purpose, and connections with timeouts that a test can wait for."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from django.db import connection, transaction

from tests.patience import PATIENCE_S


@contextmanager
def hanging_transaction(action: Callable[[], object]) -> Iterator[None]:
    """Do something in another connection's transaction that stays open during the block."""
    is_done, is_over = threading.Event(), threading.Event()
    failures: list[BaseException] = []

    def hang() -> None:
        try:
            with transaction.atomic():
                action()
                is_done.set()
                is_over.wait(PATIENCE_S)
                transaction.set_rollback(True)
        except BaseException as error:
            failures.append(error)
        finally:
            is_done.set()
            connection.close()

    thread = threading.Thread(target=hang)
    thread.start()
    try:
        assert is_done.wait(PATIENCE_S)
        assert failures == []
        yield
    finally:
        is_over.set()
        thread.join(PATIENCE_S)
