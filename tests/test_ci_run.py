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


def run_ci(folder: Path, *, uid: int, apt_status: int = 0) -> tuple[str, str]:
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
        "python3": "echo python3 $*",
    }.items():
        (programs / name).write_text(f"#!/bin/sh\n{script}\n")
        (programs / name).chmod(0o755)
    done = subprocess.run(
        [folder / ".ci/run", "layout"],
        env={"PATH": f"{programs}:/usr/bin:/bin"},
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout, done.stderr


def test_root_installs_the_packages_of_missing_programs(tmp_path: Path) -> None:
    out, _ = run_ci(tmp_path, uid=0)

    assert out.splitlines() == [
        "apt-get update",
        "apt-get install --yes --no-install-recommends cargo rustc golang-go",
        "python3 manage.py test layout",
    ]


def test_ordinary_user_installs_nothing(tmp_path: Path) -> None:
    out, _ = run_ci(tmp_path, uid=1000)

    assert out.splitlines() == ["python3 manage.py test layout"]


def test_tests_run_even_if_nothing_can_be_installed(tmp_path: Path) -> None:
    out, err = run_ci(tmp_path, uid=0, apt_status=100)

    assert out.splitlines()[-1] == "python3 manage.py test layout"
    assert "Not installed: cargo rustc golang-go" in err
