from collections.abc import Generator
from typing import Final

import pytest
from django.db import connection

from tests.pentathlon.lock_watch import LockWatch

_WATCHED: Final = {
    *("accounts", "bots", "friendlies", "ladders", "matches"),
    *("ratings", "tournaments", "trust", "webhooks"),
}
"""Folders with tests of services; pages call the same ones."""


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, object, object]:
    """Demand of tests of services that roll back that what they call locks what it has to."""
    locks = connection.in_atomic_block and connection.features.has_select_for_update
    if not locks or _WATCHED.isdisjoint(item.path.parts):
        return (yield)
    watch = LockWatch()
    with connection.execute_wrapper(watch):
        result = yield
    assert watch.found == []
    return result
