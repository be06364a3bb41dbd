"""What a match needs of a worker, and what a worker offers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from django.conf import settings

from pentathlon.bots.models import BotVersion
from pentathlon.matches.fleet_models import BUILDS_WITH, Worker, build_tool_of
from pentathlon.matches.models import Match
from pentathlon_engines.languages import BUILD_TOOLS
from pentathlon_engines.match.launcher import SandboxLevel

_STRENGTH: Final = {
    SandboxLevel.PROCESS: 0,
    SandboxLevel.LANDLOCK: 1,
    SandboxLevel.NAMESPACES: 2,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Needs:
    """What one match asks of the worker that plays it."""

    game: str
    rules_version: int
    runtimes: frozenset[str]
    """Of its bots, and the tools for those that are not built yet."""
    sandbox: SandboxLevel
    """The weakest level that this installation accepts."""
    cgroup: bool
    """Whether a bot wants more than one process, which only a cgroup can count."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Announcement:
    """What a worker says about itself."""

    name: str
    slots: int
    games: dict[str, int]
    runtimes: Sequence[str]
    sandbox: str
    layers: list[dict[str, Any]]  # Any: JSON, what the probe found
    version: str
    began_s: float
    """When it started, on the clock of `time.monotonic`; its host's date may be wrong."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Abilities:
    """What one worker can play."""

    games: frozenset[tuple[str, int]]
    """Keys of games with the version of their rules."""
    runtimes: frozenset[str]
    sandbox: SandboxLevel
    cgroup: bool

    @classmethod
    def of(cls, worker: Worker | Announcement) -> Abilities:
        """Return what a worker offers by its announcement."""
        return cls(
            games=frozenset(worker.games.items()),
            runtimes=frozenset(worker.runtimes),
            sandbox=SandboxLevel(worker.sandbox),
            cgroup=any(
                (found["layer"], found["state"]) == ("cgroup", "ok") for found in worker.layers
            ),
        )

    def cover(self, needs: Needs) -> bool:
        """Tell whether this worker can play a match with these needs."""
        return not any(self.lacks(needs))

    def lacks(self, needs: Needs) -> Iterator[tuple[str, str]]:
        """Yield what is missing, as code and words that follow "no worker"."""
        if (needs.game, needs.rules_version) not in self.games:
            yield (
                "no_worker_for_game",
                f"plays {needs.game} by version {needs.rules_version} of its rules",
            )
        for runtime in sorted(needs.runtimes - self.runtimes):
            tool = build_tool_of(runtime)
            if tool:
                yield "no_worker_for_build", f"builds with {tool}"
            else:
                yield "no_worker_for_runtime", f"offers the runtime {runtime}"
        if _STRENGTH[self.sandbox] < _STRENGTH[needs.sandbox]:
            yield "no_worker_for_sandbox", f"has the sandbox level {needs.sandbox}"
        if needs.cgroup and not self.cgroup:
            yield "no_worker_for_processes", "has a cgroup, which bots of many processes need"


def needs_of(match: Match) -> Needs:
    """Return what a match needs; load seats and versions before."""
    versions = [seat.version for seat in match.seats.all()]
    return needs_of_bots(versions, game=match.game, rules_version=match.rules_version)


def needs_of_bots(versions: Sequence[BotVersion], *, game: str, rules_version: int) -> Needs:
    """Return what a match of these bots needs."""
    manifests = [version.manifest for version in versions]
    to_be_built = [each.manifest["build"] for each in versions if not each.files_hash]
    tools = {Path(build[0]).name for build in to_be_built} & set(BUILD_TOOLS)
    return Needs(
        game=game,
        rules_version=rules_version,
        runtimes=frozenset(manifest["language"] for manifest in manifests)
        | {BUILDS_WITH + tool for tool in tools},
        # Only there may a program start others, as compilers do.
        sandbox=SandboxLevel.NAMESPACES if to_be_built else least_sandbox(),
        cgroup=any(manifest.get("processes", 1) > 1 for manifest in manifests),
    )


def least_sandbox() -> SandboxLevel:
    """Return the weakest sandbox level that bots of this installation may run in."""
    default = SandboxLevel.NAMESPACES if settings.PRODUCTION else SandboxLevel.LANDLOCK
    return SandboxLevel(settings.SANDBOX_LEVEL or default)
