"""A newcomer copies the commands of a page into a shell, and they work."""

import os
import subprocess
import sys
import sysconfig
from pathlib import Path
from urllib.request import urlopen

import pytest
from pytest_django.live_server_helper import LiveServer

from tests.pentathlon.web.pages import Page

pytestmark = pytest.mark.django_db(transaction=True)


def commands(page: str) -> str:
    """Return what the first button of a page copies."""
    return next(found["data-copy"] for found in Page(page).all("button") if "data-copy" in found)


@pytest.mark.slow
def test_copied_commands_lead_to_a_match(live_server: LiveServer, tmp_path: Path) -> None:
    with urlopen(f"{live_server.url}/docs/bots/") as answer:
        page = answer.read().decode()
    shell = _shell_of_a_newcomer(tmp_path)

    done = subprocess.run(
        ["sh", "-ec", commands(page)],
        cwd=tmp_path, env=shell, capture_output=True, text=True, check=False, timeout=240,
    )  # fmt: skip

    assert done.returncode == 0, done.stdout + done.stderr
    assert f"{live_server.url}/kit/" in commands(page)
    assert (tmp_path / "my-bot/bot.toml").is_file()
    installed = tmp_path / "new/lib" / f"python{sys.version_info[0]}.{sys.version_info[1]}"
    assert (installed / "site-packages/pentathlon_engines/runner.py").is_file()


def _shell_of_a_newcomer(folder: Path) -> dict[str, str]:
    """Return the environment of a fresh virtual environment.

    What the command needs from the package index is lent from our own environment, so that the
    test needs no index; the engines themselves come from the page.
    """
    subprocess.run([sys.executable, "-m", "venv", str(folder / "new")], check=True)
    lent = folder / "lent"
    lent.mkdir()
    for package in Path(sysconfig.get_path("purelib")).iterdir():
        if "pentathlon" not in package.name and package.suffix != ".pth":
            (lent / package.name).symlink_to(package)
    return {
        "PATH": f"{folder / 'new/bin'}:{os.defpath}",
        "HOME": str(folder),
        "PYTHONPATH": str(lent),
        "PIP_NO_INDEX": "1",
        "PIP_DISABLE_PIP_VERSION_CHECK": "1",
    }
