"""The requirements of a match on its worker, from its bots' manifests."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Final

from pentathlon.bots.models import BotVersion
from pentathlon.core.statements import Read
from pentathlon.fleet.announcements import BUILDS_WITH, Work
from pentathlon.fleet.capabilities import Capabilities, Requirements, least_sandbox
from pentathlon.matches.models import Match, MatchSeat
from pentathlon_engines.languages import BUILD_TOOLS
from pentathlon_engines.match.launcher import SandboxLevel


def requirements_of(match: Match) -> Requirements:
    """Return the requirements of a match whose seats and versions are loaded."""
    versions = [seat.version for seat in match.seats.all()]
    return requirements_of_versions(
        versions,
        game=match.game,
        rules_version=match.rules_version,
        rated=match.rated,
        reserved_for=match.reserved_for,
    )


def required_runtimes(
    *, languages: Iterable[str], builds: Iterable[Sequence[str]]
) -> frozenset[str]:
    """Return the runtimes that bots in these languages and these build commands need."""
    tools = {Path(build[0]).name for build in builds if build} & set(BUILD_TOOLS)
    return frozenset(languages) | {BUILDS_WITH + tool for tool in tools}


def can_build(capabilities: Capabilities | None, version: BotVersion) -> bool:
    """Return whether a worker can run the build of a version; False if nothing is known of it."""
    if capabilities is None or capabilities.sandbox != SandboxLevel.NAMESPACES:
        return False
    tools = required_runtimes(languages=(), builds=[version.manifest.get("build", ())])
    return tools <= capabilities.runtimes


def requirements_of_versions(
    versions: Sequence[BotVersion],
    *,
    game: str,
    rules_version: int,
    rated: bool | None = None,
    reserved_for: int | None = None,
) -> Requirements:
    """Return the requirements of a match of these versions; `rated` as far as it is known."""
    manifests = [version.manifest for version in versions]
    may_be_rated = rated is not False
    to_be_built = [
        each.manifest["build"] for each in versions if not each.files_hash(rated=may_be_rated)
    ]
    return Requirements(
        game=game,
        rules_version=rules_version,
        runtimes=required_runtimes(
            languages=[manifest["language"] for manifest in manifests], builds=to_be_built
        ),
        # Compilers start other programs, and only this level allows that.
        sandbox=SandboxLevel.NAMESPACES if to_be_built else least_sandbox(),
        work=_work(rated=rated, builds=bool(to_be_built)),
        reserved_for=reserved_for,
        cgroup=any(manifest.get("processes", 1) > 1 for manifest in manifests),
    )


def _work(*, rated: bool | None, builds: bool) -> Work | None:
    if rated is None:
        return None
    return Work.RATED if rated else Work.BUILDS if builds else Work.UNRATED


_SEATS: Final = Read(
    lambda ids: (
        MatchSeat.objects.filter(match__pk__in=ids)
        .order_by("match", "seat")
        .only("match", "seat", "version")
    )
)
_VERSIONS: Final = Read(
    lambda ids: BotVersion.objects.filter(pk__in=ids).select_related("bot").defer("validation_log")
)


def with_teams(matches: list[Match]) -> list[Match]:
    """Load of matches what `with_needs` does, as often as matches are claimed and handed in."""
    seats = defaultdict(list)
    for seat in _SEATS([match.pk for match in matches]):
        seats[seat.match_id].append(seat)
    played = {seat.version_id for team in seats.values() for seat in team}
    versions = {version.pk: version for version in _VERSIONS(sorted(played))}
    for match in matches:
        for seat in seats[match.pk]:
            seat.version = versions[seat.version_id]
        cached = {"seats": seats[match.pk]}
        match._prefetched_objects_cache = cached  # type: ignore[attr-defined]  # no public way
    return matches
