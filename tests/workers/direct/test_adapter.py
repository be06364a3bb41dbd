"""A worker beside the database learns from it whether it is there."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.db import DataError, InterfaceError, OperationalError

from workers import direct as adapter
from workers.direct import DirectPlatform, asking
from workers.port import PlatformAway


class Gone:
    """A connection to a database that has stopped."""

    def __init__(self) -> None:
        self.is_closed = False

    def cursor(self) -> object:
        raise OperationalError("the server closed the connection")

    def close(self) -> None:
        self.is_closed = True


@pytest.fixture
def gone(monkeypatch: pytest.MonkeyPatch) -> Gone:
    connection = Gone()
    monkeypatch.setattr(adapter, "connection", connection)
    return connection


def test_database_that_has_stopped_does_not_answer(gone: Gone) -> None:
    assert not DirectPlatform().answers()
    assert gone.is_closed, "the next question needs a new connection"


def test_thread_leaves_no_connection_behind(gone: Gone) -> None:
    DirectPlatform().leave_thread()

    assert gone.is_closed


@pytest.mark.django_db
def test_database_that_is_there_answers() -> None:
    assert DirectPlatform().answers()


@pytest.mark.parametrize("kind", [InterfaceError, OperationalError])
def test_outage_is_told_in_one_clean_line(
    kind: Callable[[str], Exception], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(adapter, "close_old_connections", lambda: None)

    with pytest.raises(PlatformAway, match=r"^server is starting up$"), asking():
        raise kind("server is starting up\n")


def test_error_of_ours_is_no_outage() -> None:
    with pytest.raises(DataError), asking():
        raise DataError("value too long")
