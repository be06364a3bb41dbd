"""Makes jobs for workers from rows."""

from __future__ import annotations

from uuid import UUID

from pentathlon.bots.models import BotVersion
from pentathlon.fleet.capabilities import Capabilities
from pentathlon.matches.attempts import blamed_versions, worker_of
from pentathlon.matches.jobs import Job, SeatJob
from pentathlon.matches.models import Match
from pentathlon.matches.requirements import can_build
from pentathlon_engines.manifest import Manifest


def make_job(
    match: Match,
    token: UUID,
    *,
    shows_compiled: bool = False,
    slot: str = "",
    capabilities: Capabilities | None = None,
) -> Job:
    """Return a worker's job for a match that was read before it was taken.

    Builds of rated play that another worker has made are made again by one that can, to compare.
    """
    blamed = blamed_versions(match)
    return Job(
        match_id=match.pk,
        told_name=match.told_name,
        token=token,
        attempt=match.attempts_made + 1,
        game=match.game,
        rules_version=match.rules_version,
        options=match.options,
        seed=match.seed,
        limits=match.limits,
        seats=tuple(
            make_seat_job(
                seat.version,
                seat=seat.seat,
                is_blamed=seat.version_id in blamed,
                rated=match.rated,
                builds_again=match.rated
                and seat.version.needs_second_build(worker_of(slot))
                and can_build(capabilities, seat.version),
            )
            for seat in match.seats.all()
        ),
        lane=match.lane,
        is_public=match.may_be_watched,
        shows_compiled=shows_compiled,
        traceparent=match.traceparent,
    )


def make_seat_job(
    version: BotVersion,
    *,
    seat: int,
    is_blamed: bool = False,
    rated: bool = False,
    builds_again: bool = False,
) -> SeatJob:
    """Return which files a worker runs in a seat; load the version with its bot."""
    return SeatJob(
        seat=seat,
        version_id=version.pk,
        name=str(version),
        content_hash=version.archive_id,
        files_hash="" if builds_again else version.files_hash(rated=rated),
        manifest=Manifest.from_json(version.manifest),
        model_hash=version.model_id or "",
        is_blamed=is_blamed,
    )
