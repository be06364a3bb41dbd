"""Results that could not be sent lie on disk until the next process reads them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from structlog.testing import capture_logs

from workers.remote.unsent import UnsentResults

RESULT = {"id": 7, "token": "t", "record": {"plies": [1, 2]}}


def results_in(
    folder: Path, *, server: str = "https://example.org", token: str = "ptw_1"
) -> UnsentResults:
    return UnsentResults(folder, server=server, token=token)


@pytest.fixture
def unsent(tmp_path: Path) -> UnsentResults:
    return results_in(tmp_path / "unsent")


def file_beside(unsent: UnsentResults, name: str) -> Path:
    """Return a path among the kept results, which are made if there are none."""
    unsent.keep(RESULT)
    return unsent._folder / name


def test_result_is_still_there_for_the_next_process(unsent: UnsentResults, tmp_path: Path) -> None:
    unsent.keep(RESULT)

    assert list(results_in(tmp_path / "unsent").read_all()) == [RESULT]


@pytest.mark.parametrize(
    "other", [{"server": "https://other.example"}, {"token": "ptw_2"}], ids=str
)
def test_results_of_another_site_or_token_are_not_read(
    other: dict[str, str], unsent: UnsentResults, tmp_path: Path
) -> None:
    unsent.keep(RESULT)
    others = results_in(tmp_path / "unsent", **other)

    others.drop(RESULT)

    assert list(others.read_all()) == []
    assert list(unsent.read_all()) == [RESULT]


def test_folder_names_nobody(unsent: UnsentResults, tmp_path: Path) -> None:
    unsent.keep(RESULT)

    names = " ".join(str(path) for path in (tmp_path / "unsent").rglob("*"))
    assert "ptw_1" not in names


def test_result_that_was_taken_is_gone(unsent: UnsentResults) -> None:
    unsent.keep(RESULT)

    unsent.drop(RESULT)
    unsent.drop(RESULT)

    assert list(unsent.read_all()) == []


@pytest.mark.parametrize(
    "content",
    [
        b"\0\0\0", b"", b'{"id": 1, "to', b"\xff", b"[" * 100_000, b"[]", b"7", b"null",
        b"{}", b'{"token": "t"}', b'{"id": 1}', b'{"id": "1", "token": "t"}',
        b'{"id": true, "token": "t"}', b'{"id": 1.0, "token": "t"}',
        b'{"id": 1, "token": null}', b'{"id": 2, "token": "t"}',
        b'{"id": 1, "token": "../t"}',
    ],
    ids=lambda content: repr(content[:40]),
)  # fmt: skip
def test_file_that_is_no_result_is_set_aside_and_holds_nobody_up(
    content: bytes, unsent: UnsentResults
) -> None:
    damaged = file_beside(unsent, "1-t.json")
    damaged.write_bytes(content)

    with capture_logs() as logs:
        assert list(unsent.read_all()) == [RESULT]
        assert list(unsent.read_all()) == [RESULT]

    aside = damaged.with_name("1-t.damaged")
    assert [(line["event"], line["file"]) for line in logs] == [
        ("kept file is no result: set aside", str(aside))
    ]
    assert aside.read_bytes() == content


def test_half_a_file_of_a_killed_process_is_no_result(unsent: UnsentResults) -> None:
    file_beside(unsent, ".8-t.json.x.part").write_text('{"id": 8, "to')

    assert list(unsent.read_all()) == [RESULT]


def test_file_that_cannot_be_read_now_stays_and_is_told(unsent: UnsentResults) -> None:
    unreadable = file_beside(unsent, "1-t.json")
    unreadable.mkdir()

    with capture_logs() as logs:
        assert list(unsent.read_all()) == [RESULT]

    assert unreadable.exists()
    assert [line["event"] for line in logs] == ["kept result not readable"]


def test_folder_that_cannot_be_made_is_told_and_stops_nobody(tmp_path: Path) -> None:
    (tmp_path / "unsent").write_text("a file is in the way")
    unsent = results_in(tmp_path / "unsent")

    with capture_logs() as logs:
        unsent.keep(RESULT)
        unsent.drop(RESULT)
        assert list(unsent.read_all()) == []

    assert [line["event"] for line in logs] == ["result not kept", "result not removed"]


def test_nobody_else_may_read_results(unsent: UnsentResults, tmp_path: Path) -> None:
    unsent.keep(RESULT)

    folders = [tmp_path / "unsent", *(tmp_path / "unsent").iterdir()]
    assert [folder.stat().st_mode & 0o077 for folder in folders] == [0, 0]
    assert json.loads(file_beside(unsent, "7-t.json").read_bytes()) == RESULT
