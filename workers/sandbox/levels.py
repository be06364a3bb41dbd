"""Opens the best sandbox that this host allows."""

from __future__ import annotations

import sys
from collections.abc import Callable

from pentathlon_engines.launcher import Launcher, SandboxLevel
from pentathlon_engines.plain_launcher import PlainLauncher
from workers.sandbox.errors import LayerMissing
from workers.sandbox.launcher import SandboxLauncher
from workers.sandbox.probe import Finding, examine

_WITH_WALLS = (SandboxLevel.NAMESPACES, SandboxLevel.LANDLOCK)
_REMEDY = (
    "Allow user namespaces or use Linux 6.12 or newer; `python -m workers.sandbox` shows every"
    " layer. For development only, the level 'process' may be asked for by name: it has no walls,"
    " and its matches are not rated."
)


def print_warning(message: str) -> None:
    """Write a warning to standard error."""
    sys.stderr.write(f"WARNING: {message}\n")


def open_sandbox(
    *,
    least: SandboxLevel = SandboxLevel.LANDLOCK,
    warn: Callable[[str], None] = print_warning,
) -> Launcher:
    """Return a launcher whose layers were all seen to hold, of the best level from `least` up.

    Raises:
        LayerMissing: no level that is good enough works here.
    """
    missing: list[tuple[SandboxLevel, str, str]] = []
    for level in _WITH_WALLS[: 1 if least is SandboxLevel.NAMESPACES else None]:
        try:
            launcher = _open(level)
        except LayerMissing as error:
            missing.append((level, error.layer, error.reason))
            continue
        if missing:
            warn(f"{_history(missing)}. Bots run at the second level, 'landlock', instead.")
        return launcher
    if least is SandboxLevel.PROCESS:
        warn(f"{_history(missing)}. Bots run WITHOUT a sandbox; matches are not rated.")
        return PlainLauncher()
    raise LayerMissing(missing[0][1], reason=_history(missing), remedy=_REMEDY)


def _open(level: SandboxLevel) -> SandboxLauncher:
    launcher = SandboxLauncher(level)
    missing = examine(launcher).missing
    if missing is None:
        return launcher
    launcher.close()
    raise _refusal(missing)


def _refusal(missing: Finding) -> LayerMissing:
    return LayerMissing(missing.layer, reason=missing.detail, remedy=_REMEDY)


def _history(missing: list[tuple[SandboxLevel, str, str]]) -> str:
    return "; ".join(
        f"level '{level}' lacks the layer '{layer}' ({reason})" for level, layer, reason in missing
    )
