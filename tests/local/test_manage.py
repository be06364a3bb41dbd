"""`manage.py` on a database that is not there yet."""

import subprocess
import sys
from pathlib import Path

import pytest

from pentathlon.env import CHECKOUT, child_environment


def run(folder: Path, *arguments: str, **changes: str) -> subprocess.CompletedProcess[str]:
    environment = child_environment(
        PENTATHLON_DATA=str(folder),
        PENTATHLON_NO_BOOTSTRAP="1",
        **{"DATABASE_URL": "", **changes},
    )
    return subprocess.run(
        [sys.executable, str(CHECKOUT / "manage.py"), *arguments],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.deep
@pytest.mark.parametrize(
    "arguments",
    [
        ("retention",),
        ("worker_token", "list"),
        ("verify_log",),
        ("recompute_ratings",),
        ("createsuperuser", "--noinput", "--username=a", "--email=a@example.org"),
    ],
)
def test_command_without_tables_says_what_to_do(
    tmp_path: Path, arguments: tuple[str, ...]
) -> None:
    ended = run(tmp_path, *arguments)

    last = ended.stderr.strip().splitlines()[-1]
    assert ended.returncode == 1
    assert last.startswith("no_tables: ")
    assert "`python3 manage.py migrate`" in last
    assert "Traceback" not in ended.stderr


def test_setting_that_makes_no_sense_is_one_sentence(tmp_path: Path) -> None:
    ended = run(tmp_path, "check", PENTATHLON_PROXIES="many")

    assert ended.returncode == 1
    assert ended.stderr == (
        "bad_environment: PENTATHLON_PROXIES must be a number from 0, not 'many'.\n"
    )


def test_command_without_a_database_says_so(tmp_path: Path) -> None:
    nowhere = "postgresql://nobody@127.0.0.1:1/nothing"

    ended = run(tmp_path, "retention", DATABASE_URL=nowhere)

    assert ended.returncode == 1
    assert ended.stderr.strip().splitlines()[-1].startswith("database_away: ")
    assert "Traceback" not in ended.stderr
