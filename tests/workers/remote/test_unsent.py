"""Results that could not be sent lie on disk until the next process reads them."""

from __future__ import annotations

from pathlib import Path

import pytest

from workers.remote.unsent import UnsentResults

RESULT = {"match_id": 7, "token": "t", "record": {"plies": [1, 2]}}


@pytest.fixture
def unsent(tmp_path: Path) -> UnsentResults:
    return UnsentResults(tmp_path / "unsent")


def test_result_is_still_there_for_the_next_process(unsent: UnsentResults, tmp_path: Path) -> None:
    unsent.keep(RESULT)

    assert list(UnsentResults(tmp_path / "unsent").read_all()) == [RESULT]


def test_result_that_was_taken_is_gone(unsent: UnsentResults) -> None:
    unsent.keep(RESULT)

    unsent.drop(RESULT)
    unsent.drop(RESULT)

    assert list(unsent.read_all()) == []


def test_half_a_file_of_a_killed_process_is_no_result(
    unsent: UnsentResults, tmp_path: Path
) -> None:
    (tmp_path / "unsent" / "8-t.new").write_text('{"match_id": 8, "to')

    assert list(unsent.read_all()) == []


def test_damaged_file_is_removed_and_holds_nobody_up(
    unsent: UnsentResults, tmp_path: Path
) -> None:
    damaged = tmp_path / "unsent" / "1-t.json"
    damaged.write_text("\0\0\0")
    unsent.keep(RESULT)

    assert list(unsent.read_all()) == [RESULT]
    assert not damaged.exists()


def test_file_that_cannot_be_read_now_stays(unsent: UnsentResults, tmp_path: Path) -> None:
    unreadable = tmp_path / "unsent" / "1-t.json"
    unreadable.mkdir()
    unsent.keep(RESULT)

    assert list(unsent.read_all()) == [RESULT]
    assert unreadable.exists()


def test_nobody_else_may_read_results(unsent: UnsentResults, tmp_path: Path) -> None:
    assert (tmp_path / "unsent").stat().st_mode & 0o077 == 0
