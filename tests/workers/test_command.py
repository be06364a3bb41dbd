"""`pentathlon-worker` becomes a Celery worker whose command line shows no token."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from workers.__main__ import main

TOKEN = ("--server", "https://example.org", "--token", "ptw_1")
_Started = tuple[list[str], dict[str, str]]


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> list[_Started]:
    """Return the commands and variables of what was started."""
    found: list[_Started] = []
    monkeypatch.setattr(
        os, "execve", lambda _, command, variables: found.append((command, variables))
    )
    return found


def test_token_is_not_in_the_command(started: list[_Started]) -> None:
    main([*TOKEN, "--slots", "3", "--plain-http"])

    ((command, variables),) = started
    assert command[:6] == [sys.executable, "-m", "celery", "-A", "workers.celery_app", "worker"]
    assert "--concurrency=3" in command
    assert "ptw_1" not in " ".join(command)
    assert variables["PENTATHLON_SERVER"] == "https://example.org"
    assert variables["PENTATHLON_WORKER_TOKEN"] == "ptw_1"
    assert variables["PENTATHLON_PLAIN_HTTP"] == "1"


def test_files_are_found_from_wherever_the_worker_runs(
    started: list[_Started], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)

    main(["--server", "https://example.org", "--token-file", "token", "--data", "state"])

    ((_, variables),) = started
    assert variables["PENTATHLON_WORKER_TOKEN_FILE"] == str(tmp_path / "token")
    assert variables["PENTATHLON_DATA"] == str(tmp_path / "state")


@pytest.mark.parametrize("options", [[], [*TOKEN, "--slots", "0"], TOKEN[:2]], ids=str)
def test_options_that_cannot_work_are_refused(options: list[str], started: list[_Started]) -> None:
    with pytest.raises(SystemExit) as refused:
        main(options)

    assert refused.value.code == 2
    assert not started
