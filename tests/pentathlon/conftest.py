from collections.abc import Generator

import pytest
from django.db import connection

from tests.pentathlon.lock_watch import LockWatch


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, object, object]:
    """Demand of all tests that roll back that what they call locks what it has to."""
    if not connection.in_atomic_block or not connection.features.has_select_for_update:
        return (yield)
    watch = LockWatch()
    with connection.execute_wrapper(watch):
        result = yield
    assert watch.found == []
    return result
