"""Install locked packages into an environment: with uv if it is available, else with pip.

Standard library only: this runs before anything is installed.
"""

import hashlib
import os
import re
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Callable, Sequence
from importlib.util import find_spec
from pathlib import Path
from urllib.parse import urljoin
from urllib.request import urlopen

from pentathlon.env import child_environment, read_environment

_BUNDLED_AT = (
    Path(sysconfig.get_path("stdlib")) / "ensurepip/_bundled",
    Path("/usr/share/python-wheels"),
)
"""Where Python itself, and systems like Debian, keep a wheel of pip for new environments."""
_TIMEOUT_S = 60
_LAST_LINES = 15


class InstallFailed(Exception):
    """Nothing could install the packages; the sentence says what to try."""

    code = "install_failed"


def install(root: Path, venv: Path, requirements: str, *, say: Callable[[str], None]) -> None:
    """Install `requirements` with verified hashes, saying what is under way."""
    locked = ("--require-hashes", "-r", str(root / requirements))
    python = str(venv / "bin/python")
    uv = _find_uv(root / ".venv-uv", root / "requirements/bootstrap.txt", say=say)
    if uv is not None:
        # uv does not read pip's configuration, so pip alone may know of a mirror.
        if _run([uv, "pip", "install", "--quiet", "--python", python, *locked]) is None:
            return
        say("uv could not reach the packages; trying pip, which is slower ...")
    pip = _pip(root / ".venv-uv", root / "requirements/bootstrap.txt")
    trouble = _run([*pip, "--python", python, "install", "--quiet", *locked])
    if trouble is not None:
        raise InstallFailed(
            "The packages could not be installed. Check the network; a mirror is taken from "
            f"PIP_INDEX_URL, certificates from PIP_CERT or SSL_CERT_FILE.\n{trouble}"
        )


def _find_uv(folder: Path, locked: Path, *, say: Callable[[str], None]) -> str | None:
    own = folder / "bin/uv"
    found = shutil.which("uv") or (str(own) if own.exists() else None)
    if found is not None:
        return found
    say("Fetching uv, which installs the rest ...")
    only_uv = folder / "uv.txt"
    folder.mkdir(exist_ok=True)
    only_uv.write_text(_entry("uv", locked))
    command = [*_pip(folder, locked), "install", "--quiet", "--require-hashes", "-r", str(only_uv)]
    _run([*command, "--target", str(folder)])
    return str(own) if own.exists() else None


def _pip(folder: Path, locked: Path) -> list[str]:
    """Return a command that runs pip; some systems ship Python without it."""
    if find_spec("pip"):
        return [sys.executable, "-m", "pip"]
    bundled = sorted(path for place in _BUNDLED_AT for path in place.glob("pip-*.whl"))
    if bundled:
        return [sys.executable, str(bundled[-1] / "pip")]
    wheel = folder / "pip.whl"
    if not wheel.exists():
        wheel.parent.mkdir(exist_ok=True)
        draft = wheel.with_suffix(".draft")
        draft.write_bytes(download_pip(locked))
        draft.replace(wheel)
    return [sys.executable, str(wheel / "pip")]


def _entry(name: str, locked: Path) -> str:
    """Return one package's lines of a hashed requirements file."""
    found = re.search(rf"^{name}==.*?(?=^\S|\Z)", locked.read_text(), re.MULTILINE | re.DOTALL)
    return found[0] if found else ""


def download_pip(locked: Path) -> bytes:
    """Fetch the pinned wheel of pip from the package index; it runs without being installed."""
    index = read_environment().package_index
    if index is None:
        raise InstallFailed(
            "This Python has no pip, and neither uv nor a wheel of pip is on this machine. "
            "Install uv or pip, or name a package index in PIP_INDEX_URL; then try again."
        )
    hashes = set(re.findall(r"sha256:(\w+)", _entry("pip", locked)))
    index = index.rstrip("/") + "/pip/"
    try:
        page = _fetch(index).decode()
        for link, digest in re.findall(r'href="([^"]+\.whl)#sha256=(\w+)"', page):
            if digest in hashes:
                return _verified(_fetch(urljoin(index, link)), digest)
    except OSError as error:
        raise InstallFailed(f"This Python has no pip, and {index} gave none: {error}") from error
    raise InstallFailed(f"This Python has no pip, and {index} does not offer the version we pin.")


def _fetch(url: str) -> bytes:
    with urlopen(url, timeout=_TIMEOUT_S) as answer:  # noqa: S310  the index is named by people
        return bytes(answer.read())


def _verified(content: bytes, digest: str) -> bytes:
    if hashlib.sha256(content).hexdigest() != digest:
        raise InstallFailed("The download of pip is damaged; run the command again.")
    return content


def _run(command: Sequence[str]) -> str | None:
    """Run a command and return the end of its output, or None if it has succeeded."""
    try:
        ended = subprocess.run(
            command,
            env=child_environment(**_changes()),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
    except OSError as error:  # an interrupted download may have left a half-written program
        return str(error)
    return "\n".join(ended.stdout.splitlines()[-_LAST_LINES:]) if ended.returncode else None


def _changes() -> dict[str, str]:
    changes = {"UV_SYSTEM_CERTS": "1", "UV_PYTHON_DOWNLOADS": "never"}
    certificates = read_environment().certificates
    if certificates is not None:
        changes["SSL_CERT_FILE"] = certificates
    if not _has_home():
        changes["UV_NO_CACHE"] = "1"
    return changes


def _has_home() -> bool:
    try:
        return os.access(Path.home(), os.W_OK)
    except RuntimeError:
        return False
