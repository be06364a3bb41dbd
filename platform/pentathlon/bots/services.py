"""Everything that changes bots and their versions."""

import unicodedata

from django.db import IntegrityError, transaction
from django.db.models import Max
from django.db.models.functions import Lower, Now

from pentathlon.accounts.audit.models import AuditAction
from pentathlon.accounts.models import NameKind, User
from pentathlon.accounts.names import free_names, take_name
from pentathlon.accounts.roles import is_staff
from pentathlon.bots.archives import (
    BadArchive,
    archive_quota,
    drop_archive,
    store_archive,
    validation_quota,
)
from pentathlon.bots.audit_events import audit_version, note_version
from pentathlon.bots.models import Bot, BotVersion, BuildLog, VersionGame, VersionState
from pentathlon.core.errors import Conflict, InvalidInput, NotAllowed
from pentathlon.core.names import is_of_the_house
from pentathlon.core.server.limits import MOST_OF_UNVERIFIED
from pentathlon.core.texts import storable
from pentathlon_engines.archive.archives import CheckedArchive
from pentathlon_engines.manifest import LONGEST_NAME, personal_name

LONGEST_NOTES = 200
LONGEST_REASON = 200
LONGEST_LOG = 64 * 1024
_LONGEST_REASON = 300
_MOST_NAMESAKES = 50
"""The number before which the search for a free numbered name ends."""
_WORDS = {
    VersionState.VALIDATING: "being validated already",
    VersionState.ELIGIBLE: "valid already",
    VersionState.REJECTED: "rejected for its own fault: fix it and upload a new version",
    VersionState.RETIRED: "retired",
    VersionState.DISQUALIFIED: "disqualified",
}


def check_room(*, actor: User, size: int) -> None:
    """Refuse an upload of `size` bytes if the actor has too many bytes or validations here.

    Call it in the transaction that stores the upload: uploads of one author are stored in turn.
    """
    User.objects.select_for_update().get(pk=actor.pk)
    own = BotVersion.objects.owned_by(actor)
    if not actor.may_play_rated and own.count() >= MOST_OF_UNVERIFIED:
        raise NotAllowed(
            f"You may upload {MOST_OF_UNVERIFIED} versions before {actor.email} is verified. "
            "Follow the link in our e-mail to it; under Account, E-mail, you can have it sent "
            "again. Or ask an organiser to vouch for you.",
            code="email_not_verified",
        )
    validating = validation_quota(actor)
    validating.check_left(
        f"{validating.used} versions of yours are being validated. Upload when one is done."
    )
    archives = archive_quota(actor)
    archives.check_left(
        f"Your bots take {archives.used:,} bytes here; with this upload they would exceed "
        f"the {archives.limit:,} bytes that an account may use.",
        wanted=size,
    )


@transaction.atomic
def store_version(
    *,
    actor: User,
    archive: CheckedArchive,
    bot: Bot | None = None,
    notes: str = "",
    candidate: bool = False,
) -> BotVersion:
    """Add the next version to one of the actor's own bots, or make a bot with its first version.

    A new bot has the name in bot.toml.
    """
    notes = _check_notes(notes)
    if bot is None:
        bot = _make_bot(actor, archive.manifest.name)
    else:
        _check_owner(actor, bot)
        _check_name(bot, archive.manifest.name)
        # The lock gives different numbers to simultaneous uploads.
        Bot.objects.select_for_update().get(pk=bot.pk)
        _check_new_content(bot, archive)
    last = bot.versions.aggregate(last=Max("number"))["last"] or 0
    version = BotVersion.objects.create(
        bot=bot,
        number=last + 1,
        archive=store_archive(archive),
        model=store_archive(archive.model) if archive.model else None,
        manifest=archive.manifest.to_json(),
        repairs=[repair._asdict() for repair in archive.repairs],
        notes=notes,
        is_candidate=candidate,
    )
    VersionGame.objects.bulk_create(
        VersionGame(version=version, game=game) for game in archive.manifest.games
    )
    return version


@transaction.atomic
def activate_version(*, actor: User, version: BotVersion) -> BotVersion:
    """Activate a candidate, as if it had been uploaded without being one."""
    _check_owner(actor, version.bot)
    # Uploads take the same lock, so that no newer version comes in between.
    Bot.objects.select_for_update().get(pk=version.bot_id)
    version.refresh_from_db(fields=("is_candidate", "state"))
    if not version.is_candidate:
        raise Conflict(
            f"{version.label} is not a candidate: it already plays for its bot.",
            code="not_a_candidate",
        )
    later = version.bot.versions.in_line().filter(state=VersionState.ELIGIBLE)
    newer = later.filter(number__gt=version.number).order_by("-number").first()
    if newer is not None:
        raise Conflict(
            f"Version {newer.number} is newer and plays for this bot. Retire it first, or upload "
            "these files with a change.",
            code="newer_version_plays",
        )
    version.is_candidate, version.is_seated = False, False
    version.save(update_fields=("is_candidate", "is_seated"))
    return version


@transaction.atomic
def retire_version(*, actor: User, version: BotVersion) -> BotVersion:
    """Retire one of the actor's own versions for good; its results stay."""
    _check_owner(actor, version.bot)
    for_good = (VersionState.RETIRED, VersionState.DISQUALIFIED)
    retired = (
        BotVersion.objects.filter(pk=version.pk)
        .exclude(state__in=for_good)
        .update(
            state=VersionState.RETIRED,
            state_reason="Retired by its author.",
            stopped_at=Now(),
            stopped_by=actor,
        )
    )
    version.refresh_from_db()
    if not retired:
        words = _WORDS[VersionState(version.state)]
        raise Conflict(f"{version.label} is {words} already.", code="already_retired")
    return version


@transaction.atomic
def stop_version(*, version_id: int, reason: str) -> bool:
    """Stop scheduling a version until its author has it validated again.

    Return False if the version was not being scheduled.
    """
    playing = BotVersion.objects.filter(pk=version_id, state=VersionState.ELIGIBLE)
    stopped = playing.update(
        state=VersionState.STOPPED,
        state_reason=reason[:_LONGEST_REASON],
        stopped_at=Now(),
        stopped_by=None,
    )
    if stopped:
        note_version("version.stopped", version_id=version_id)
    return bool(stopped)


@transaction.atomic
def disqualify_version(*, actor: User, version: BotVersion, reason: str) -> BotVersion:
    """Disqualify a version from all schedules; its results stay. Only staff may."""
    _check_staff(actor)
    reason = checked_reason(reason)
    disqualified = (
        BotVersion.objects.filter(pk=version.pk)
        .exclude(state=VersionState.DISQUALIFIED)
        .update(
            state=VersionState.DISQUALIFIED,
            state_reason=reason,
            stopped_at=Now(),
            stopped_by=actor,
        )
    )
    if not disqualified:
        raise Conflict(f"{version.label} is disqualified already.", code="already_disqualified")
    note_version("version.stopped", version_id=version.pk)
    version.refresh_from_db()
    audit_version(AuditAction.VERSION_DISQUALIFY, version, actor=actor, reason=reason)
    return version


@transaction.atomic
def reinstate_version(*, actor: User, version: BotVersion) -> BotVersion:
    """Lift a disqualification; its author may then have the version validated again."""
    _check_staff(actor)
    lifted = BotVersion.objects.filter(pk=version.pk, state=VersionState.DISQUALIFIED).update(
        state=VersionState.STOPPED,
        state_reason="It is no longer disqualified. Its author can have it validated again.",
        stopped_at=Now(),
        stopped_by=actor,
    )
    if not lifted:
        raise Conflict(f"{version.label} is not disqualified.", code="not_disqualified")
    version.refresh_from_db()
    audit_version(AuditAction.VERSION_REINSTATE, version, actor=actor)
    return version


def check_may_read(*, actor: User, version: BotVersion) -> None:
    """Refuse everybody but the author of a version, who alone may read its files and log."""
    if version.bot.owner_id != actor.pk:
        raise NotAllowed(f"{version.label} is not yours: only its author may read this.")


def checked_reason(reason: str) -> str:
    """Return a reason for a disqualification, which everybody will read, or refuse it."""
    reason = reason.strip()
    if not reason:
        raise InvalidInput("Say why: everybody will read it.", code="required", field="reason")
    return _check_line(reason, field="reason", longest=LONGEST_REASON)


@transaction.atomic
def keep_build(
    *, version_id: int, built: CheckedArchive, is_trusted: bool, worker: str = ""
) -> str:
    """Store the files that a build made and return the hash of those that count.

    The first trusted build counts; without a trusted one, the first build. The hash of a second
    trusted one, by another worker, is kept to compare.
    """
    version = BotVersion.objects.select_for_update().get(pk=version_id)
    if version.built_id is None or (is_trusted and not version.is_build_trusted):
        replaced = version.built_id
        version.built = store_archive(built)
        version.is_build_trusted = is_trusted
        version.built_by = worker if is_trusted else ""
        version.save(update_fields=("built", "is_build_trusted", "built_by"))
        drop_archive(replaced)
    elif is_trusted and version.needs_second_build(worker):
        version.second_build = built.content_hash
        version.save(update_fields=("second_build",))
    return version.files_hash()


@transaction.atomic
def refuse_build(*, version_id: int, reason: str, log: str) -> None:
    """Drop a build that a trusted worker could not repeat, and stop its version."""
    version = BotVersion.objects.select_for_update().get(pk=version_id)
    refused = version.built_id
    version.built, version.is_build_trusted = None, True
    version.save(update_fields=("built", "is_build_trusted"))
    drop_archive(refused)
    note_build_log(version_id=version_id, log=log)
    stop_version(version_id=version_id, reason=f"Built anew for rated play: {reason}")


def note_build_log(*, version_id: int, log: str) -> None:
    """Store the end of what the build of a version has written so far."""
    text = storable(log)[-LONGEST_LOG:]
    BuildLog.objects.update_or_create(version_id=version_id, defaults={"text": text})


@transaction.atomic
def settle_validation(*, version_id: int, passed: bool, reason: str, log: str) -> None:
    """Make a version eligible or reject it; do nothing if that was settled before."""
    settled = BotVersion.objects.filter(pk=version_id, state=VersionState.VALIDATING).update(
        state=VersionState.ELIGIBLE if passed else VersionState.REJECTED,
        state_reason="" if passed else storable(reason)[:_LONGEST_REASON],
        validation_log=storable(log)[-LONGEST_LOG:],
        validated_at=Now(),
        is_seated=False,
    )
    if settled:
        event = "version.validated" if passed else "version.rejected"
        note_version(event, version_id=version_id)


@transaction.atomic
def leave_unchecked(*, version_id: int, reason: str, log: str) -> None:
    """Record that the host could not validate a version; do nothing if that was settled."""
    left = BotVersion.objects.filter(pk=version_id, state=VersionState.VALIDATING).update(
        state=VersionState.UNCHECKED,
        state_reason=storable(reason)[:_LONGEST_REASON],
        validation_log=storable(log)[-LONGEST_LOG:],
    )
    if left:
        note_version("version.unchecked", version_id=version_id)


@transaction.atomic
def reopen_validation(*, actor: User, version: BotVersion) -> BotVersion:
    """Reopen validation of the actor's version that was stopped, or that the host failed."""
    _check_owner(actor, version.bot)
    waiting = (VersionState.UNCHECKED, VersionState.STOPPED)
    # One conditional update, so that of two simultaneous requests only one schedules matches.
    reopened = BotVersion.objects.filter(pk=version.pk, state__in=waiting).update(
        state=VersionState.VALIDATING, state_reason=""
    )
    version.refresh_from_db(fields=("state", "state_reason"))
    if not reopened:
        raise Conflict(
            f"{version.label} is {_WORDS[VersionState(version.state)]}. Only a version that was "
            "stopped, or that our machines failed to validate, can be validated again.",
            code="nothing_to_validate",
        )
    return version


def _make_bot(actor: User, name: str) -> Bot:
    # The house knows itself by its name, which nobody else can have.
    if is_of_the_house(name) and not is_of_the_house(actor.username):
        raise _name_taken(actor, name, why="belongs to the platform itself")
    if not take_name(kind=NameKind.BOT, name=name, holder=actor):
        raise _name_taken(actor, name, why="is taken, or looks like one that is")
    try:
        with transaction.atomic():
            return Bot.objects.create(owner=actor, name=name)
    except IntegrityError as error:
        raise _name_taken(actor, name) from error


def _check_owner(actor: User, bot: Bot) -> None:
    if bot.owner_id != actor.pk:
        raise NotAllowed(f"{bot.name} belongs to {bot.owner.username}, not to you.")


def _check_staff(actor: User) -> None:
    if not is_staff(actor):
        raise NotAllowed("Only staff may disqualify bots.", code="not_staff")


def _check_name(bot: Bot, name: str) -> None:
    if name != bot.name:
        raise BadArchive(
            f"bot.toml says name = {name!r}, but this bot is {bot.name!r}. Change the name, or "
            "upload it as a new bot.",
            code="other_name",
        )


def _check_new_content(bot: Bot, checked: CheckedArchive) -> None:
    same = bot.versions.filter(archive_id=checked.content_hash).first()
    if same is not None:
        raise Conflict(
            f"These files are already {same.label}. Change something before you upload again.",
            code="same_content",
            field="archive",
        )


def _check_notes(notes: str) -> str:
    return _check_line(notes.strip(), field="notes", longest=LONGEST_NOTES)


def _check_line(text: str, *, field: str, longest: int) -> str:
    if len(text) > longest:
        raise InvalidInput(
            f"The {field} may have at most {longest} characters, not {len(text)}.",
            code="too_long",
            field=field,
        )
    if any(unicodedata.category(character).startswith("C") for character in text):
        raise InvalidInput(f"The {field} must be one line of plain text.", field=field)
    return text


def _name_taken(actor: User, name: str, *, why: str = "is taken") -> Conflict:
    own = Bot.objects.owned_by(actor).filter(name__iexact=name).first()
    if own is not None:
        return Conflict(
            f"You have a bot named {own.name} already. Upload this as its next version, with that "
            "name in bot.toml.",
            code="bot_exists",
            field="archive",
        )
    free = _free_names(actor, name)
    example = f", such as {free[0]}" if free else ""
    return Conflict(
        f"The name {name} {why}. Choose another name in bot.toml{example}.",
        code="name_taken",
        field="archive",
        allowed=free[:1],
    )


def _free_names(actor: User, name: str) -> list[str]:
    """Return free names for a bot, made of the author's name and the one that is taken."""
    base = personal_name(actor.username, name)
    numbered = (f"-{number}" for number in range(2, _MOST_NAMESAKES))
    names = [base, *(f"{base[: LONGEST_NAME - len(end)]}{end}" for end in numbered)]
    rows = Bot.objects.annotate(lower=Lower("name")).filter(lower__in=map(str.lower, names))
    taken = set(rows.values_list("lower", flat=True))
    free = free_names(kind=NameKind.BOT, names=names)
    return [each for each in free if each.lower() not in taken]
