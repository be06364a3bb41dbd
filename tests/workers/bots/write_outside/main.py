"""Writes, links, renames and re-dates what is not its own."""

import json
import os
import sys
from pathlib import Path


def date(path: str) -> None:
    """Set the times of a file; an answer of success that changed nothing is none."""
    os.utime(path, (0, 0))
    if Path(path).stat().st_mtime:
        raise OSError("not done")


order = json.loads(sys.stdin.readline())
marker = order["marker"]
own = os.environ["TMPDIR"]
escapes = []
folders = ["/", "/usr", "/usr/bin", "/etc", "/dev", "/dev/shm", "/var/tmp", "/opt", "/run"]
folders += [str(Path(__file__).parent), str(Path(marker).parent)]
actions = {
    **{f"write {path}": (Path.write_text, (Path(path, "escape"), "x")) for path in folders},
    "main": (Path.write_text, (Path(__file__), "x")),
    "append": (Path.write_text, (Path(marker), "x")),
    "core_pattern": (Path.write_text, (Path("/proc/sys/kernel/core_pattern"), "core")),
    "chmod": (os.chmod, (marker, 0o777)),
    "utime": (date, (marker,)),
    "truncate": (os.truncate, (marker, 0)),
    "unlink": (os.unlink, (marker,)),
    "link": (os.link, (marker, f"{own}/linked")),
    "rename": (os.rename, (marker, f"{own}/renamed")),
    "mknod": (os.mknod, (f"{own}/device", 0o20666, os.makedev(1, 1))),
    "fifo": (os.mkfifo, (marker + "-fifo",)),
}
for name, (action, arguments) in actions.items():
    try:
        action(*arguments)  # type: ignore[operator]  # a table of unlike functions
        escapes.append(name)
    except OSError:
        continue
print(json.dumps(escapes), flush=True)
sys.stdin.read()
