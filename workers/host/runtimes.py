"""The languages and build tools that work on this host, in memory that all slots share."""

from __future__ import annotations

import mmap
import threading
from collections.abc import Callable, Sequence
from typing import Final

import structlog

from pentathlon.fleet.announcements import BUILDS_WITH, build_tool_of
from pentathlon_engines.languages import BUILD_TOOLS
from pentathlon_engines.match.launcher import SandboxLevel
from workers.drain import Drain
from workers.sandbox.errors import LayerMissing
from workers.sandbox.launcher import SandboxLauncher
from workers.sandbox.probe import Probe
from workers.sandbox.profiles import PROFILES

_UNTRIED, _FAILED, _WORKS = range(3)
_NAMES: Final = (*PROFILES, *(BUILDS_WITH + tool for tool in BUILD_TOOLS))
_AGAIN_AFTER_S: Final = 5.0

_log = structlog.stdlib.get_logger(__name__)


def known_runtimes(probe: Probe | None) -> list[str]:
    """Return the runtimes that need no trial: in a sandbox Python, which the probe has run."""
    if probe is not None:
        return ["python"]
    return [name for name, profile in PROFILES.items() if profile.is_installed()]


class Runtimes:
    """Whether each runtime works, if it was tried. Make it before the slots are forked."""

    def __init__(self, working: Sequence[str]) -> None:
        """Start with the runtimes that are known to work."""
        self._seen = mmap.mmap(-1, len(_NAMES))
        for name in working:
            self.note(name, works=True)

    def note(self, name: str, *, works: bool) -> None:
        """Record the result of a trial."""
        self._seen[_NAMES.index(name)] = _WORKS if works else _FAILED

    def working(self) -> list[str]:
        """Return the runtimes that work."""
        return self._in_state(_WORKS)

    def untried(self) -> list[str]:
        """Return the runtimes that nobody has tried yet."""
        return self._in_state(_UNTRIED)

    def _in_state(self, state: int) -> list[str]:
        return [name for name, seen in zip(_NAMES, self._seen[:], strict=True) if seen == state]


def start_trials(runtimes: Runtimes, level: SandboxLevel, drain: Drain) -> threading.Thread:
    """Try the untried runtimes from a thread, in one slot, while all slots play."""
    thread = threading.Thread(
        target=_try_all, args=(runtimes, level, drain), name="runtimes", daemon=True
    )
    thread.start()
    return thread


def _try_all(runtimes: Runtimes, level: SandboxLevel, drain: Drain) -> None:
    while runtimes.untried() and not drain.is_asked:
        try:
            try_untried(runtimes, level, until=lambda: drain.is_asked)
        except (LayerMissing, OSError) as error:
            _log.warning("runtimes not tried", reason=str(error))
            drain.wait(_AGAIN_AFTER_S)
    if not runtimes.untried():
        _log.info("runtimes tried", working=runtimes.working())


def try_untried(
    runtimes: Runtimes, level: SandboxLevel, *, until: Callable[[], bool] = lambda: False
) -> None:
    """Try the untried runtimes in the sandbox, one after the other, until asked to stop."""
    launcher = SandboxLauncher(level)
    try:
        for name in runtimes.untried():
            if until():
                return
            runtimes.note(name, works=_works_here(launcher, name))
    finally:
        launcher.close()


def _works_here(launcher: SandboxLauncher, name: str) -> bool:
    tool = build_tool_of(name)
    return launcher.can_build_with(tool) if tool else launcher.can_run(name)
