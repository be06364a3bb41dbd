"""Tries to leave a mark in every folder and on the files that it sees, but for its scratch."""

import json
import os
import sys
from collections.abc import Callable

sys.stdin.readline()
escapes: list[str] = []


def tries(name: str, action: Callable[..., object], *arguments: object) -> None:
    """Note an action that succeeds."""
    try:
        action(*arguments)
    except OSError:
        return
    escapes.append(name)


def mark(path: str) -> None:
    """Try all that changes a file or folder."""
    tries(f"mode of {path}", os.chmod, path, 0o777)
    tries(f"owner of {path}", os.chown, path, os.getuid(), os.getgid())
    tries(f"attribute of {path}", os.setxattr, path, "user.note", b"x")
    tries(f"name of {path}", os.rename, path, f"{path}-note")


for top, folders, files in os.walk("/"):
    if top.startswith("/tmp"):
        folders.clear()
        continue
    for name in ("note", ".note"):
        tries(f"file in {top}", os.open, f"{top}/{name}", os.O_CREAT | os.O_WRONLY)
        tries(f"folder in {top}", os.mkdir, f"{top}/{name}")
        tries(f"link in {top}", os.symlink, "note", f"{top}/{name}")
        tries(f"pipe in {top}", os.mkfifo, f"{top}/{name}")
        tries(f"nameless file in {top}", os.open, top, os.O_TMPFILE | os.O_WRONLY)
    mark(top)
    for name in files[:5]:
        mark(f"{top}/{name}")
        # Anybody may write to the devices, which keep nothing.
        if top != "/dev":
            tries(f"content of {top}/{name}", os.open, f"{top}/{name}", os.O_WRONLY)
print(json.dumps(escapes), flush=True)
sys.stdin.read()
