"""All ports of a worker, opened by `workers.direct.ports` or `workers.remote.ports`."""

from __future__ import annotations

from dataclasses import dataclass

from pentathlon_engines.match.launcher import SandboxLevel
from workers.port import Platform
from workers.slots.analyst import Analyses
from workers.slots.broadcast import Audience
from workers.slots.friendlies import Friendlies


@dataclass(frozen=True, slots=True, kw_only=True)
class Ports:
    """The ways in which a worker reaches the platform."""

    platform: Platform
    friendlies: Friendlies | None = None
    analyses: Analyses | None = None
    audience: Audience | None = None
    least_sandbox: SandboxLevel = SandboxLevel.NAMESPACES
    """The weakest level in which this worker may run bots."""
