"""Bytecode for the processes of a test run that may leave none in the tree."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager

from pentathlon.env import export
from pentathlon.local.servers.runtime import runtime_folder


@contextmanager
def shared_bytecode() -> Iterator[None]:
    """Let all processes started from now on share bytecode in a folder removed after the run.

    It matters under PYTHONDONTWRITEBYTECODE, where each process would compile 1,400 modules again.
    """
    if not sys.dont_write_bytecode:
        yield
        return
    with runtime_folder() as folder:
        export("PYTHONDONTWRITEBYTECODE", "")
        export("PYTHONPYCACHEPREFIX", str(folder))
        yield
