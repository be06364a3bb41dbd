"""Opens the best sandbox that this host allows."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable

from pentathlon_engines.match.launcher import Launcher, SandboxLevel
from pentathlon_engines.match.plain_launcher import PlainLauncher
from workers.sandbox.errors import LayerMissing
from workers.sandbox.launcher import SandboxLauncher
from workers.sandbox.probe import Finding, Probe, run_probe

_ISOLATED = (SandboxLevel.NAMESPACES, SandboxLevel.LANDLOCK)
_REMEDY = (
    "Allow user namespaces or use Linux 6.12 or newer; `python -m workers.sandbox` shows every"
    " layer. For development only, you may ask for the level 'process' by name: it isolates"
    " nothing, and its matches count on no leaderboard."
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
    """Return the level that `choose_probe` finds."""
    return level_of(choose_probe(least=least, warn=warn))


def level_of(found: Probe | None) -> SandboxLevel:
    """Return the level of a probe; None stands for plain processes."""
    return SandboxLevel.PROCESS if found is None else found.level


def choose_probe(
    *, least: SandboxLevel, warn: Callable[[str], None] = print_warning
) -> Probe | None:
    """Probe the levels from the best down to `least`; return the first whose layers all hold.

    None stands for plain processes, where `least` allows them and no sandbox works.

    Raises:
        LayerMissing: no level from `least` up works here.
    """
    refusals: list[tuple[SandboxLevel, Finding]] = []
    for level in _ISOLATED[: 1 if least is SandboxLevel.NAMESPACES else None]:
        found = run_probe(level)
        missing = found.missing
        if missing is None:
            if refusals:
                warn(f"{_history(refusals)}. Bots run at the level '{level}' instead.")
            return found
        refusals.append((level, missing))
    if least is SandboxLevel.PROCESS:
        warn(f"{_history(refusals)}. Bots run WITHOUT a sandbox; matches count on no leaderboard.")
        return None
    _, first = refusals[0]
    raise LayerMissing(first.layer, reason=_history(refusals), remedy=_REMEDY)


def _history(refusals: Iterable[tuple[SandboxLevel, Finding]]) -> str:
    return "; ".join(
        f"level '{level}' lacks the layer '{found.layer}' ({found.detail})"
        for level, found in refusals
    )
