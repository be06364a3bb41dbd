"""Files that keep state between commands."""

from __future__ import annotations

import os
from pathlib import Path

from pentathlon_engines.cli.failure import cannot_write


def write_private(path: Path, text: str, *, try_next: str) -> None:
    """Write a file atomically, readable only by its owner."""
    draft = path.with_name(f"{path.name}.{os.getpid()}")
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL
        with os.fdopen(os.open(draft, flags, 0o600), "w", encoding="utf-8") as file:
            file.write(text)
        draft.replace(path)
    except OSError as error:
        draft.unlink(missing_ok=True)
        raise cannot_write(path, error, try_next=try_next) from error
