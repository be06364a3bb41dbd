"""Uploads: a new bot version plays itself once in each of its games before it may be scheduled.

A validation that the host could not play is no verdict: its author may ask for it again.
"""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self
from uuid import UUID

from django.db import transaction

from pentathlon.accounts.models import User
from pentathlon.bots.archives import read_archive
from pentathlon.bots.models import UNBUILT, Archive, Bot, BotVersion, VersionState
from pentathlon.bots.services import (
    check_room,
    keep_build,
    note_build_log,
    refuse_build,
    reopen_validation,
    settle_validation,
    store_version,
)
from pentathlon.core.errors import Conflict, InvalidInput
from pentathlon.fleet.announcements import build_tool_of
from pentathlon.fleet.capabilities import read_fleet
from pentathlon.matches.attempts import worker_of
from pentathlon.matches.jobs import Job, SeatJob
from pentathlon.matches.models import Match, MatchKind, MatchState
from pentathlon.matches.requirements import required_runtimes
from pentathlon.matches.services import fail_attempt, schedule_matches, void_matches
from pentathlon.matches.specs import MatchSpec
from pentathlon_engines import GAMES
from pentathlon_engines.archive.archives import CheckedArchive, read_built
from pentathlon_engines.errors import BadArchive
from pentathlon_engines.manifest import Manifest
from pentathlon_engines.record.shape import SEED_END


def submit_version(
    *,
    actor: User,
    archive: bytes | CheckedArchive,
    bot: Bot | None = None,
    notes: str = "",
    candidate: bool = False,
) -> BotVersion:
    """Store an upload that can be played here, and schedule its validation.

    It is the next version of `bot`, one of the actor's own, or the first of a new one. A caller in
    a transaction checks the archive before the transaction.
    """
    # Checking a large archive takes a while, in which others must be able to write.
    checked = archive if isinstance(archive, CheckedArchive) else read_archive(archive)
    _check_workers(checked.manifest)
    with transaction.atomic():
        check_room(actor=actor, size=_new_bytes(checked))
        version = store_version(
            actor=actor, archive=checked, bot=bot, notes=notes, candidate=candidate
        )
        return _schedule_validation(version)


def submit_named(
    *, actor: User, archive: CheckedArchive, notes: str = "", candidate: bool = False
) -> BotVersion:
    """Add the next version to the actor's bot with the name in the archive, or make that bot."""
    own = Bot.objects.owned_by(actor).filter(name__iexact=archive.manifest.name)
    bot = own.select_related("owner").first()
    return submit_version(actor=actor, archive=archive, bot=bot, notes=notes, candidate=candidate)


@transaction.atomic
def validate_again(*, actor: User, version: BotVersion) -> BotVersion:
    """Validate the actor's own version again.

    A version that was stopped plays all of its validation matches again; one that the host had
    failed plays those that the host could not play.
    """
    was_stopped = version.state == VersionState.STOPPED
    reopened = reopen_validation(actor=actor, version=version)
    if was_stopped:
        return _schedule_validation(reopened)
    void = Match.objects.validations_of(version.pk).filter(state=MatchState.VOID)
    games = void.order_by("game").values_list("game", flat=True)
    schedule_matches(_self_play(version, game) for game in games)
    return reopened


@transaction.atomic
def reject_build(*, version_id: int, reason: str, log: str) -> None:
    """Reject a version whose build fails by its own fault; its matches are called off."""
    matches = Match.objects.validations_of(version_id)
    # Lock matches before their version, as finishing a match does, so that neither deadlocks.
    list(matches.unfinished().order_by("pk").select_for_update())
    settle_validation(version_id=version_id, passed=False, reason=reason, log=log)
    void_matches(matches=matches, reason=reason)


def _check_workers(manifest: Manifest) -> None:
    """Refuse an upload that would wait forever because no worker can build or run it."""
    runtimes = required_runtimes(languages=[manifest.language], builds=[manifest.build])
    fleet = read_fleet()
    if fleet.may_have(runtimes):
        return
    missing = sorted(runtimes - fleet.runtimes) or sorted(runtimes)
    tools = [tool for tool in map(build_tool_of, missing) if tool]
    lack = f"builds with {tools[0]}" if tools else f"runs bots in {missing[0]}"
    raise InvalidInput(
        f"No worker here {lack}, so this bot could never play. Workers run bots in "
        f"{_list(fleet.languages)}, and build with {_list(fleet.build_tools)}.",
        code="no_worker_for_build" if tools else "no_worker_for_runtime",
        field="archive",
        allowed={"languages": fleet.languages, "build_tools": fleet.build_tools},
    )


def _new_bytes(checked: CheckedArchive) -> int:
    """Return how many bytes an upload adds; a model that is here already adds none."""
    model = checked.model
    if model is None or Archive.objects.filter(pk=model.content_hash, files__gt=0).exists():
        return len(checked.normalised)
    return len(checked.normalised) + len(model.normalised)


def _list(names: Sequence[str]) -> str:
    return ", ".join(names) or "nothing"


def _schedule_validation(version: BotVersion) -> BotVersion:
    games = version.games.order_by("game").values_list("game", flat=True)
    schedule_matches(_self_play(version, game) for game in games)
    return version


def _self_play(version: BotVersion, game: str) -> MatchSpec:
    return MatchSpec(
        kind=MatchKind.VALIDATION,
        game=game,
        newcomer_of=version.bot.owner_id,
        seating=(version.pk,) * GAMES[game].info.default_seats,
        # A version that knew its seed could prepare for this one match.
        seed=secrets.randbelow(SEED_END),
    )


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
