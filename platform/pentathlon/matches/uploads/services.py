"""Uploads: a new bot version plays itself once in each of its games before it may be scheduled.

A validation that the host could not play is no verdict: its author may ask for it again.
"""

from __future__ import annotations

import secrets
from collections.abc import Sequence

from django.db import transaction

from pentathlon.accounts.models import User
from pentathlon.bots.archives import read_archive
from pentathlon.bots.models import Bot, BotVersion, VersionState
from pentathlon.bots.services import (
    check_room,
    reopen_validation,
    settle_validation,
    store_version,
)
from pentathlon.core.errors import InvalidInput
from pentathlon.fleet.announcements import build_tool_of
from pentathlon.fleet.capabilities import read_fleet
from pentathlon.matches.jobs import MatchSpec
from pentathlon.matches.models import Match, MatchKind, MatchState
from pentathlon.matches.requirements import required_runtimes
from pentathlon.matches.services import schedule_matches, void_matches
from pentathlon_engines import GAMES
from pentathlon_engines.archive.archives import CheckedArchive
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
        check_room(actor=actor, size=len(checked.normalised))
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
