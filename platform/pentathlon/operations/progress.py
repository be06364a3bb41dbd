"""Shows the progress of a long command."""

from __future__ import annotations

import time
from typing import Final

from django.core.management.base import OutputWrapper

from pentathlon_engines.commentary.words import count

_EVERY_S: Final = 2.0


class ProgressLine:
    """Writes a line every two seconds."""

    def __init__(self, target: OutputWrapper) -> None:
        self._target = target
        self._next = time.monotonic() + _EVERY_S

    def __call__(self, table: str, rows: int) -> None:
        """Print the progress, unless it was printed a moment ago."""
        if time.monotonic() >= self._next:
            self._target.write(f"{table}: {count(rows, 'row')}", style_func=str)
            self._next = time.monotonic() + _EVERY_S
