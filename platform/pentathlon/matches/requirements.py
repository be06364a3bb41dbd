"""What a match requires of the worker that plays it, from its bots' manifests."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from pentathlon.bots.models import BotVersion
from pentathlon.fleet.capabilities import Requirements, least_sandbox
from pentathlon.fleet.models import BUILDS_WITH
from pentathlon.matches.models import Match
from pentathlon_engines.languages import BUILD_TOOLS
from pentathlon_engines.match.launcher import SandboxLevel


def requirements_of(match: Match) -> Requirements:
    """Return the requirements of a match whose seats and versions are loaded."""
    versions = [seat.version for seat in match.seats.all()]
    return requirements_of_versions(versions, game=match.game, rules_version=match.rules_version)


def requirements_of_versions(
    versions: Sequence[BotVersion], *, game: str, rules_version: int
) -> Requirements:
    """Return the requirements of a match of these versions."""
    manifests = [version.manifest for version in versions]
    to_be_built = [each.manifest["build"] for each in versions if not each.files_hash]
    tools = {Path(build[0]).name for build in to_be_built} & set(BUILD_TOOLS)
    return Requirements(
        game=game,
        rules_version=rules_version,
        runtimes=frozenset(manifest["language"] for manifest in manifests)
        | {BUILDS_WITH + tool for tool in tools},
        # Compilers start other programs, and only this level allows that.
        sandbox=SandboxLevel.NAMESPACES if to_be_built else least_sandbox(),
        cgroup=any(manifest.get("processes", 1) > 1 for manifest in manifests),
    )
