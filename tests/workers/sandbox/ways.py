"""The ways in which a launcher starts Python bots; each must hold them as the others do."""

from __future__ import annotations

from enum import StrEnum
from typing import Any

from pentathlon_engines.match.launcher import SandboxLevel
from workers.sandbox.launcher import SandboxLauncher


class Way(StrEnum):
    """A level, and how its bots begin."""

    FORKS = "forks"
    """Forks of a warm Python, in namespaces."""
    NAMESPACES = "namespaces"
    """Each by bubblewrap, as bots in other languages always are."""
    LANDLOCK = "landlock"

    @property
    def level(self) -> SandboxLevel:
        """The level that stands in the record."""
        return SandboxLevel.LANDLOCK if self is Way.LANDLOCK else SandboxLevel.NAMESPACES

    def launcher(self, **options: Any) -> SandboxLauncher:  # Any: the options of a launcher
        """Return a launcher that starts bots in this way."""
        return SandboxLauncher(self.level, forks=self is Way.FORKS, **options)
