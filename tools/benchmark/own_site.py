"""`manage.py up` as a person runs it."""

import re
import signal
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from subprocess import Popen
from typing import Final

from pentathlon.env import CHECKOUT, IMPORT_PATH, child_environment
from pentathlon.local.servers import processes
from pentathlon.local.servers.processes import wait_until_ready

_PATIENCE_S: Final = 600.0
_SERVERS: Final = {"DATABASE_URL", "REDIS_URL", "DJANGO_SETTINGS_MODULE"}


class Up:
    """A running `up` and what it has said so far."""

    def __init__(self, process: Popen[bytes], output: Path) -> None:
        self.process = process
        self._output = output

    def said(self) -> str:
        """Return everything that `up` has printed."""
        return self._output.read_text()

    def wait_for(self, pattern: str) -> re.Match[str]:
        """Return the first match of `pattern` in the output; raise `ServerFailed` without one."""
        searched = re.compile(pattern)
        wait_until_ready(
            lambda: searched.search(self.said()) is not None,
            name="up", process=self.process, log=self._output, patience_s=_PATIENCE_S,
        )  # fmt: skip
        match = searched.search(self.said())
        if match is None:
            raise RuntimeError("the output of `up` has become shorter")
        return match

    def address(self) -> str:
        """Wait until the site is up, and return its address."""
        return self.wait_for(r"Pentathlon is at (http://\S+)/ ")[1]

    def interrupt(self) -> int:
        """End `up` as Ctrl-C does; return its exit status."""
        self.process.send_signal(signal.SIGINT)
        return self.process.wait(_PATIENCE_S)


@contextmanager
def running_up(
    *options: str,
    port: int,
    output: Path,
    environment: Mapping[str, str],
    program: Sequence[str | Path] = (CHECKOUT / "manage.py",),
) -> Iterator[Up]:
    """Run `up` with these variables until the block ends; what it prints goes to `output`."""
    command = [sys.executable, *program, "up", f"--port={port}", *options]
    with output.open("wb") as file:
        process = processes.start(command, output=file, environment=environment)
    try:
        yield Up(process, output)
    finally:
        processes.stop(process, first=signal.SIGINT)


def environment_apart(data: Path, **variables: str) -> dict[str, str]:
    """Return environment variables that name none of the servers of this process."""
    # A compiler in the background would be measured, too.
    own = {"PENTATHLON_DATA": str(data), "PENTATHLON_COMPILED": "0", "PYTHONPATH": IMPORT_PATH}
    variables_here = child_environment(**own)
    return {
        name: value for name, value in variables_here.items() if name not in _SERVERS
    } | variables
