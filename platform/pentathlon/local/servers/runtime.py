"""Folders of a run: for bytecode, and for sockets, whose paths have at most 107 bytes."""

import os
import re
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from pentathlon.env import export

_NAME = re.compile(r"ptl-(\d+)-\w+")
_LONGEST = 60


@contextmanager
def runtime_folder() -> Iterator[Path]:
    """Provide a fresh folder that only we can enter; remove it with its contents afterwards."""
    base = Path(tempfile.gettempdir())
    if len(os.fsencode(base)) > _LONGEST:
        base = Path("/tmp")  # noqa: S108  mkdtemp makes a private folder inside
    _sweep(base)
    folder = Path(tempfile.mkdtemp(prefix=f"ptl-{os.getpid()}-", dir=base))
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _sweep(base: Path) -> None:
    """Remove the folders that killed runs have left behind."""
    for folder in base.glob("ptl-*"):
        owner = _NAME.fullmatch(folder.name)
        if owner and not _is_running(int(owner[1])):
            shutil.rmtree(folder, ignore_errors=True)


def _is_running(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


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
