"""What continuous integration runs installs what is missing, as root, and nothing else."""

import shutil
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
LIST = """# a comment
here: sh env: dash
rust: cargo-of-nobody sh: cargo rustc
go: go-of-nobody: golang-go
"""


BROWSER = "python3 manage.py test browser"


def run_ci(
    folder: Path,
    *parts: str,
    uid: int = 1000,
    apt_status: int = 0,
    python: str = "",
    timeout_status: int = 0,
    has_chromium: bool = False,
) -> tuple[int, list[str], str]:
    """Run a copy of .ci/run whose programs only write what they were called with."""
    (folder / ".ci").mkdir()
    shutil.copy(ROOT / ".ci/run", folder / ".ci/run")
    (folder / "workers").mkdir()
    (folder / "workers/toolchains.txt").write_text(LIST)
    programs = folder / "programs"
    programs.mkdir()
    for name, script in {
        "id": f"echo {uid}",
        "apt-get": f"echo apt-get $*; exit {apt_status}",
        "python3": f"echo python3 $*; {python}",
        "timeout": f"shift 2; $*; exit {timeout_status}",
        **({"chromium": "exit 1"} if has_chromium else {}),
    }.items():
        (programs / name).write_text(f"#!/bin/sh\n{script}\n")
        (programs / name).chmod(0o755)
    for name in ("dirname", "grep"):
        (programs / name).symlink_to(str(shutil.which(name)))
    done = subprocess.run(
        [folder / ".ci/run", *parts],
        env={"PATH": str(programs)},
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, done.stdout.splitlines(), done.stderr


def test_root_installs_the_packages_of_missing_programs(tmp_path: Path) -> None:
    _, out, _ = run_ci(tmp_path, "layout", uid=0)

    assert out == [
        "apt-get update",
        "apt-get install --yes --no-install-recommends cargo rustc golang-go",
        "python3 manage.py test layout",
    ]


def test_ordinary_user_installs_nothing(tmp_path: Path) -> None:
    _, out, _ = run_ci(tmp_path, "layout")

    assert out == ["python3 manage.py test layout"]


def test_tests_run_even_if_nothing_can_be_installed(tmp_path: Path) -> None:
    status, out, err = run_ci(tmp_path, "layout", uid=0, apt_status=100)

    assert (status, out[-1]) == (0, "python3 manage.py test layout")
    assert "Not installed: cargo rustc golang-go" in err


def test_without_a_chromium_everything_else_runs(tmp_path: Path) -> None:
    assert run_ci(tmp_path) == (0, ["python3 manage.py test"], "")


def test_some_journeys_follow_where_a_chromium_is(tmp_path: Path) -> None:
    status, out, _ = run_ci(tmp_path, has_chromium=True)

    assert (status, out) == (0, ["python3 manage.py test", f"{BROWSER} -- -m ci"])


def test_who_names_parts_gets_no_journeys(tmp_path: Path) -> None:
    _, out, _ = run_ci(tmp_path, "layout", has_chromium=True)

    assert out == ["python3 manage.py test layout"]


def test_failure_is_told_and_ends_the_run(tmp_path: Path) -> None:
    status, out, _ = run_ci(tmp_path, has_chromium=True, python="exit 3")

    assert (status, out) == (3, ["python3 manage.py test"])


def test_journey_that_fails_fails_the_run(tmp_path: Path) -> None:
    status, _, _ = run_ci(tmp_path, has_chromium=True, timeout_status=1)

    assert status == 1


def test_slow_machine_is_no_failure(tmp_path: Path) -> None:
    status, _, err = run_ci(tmp_path, has_chromium=True, timeout_status=124)

    assert status == 0
    assert "Not finished in 90 s" in err


def test_machine_without_the_packages_of_the_browser_part_is_no_failure(tmp_path: Path) -> None:
    python = 'case "$*" in *--help) exit 1;; esac'

    status, out, err = run_ci(tmp_path, has_chromium=True, python=python)

    assert (status, out) == (0, ["python3 manage.py test"])
    assert "could not be installed" in err
