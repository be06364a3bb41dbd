"""Results that wait on disk until the platform has taken or refused them."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import structlog

from pentathlon_engines.desk.record_files import write_whole

_Json = dict[str, Any]  # Any: JSON

_log = structlog.stdlib.get_logger(__name__)


class UnsentResults:
    """Keeps each result in a file of its own, so results of an earlier process are still there.

    They are kept apart by site and token: no other site may read them, and no other token may
    hand them in. A file that cannot be written or removed is told in the log and stops nobody.
    """

    def __init__(self, folder: Path, *, server: str, token: str) -> None:
        self._folder = folder / hashlib.sha256(f"{server} {token}".encode()).hexdigest()

    def keep(self, result: _Json) -> None:
        """Write a result, whole or not at all."""
        try:
            for folder in (self._folder.parent, self._folder):
                folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            write_whole(self._path(result), json.dumps(result).encode())
        except OSError as error:
            _log.warning("result not kept", match=result["id"], reason=str(error))

    def drop(self, result: _Json) -> None:
        """Remove a result that was taken or refused."""
        try:
            self._path(result).unlink(missing_ok=True)
        except OSError as error:
            _log.warning("result not removed", match=result["id"], reason=str(error))

    def read_all(self) -> Iterator[_Json]:
        """Yield the results that are still here; set aside what is none."""
        for path in sorted(self._folder.glob("*.json")):
            try:
                result = json.loads(path.read_bytes())
            except FileNotFoundError:
                continue
            except OSError as error:
                # It may be readable the next time.
                _log.warning("kept result not readable", file=str(path), reason=str(error))
                continue
            except (ValueError, RecursionError):
                result = None
            if self._is_result(result, path):
                yield result
            else:
                _set_aside(path)

    def _is_result(self, result: object, path: Path) -> bool:
        """Return whether a file holds the result that its name says."""
        if not isinstance(result, dict):
            return False
        kinds = (type(result.get("id")), type(result.get("token")))
        return kinds == (int, str) and self._path(result) == path

    def _path(self, result: _Json) -> Path:
        return self._folder / f"{result['id']}-{result['token']}.json"


def _set_aside(path: Path) -> None:
    aside = path.with_suffix(".damaged")
    _log.error("kept file is no result: set aside", file=str(aside))
    try:
        path.replace(aside)
    except OSError as error:
        _log.warning("file not set aside", file=str(path), reason=str(error))
