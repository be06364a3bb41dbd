"""Attacks the process that it may be a fork of: its ids, its signals, its sockets, its frames."""

import errno
import gc
import json
import os
import select
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from types import FrameType

order = json.loads(sys.stdin.readline())
escapes: list[str] = []


def tries(name: str, action: Callable[..., object], *arguments: object) -> None:
    """Note an action that succeeds."""
    try:
        action(*arguments)
    except (OSError, ValueError, StopIteration):
        return
    escapes.append(name)


is_first = os.getpid() == 1
if is_first and os.getppid() != 0:
    escapes.append("it sees its parent")
for user in (0, 1, 60000, 65533):
    tries(f"user {user}", os.setresuid, user, user, user)
    tries(f"group {user}", os.setresgid, user, user, user)
tries("groups", os.setgroups, [0])
# Every other process would have a number here, and a group or a session that could be signalled.
for pid in (*range(2, 300), os.getppid() or 2, order["worker"]):
    tries(f"signal to {pid}", os.kill, pid, signal.SIGKILL)
    tries(f"signal to group {pid}", os.killpg, pid, signal.SIGKILL)
# Where there are no namespaces, it would stop or end itself.
for number in (signal.SIGSTOP, signal.SIGTERM, signal.SIGKILL) if is_first else ():
    for everybody in (-1, 0):
        try:
            os.kill(everybody, number)
        except OSError:
            continue
for descriptor in range(3, 1024):
    tries(f"descriptor {descriptor}", os.read, descriptor, 1)
    tries(f"written descriptor {descriptor}", os.write, descriptor, b".")
watched = select.poll()
for descriptor in range(3, 60):
    watched.register(descriptor, select.POLLIN)
escapes += [
    f"open {descriptor}" for descriptor, event in watched.poll(0) if not event & select.POLLNVAL
]
for path in ("/proc", "/proc/self/uid_map", "/sys", "/newroot", "/oldroot", "/run"):
    tries(path, os.open, path, os.O_RDONLY)
tries("folders of other bots", lambda: next(Path("/bots").iterdir()))
# What it was forked from may have left objects that reach further than it does.
for held in gc.get_objects():
    if type(held).__name__ in {"socket", "FileIO"}:
        try:
            number = held.fileno()
        except (OSError, ValueError):
            continue
        if number > 2:
            escapes.append(f"{type(held).__name__} {number}")
frame: FrameType | None = sys._getframe()
seen = []
while frame is not None:
    seen.append(repr(frame.f_globals) + repr(frame.f_locals))
    frame = frame.f_back
if order["marker"] in "".join(seen[1:]):
    escapes.append("the frames below know the order")
for _ in range(200):
    try:
        if os.fork() == 0:
            os._exit(0)
    except OSError as error:
        if error.errno != errno.EPERM:
            escapes.append(f"fork fails with {error.errno}")
        break
    escapes.append("fork")
print(json.dumps(escapes), flush=True)
sys.stdin.read()
