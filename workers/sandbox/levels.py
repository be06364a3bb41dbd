"""Opens the best sandbox that this host allows."""

from __future__ import annotations

import sys
from collections.abc import Callable

from pentathlon_engines.match.launcher import Launcher, SandboxLevel
from pentathlon_engines.match.plain_launcher import PlainLauncher
from workers.sandbox.errors import Layer, LayerMissing
from workers.sandbox.launcher import SandboxLauncher
from workers.sandbox.probe import Probe, probe

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
    *, least: SandboxLevel = SandboxLevel.LANDLOCK, warn: Callable[[str], None] = print_warning
) -> Launcher:
    """Return a launcher of the level that `choose_level` names."""
    level = choose_level(least=least, warn=warn)
    return PlainLauncher() if level is SandboxLevel.PROCESS else SandboxLauncher(level)


def choose_level(
    *, least: SandboxLevel, warn: Callable[[str], None] = print_warning
) -> SandboxLevel:
    """Return the level of the walls that `choose_walls` finds."""
    return level_of(choose_walls(least=least, warn=warn))


def level_of(walls: Probe | None) -> SandboxLevel:
    """Return the level that walls are of; without any, that of bare processes."""
    return SandboxLevel.PROCESS if walls is None else walls.level


def choose_walls(
    *, least: SandboxLevel, warn: Callable[[str], None] = print_warning
) -> Probe | None:
    """Return the best level, from `least` up, whose layers were all seen to hold, and how.

    None stands for the level without walls, where that was asked for and nothing else works.

    Raises:
        LayerMissing: no level that is good enough works here.
    """
    refusals: list[Probe] = []
    for level in _WITH_WALLS[: 1 if least is SandboxLevel.NAMESPACES else None]:
        found = probe(level)
        if found.missing is None:
            if refusals:
                warn(f"{_history(refusals)}. Bots run at the level '{level}' instead.")
            return found
        refusals.append(found)
    if least is SandboxLevel.PROCESS:
        warn(f"{_history(refusals)}. Bots run WITHOUT a sandbox; matches are not rated.")
        return None
    first = refusals[0].missing
    layer = first.layer if first else Layer.NAMESPACES
    raise LayerMissing(layer, reason=_history(refusals), remedy=_REMEDY)


def _history(refusals: list[Probe]) -> str:
    missing = [(each.level, each.missing) for each in refusals if each.missing]
    return "; ".join(
        f"level '{level}' lacks the layer '{found.layer}' ({found.detail})"
        for level, found in missing
    )
