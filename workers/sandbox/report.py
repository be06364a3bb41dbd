"""Shows the findings of a probe to people."""

from __future__ import annotations

from collections.abc import Iterator

from pentathlon_engines.match.launcher import SandboxLevel
from workers.sandbox.probe import Probe, State, run_probe


def probe_down_to(least: SandboxLevel) -> list[Probe]:
    """Probe the first level and, where that fails and `least` allows it, the second."""
    probes = [run_probe()]
    if probes[0].missing and least is not SandboxLevel.NAMESPACES:
        probes.append(run_probe(SandboxLevel.LANDLOCK))
    return probes


def table(found: Probe) -> str:
    """Return one line for each layer, and a remedy for each one that is missing."""
    return "\n".join(_lines(found)) + "\n"


def _lines(found: Probe) -> Iterator[str]:
    yield f"Sandbox level '{found.level}': {'refused' if found.missing else 'usable'}"
    for each in found.findings:
        yield f"  {each.layer:<11} {each.state:<12} {each.detail}"
        if each.remedy and each.state in (State.MISSING, State.NOT_USED):
            yield f"  {'':<24} {each.remedy}"
