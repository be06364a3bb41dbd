import pytest
from django.db import connection
from django.db.models import QuerySet

from pentathlon.accounts.services import create_token
from tests.factories import make_user
from tests.pentathlon.lock_watch import LockWatch

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.skipif(
        connection.vendor != "postgresql", reason="SQLite locks the database as a whole"
    ),
]


def _found() -> list[str]:
    person, watch = make_user(), LockWatch()
    that_of_all_tests, connection.execute_wrappers = connection.execute_wrappers, [watch]
    try:
        create_token(actor=person, name="laptop", scopes=[], days=1)
    finally:
        connection.execute_wrappers = that_of_all_tests
    return watch.found


def test_service_that_locks_is_not_complained_of() -> None:
    assert _found() == []


def test_lock_that_is_dropped_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(QuerySet, "select_for_update", lambda rows, **_: rows)

    (sentence,) = _found()

    where = "accounts/services.py:create_token"
    assert sentence == f"{where} changes accounts_apitoken without a lock of accounts_user"
