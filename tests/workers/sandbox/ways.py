"""The ways in which a launcher starts Python bots; each must hold them as the others do."""

from __future__ import annotations

from dataclasses import replace
from enum import StrEnum
from typing import Any

from pentathlon_engines.match.launcher import BotCommand, SandboxLevel
from pentathlon_engines.match.limits import Limits
from workers.sandbox.launcher import SandboxLauncher
from workers.sandbox.process import SandboxedBot


class Way(StrEnum):
    """A level, and how its bots begin."""

    FORKS = "forks"
    """Forks of a warm Python, in namespaces."""
    NAMESPACES = "namespaces"
    """Each by bubblewrap, as bots in other languages always are."""
    LANDLOCK = "landlock"
    NUMPY = "numpy"
    """Forks of a warm Python with numpy and onnxruntime."""

    @property
    def level(self) -> SandboxLevel:
        """The level that stands in the record."""
        return SandboxLevel.LANDLOCK if self is Way.LANDLOCK else SandboxLevel.NAMESPACES

    @property
    def forks(self) -> bool:
        """Whether Python bots are forks."""
        return self in (Way.FORKS, Way.NUMPY)

    def launcher(self, **options: Any) -> SandboxLauncher:  # Any: the options of a launcher
        """Return a launcher that starts bots in this way."""
        kind = InNumpy if self is Way.NUMPY else SandboxLauncher
        return kind(self.level, forks=self.forks, **options)


class InNumpy(SandboxLauncher):
    """Starts bots in "python" as those in "python-numpy"."""

    def start(self, command: BotCommand, *, seat: int, limits: Limits) -> SandboxedBot:
        if command.language == "python":
            command = replace(command, language="python-numpy")
        return super().start(command, seat=seat, limits=limits)
