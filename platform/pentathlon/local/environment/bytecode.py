"""Compiled modules for the processes of a test run, where none may be left in the tree."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager

from pentathlon.env import export
from pentathlon.local.servers.runtime import runtime_folder


@contextmanager
def shared_bytecode() -> Iterator[None]:
    """Let all that starts from now on share bytecode in a folder that goes with this run.

    It matters under PYTHONDONTWRITEBYTECODE, where each start would compile 1,400 modules again.
    """
    if not sys.dont_write_bytecode:
        yield
        return
    with runtime_folder() as folder:
        export("PYTHONDONTWRITEBYTECODE", "")
        export("PYTHONPYCACHEPREFIX", str(folder))
        yield
