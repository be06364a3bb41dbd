"""Results that wait on disk until the platform has taken or refused them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

_Json = dict[str, Any]  # Any: JSON


class UnsentResults:
    """Keeps each result in a file of its own, so results of an earlier process are still there."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)

    def keep(self, result: _Json) -> None:
        """Write a result, whole or not at all."""
        path = self._path(result)
        unfinished = path.with_suffix(".new")
        unfinished.write_text(json.dumps(result))
        unfinished.replace(path)

    def drop(self, result: _Json) -> None:
        """Remove a result that was taken or refused."""
        self._path(result).unlink(missing_ok=True)

    def read_all(self) -> Iterator[_Json]:
        """Yield the results that are still here."""
        for path in sorted(self._folder.glob("*.json")):
            try:
                yield json.loads(path.read_text())
            except OSError:
                # The file is gone, or cannot be read for now and will be tried again next time.
                continue
            except ValueError:
                path.unlink(missing_ok=True)

    def _path(self, result: _Json) -> Path:
        return self._folder / f"{result['match_id']}-{result['token']}.json"
