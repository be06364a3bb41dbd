"""Programs in namespaces of their own, as workers in containers are."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys

import pytest

from pentathlon.env import CHECKOUT, IMPORT_PATH, child_environment
from tests.patience import PATIENCE_S


def run_apart(source: str, *namespaces: str) -> str:
    """Run a Python program in new namespaces, given as options of `unshare`; return its output."""
    if not shutil.which("unshare"):
        pytest.skip("this host has no unshare")
    own = () if os.geteuid() == 0 else ("--user", "--map-root-user")
    ended = subprocess.run(
        ["unshare", *namespaces, *own, sys.executable, "-c", source],
        cwd=CHECKOUT,
        env=child_environment(PYTHONPATH=IMPORT_PATH),
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=False,
    )
    assert ended.returncode == 0, ended.stderr
    return ended.stdout
