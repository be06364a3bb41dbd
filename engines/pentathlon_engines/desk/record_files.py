"""Files that are whole or not there: records, one in each file, and JSON documents."""

import json
import os
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Any

from pentathlon_engines import strict_json
from pentathlon_engines.errors import BadJson
from pentathlon_engines.record.shape import Record


def write_whole(path: Path, data: bytes) -> None:
    """Replace a file in one step, so that nobody sees half of it, even after a power cut.

    Raises:
        OSError: the folder cannot be written.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    with NamedTemporaryFile(
        dir=path.parent, prefix=f".{path.name}.", suffix=".part", delete=False
    ) as file:
        try:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
            Path(file.name).chmod(0o644)
            Path(file.name).replace(path)
        except BaseException:
            Path(file.name).unlink(missing_ok=True)
            raise
    _sync_folder(path.parent)


def write_record(path: Path, record: Record) -> None:
    """Write a record as `pentathlon replay` and `verify` read it."""
    write_whole(path, json.dumps(record, ensure_ascii=False).encode() + b"\n")


def read_json(path: Path) -> Any:  # Any: JSON
    """Return the JSON in a file, or None where there is no file or no JSON in it."""
    try:
        return strict_json.loads(path.read_bytes())
    except (OSError, BadJson):
        return None


def _sync_folder(folder: Path) -> None:
    """Make the names in a folder outlast a power cut, where the system can."""
    if os.name != "posix":
        return
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
