"""Operations of a worker that builds an upload, while it holds a match of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self
from uuid import UUID

from django.db import transaction

from pentathlon.bots.models import UNBUILT, BotVersion, VersionState
from pentathlon.bots.services import keep_build, note_build_log, refuse_build
from pentathlon.core.errors import Conflict, InvalidInput
from pentathlon.matches.attempts import worker_of
from pentathlon.matches.jobs import Job, SeatJob
from pentathlon.matches.models import Match
from pentathlon.matches.services import fail_attempt
from pentathlon.matches.uploads.services import reject_build
from pentathlon_engines.archive.archives import CheckedArchive, read_built
from pentathlon_engines.errors import BadArchive
from pentathlon_engines.manifest import Manifest


@dataclass(frozen=True, slots=True, kw_only=True)
class Building:
    """A build, and the attempt that gives the right to it."""

    match_id: int
    token: UUID
    version_id: int

    @classmethod
    def of(cls, job: Job, seat: SeatJob) -> Self:
        """Return the build of a seat's upload."""
        return cls(match_id=job.match_id, token=job.token, version_id=seat.version_id)


def built_files(building: Building) -> str:
    """Return the hash of the files built from the upload; empty if this match needs a build."""
    return _files_for_match(building, _held(building))


def note_log(building: Building, *, log: str) -> None:
    """Store the end of what the build has written so far."""
    _held(building)
    note_build_log(version_id=building.version_id, log=log)


def read_built_archive(building: Building, data: bytes) -> CheckedArchive:
    """Check the archive that a build has made according to a worker, like an upload."""
    manifest = Manifest.from_json(_held(building).manifest)
    try:
        return read_built(data, manifest)
    except BadArchive as error:
        raise InvalidInput(str(error), code=error.code, field="archive") from error


@transaction.atomic
def keep(building: Building, *, built: CheckedArchive, is_trusted: bool) -> str:
    """Store the files that the build made and return the hash of those that count.

    `is_trusted` tells whether the worker may play rated matches; see `bots.services.keep_build`.
    """
    _held(building)
    worker = worker_of(Match.objects.values_list("worker", flat=True).get(pk=building.match_id))
    return keep_build(
        version_id=building.version_id, built=built, is_trusted=is_trusted, worker=worker
    )


@transaction.atomic
def reject(building: Building, *, reason: str, log: str) -> None:
    """Reject the upload, whose build fails by its own fault.

    If the upload is validated already, it was built by a worker that is not trusted with rated
    matches, and now by one that is. Then the version is stopped, and its match waits for another
    worker. If a trusted worker has built it before, only the difference is noted. If the match
    needs no build, the worker only gives the match back: it has no say about the version.
    """
    version = _held(building)
    needs_build = not _files_for_match(building, version)
    is_second = needs_build and bool(version.files_hash(rated=True))
    if version.state == VersionState.VALIDATING:
        reject_build(version_id=building.version_id, reason=reason, log=log)
        return
    # Lock matches before their version, as finishing a match does, so that neither deadlocks.
    fail_attempt(
        match_id=building.match_id,
        token=building.token,
        reason=reason,
        suspect=None if is_second else building.version_id,
    )
    if is_second:
        BotVersion.objects.filter(pk=version.pk, second_build="").update(second_build=UNBUILT)
    elif needs_build:
        refuse_build(version_id=building.version_id, reason=reason, log=log)


def _files_for_match(building: Building, version: BotVersion) -> str:
    match = Match.objects.only("rated", "worker").get(pk=building.match_id)
    if match.rated and version.needs_second_build(worker_of(match.worker)):
        return ""
    return version.files_hash(rated=match.rated)


def _held(building: Building) -> BotVersion:
    """Return the version; raise `Conflict` unless the attempt holds a match of it."""
    held = Match.objects.held_by(building.token).filter(pk=building.match_id)
    versions = BotVersion.objects.filter(pk=building.version_id, seats__match__in=held)
    builds = ("built", "is_build_trusted", "built_by", "second_build")
    found = versions.only(*builds, "archive", "manifest", "state").first()
    if found is None:
        raise Conflict(
            f"Match {building.match_id} is no longer this worker's, or version "
            f"{building.version_id} does not play in it. Drop the build.",
            code="stale_token",
        )
    return found
