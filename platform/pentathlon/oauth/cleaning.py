"""Forgets tokens and codes of apps that can never be used again."""

from __future__ import annotations

import time
from typing import Final

from oauth2_provider.models import clear_expired

_EVERY_S: Final = 3600.0


class AppTokenCleaner:
    """The step that the reconciler calls again and again."""

    def __init__(self) -> None:
        self._next_s = 0.0

    def step(self) -> int:
        """Delete what has expired, looking once an hour."""
        if time.monotonic() >= self._next_s:
            self._next_s = time.monotonic() + _EVERY_S
            clear_expired()
        return 0
