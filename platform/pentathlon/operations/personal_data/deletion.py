"""Deleting an account: everything personal goes in one transaction, results stay.

What stays, and why: bots with the hashes of their versions, matches, ratings, tournaments and the
audit log, under the name `deleted-N`, because the results of others follow from them. Records,
receipts, datasets and the documents of tournaments that have begun stay as they are, bit for bit:
hashes, seeds and proofs are computed from them. A document names the authors as they were called
at its start; records name bots only.

Code and logs of bots are erased as soon as no match needs them; see `erasure`.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Final

from django.apps import apps
from django.contrib.admin.models import LogEntry
from django.contrib.contenttypes.models import ContentType
from django.db import transaction
from django.db.models import Value
from django.db.models.functions import Replace

from pentathlon.accounts.audit.models import AuditAction
from pentathlon.accounts.audit.services import note_on_person
from pentathlon.accounts.models import AccountDeletion, User
from pentathlon.accounts.passkeys import Json, check_second_factor
from pentathlon.accounts.passwords import check_own_password
from pentathlon.accounts.roles import check_may_manage_person
from pentathlon.bots.models import Bot, BotVersion, VersionState
from pentathlon.bots.services import retire_version
from pentathlon.core.errors import Conflict, InvalidInput, NotAllowed
from pentathlon.friendlies.models import Friendly, FriendlyState
from pentathlon.ladders.membership import leave_ladder
from pentathlon.ladders.models import LadderMember
from pentathlon.ladders.reference import USERNAME
from pentathlon.operations.personal_data.erasure import erase_code
from pentathlon.tournaments.challenges.models import Challenge
from pentathlon.tournaments.challenges.services import cancel_challenge
from pentathlon.tournaments.entries.withdrawals import withdraw_entry
from pentathlon.tournaments.handovers.services import remove_organiser
from pentathlon.tournaments.models import UNSTARTED, Entry, EntryState, Tournament, TournamentState
from pentathlon.tournaments.organising.drafts import delete_draft
from pentathlon.tournaments.people_rows import CoOrganiser
from pentathlon.tournaments.teams.services import leave_all_teams
from pentathlon.webhooks.models import Channel, WebhookEndpoint
from pentathlon.webhooks.services import delete_endpoint
from pentathlon_engines.manifest import LONGEST_NAME

_PUBLIC: Final = (TournamentState.OPEN, TournamentState.RUNNING, TournamentState.PAUSED)
_TAKES_ENTRIES_OUT: Final = (*UNSTARTED, TournamentState.RUNNING, TournamentState.PAUSED)
_FOR_GOOD: Final = (VersionState.RETIRED, VersionState.DISQUALIFIED)
_NAMED: Final = 5


class Fate(StrEnum):
    """What happens to a row when the account that it refers to is deleted."""

    DELETED = "deleted"
    KEPT = "kept, under the name of a deleted account"
    OWN_STEP = "has a step of its own in the deletion"


FATES: Final = {
    "accounts.AccountDeletion.person": Fate.KEPT,
    "accounts.ApiToken.user": Fate.DELETED,
    "accounts.BrowserSession.person": Fate.DELETED,
    "accounts.DeviceLogin.person": Fate.DELETED,
    "accounts.EmailChange.person": Fate.DELETED,
    "accounts.IdempotencyRecord.person": Fate.DELETED,
    "accounts.Letter.person": Fate.DELETED,
    "accounts.Passkey.person": Fate.DELETED,
    "accounts.RecoveryCode.person": Fate.DELETED,
    "accounts.TakenName.holder": Fate.KEPT,
    "accounts.TotpKey.person": Fate.DELETED,
    "admin.LogEntry.user": Fate.KEPT,
    "accounts.AuditEvent.actor": Fate.KEPT,
    "accounts.AuditEvent.person": Fate.KEPT,
    "bots.Bot.owner": Fate.KEPT,
    "bots.BotVersion.stopped_by": Fate.KEPT,
    "tournaments.Challenge.author": Fate.KEPT,
    "matches.DeskRecord.author": Fate.DELETED,
    "fleet.WorkerToken.created_by": Fate.KEPT,
    "friendlies.Friendly.person": Fate.DELETED,
    "tournaments.Handover.person": Fate.DELETED,
    "matches.HiddenLane.organiser": Fate.KEPT,
    "accounts.OAuthApp.user": Fate.DELETED,
    "oauth2_provider.AccessToken.user": Fate.DELETED,
    "oauth2_provider.DeviceGrant.user": Fate.DELETED,
    "oauth2_provider.Grant.user": Fate.DELETED,
    "oauth2_provider.IDToken.user": Fate.DELETED,
    "oauth2_provider.RefreshToken.user": Fate.DELETED,
    "ratings.FormerPlace.author": Fate.DELETED,
    "ratings.RankingLine.author": Fate.DELETED,
    "tournaments.Block.ordered_by": Fate.KEPT,
    "tournaments.CoOrganiser.person": Fate.DELETED,
    "tournaments.Entry.left_by": Fate.KEPT,
    "tournaments.Event.owner": Fate.KEPT,
    "tournaments.Invitation.person": Fate.DELETED,
    "tournaments.Replacement.replaced_by": Fate.KEPT,
    "tournaments.Team.owner": Fate.OWN_STEP,
    "tournaments.TeamMember.person": Fate.OWN_STEP,
    "tournaments.Tournament.owner": Fate.KEPT,
    "trust.Quarantine.ended_by": Fate.KEPT,
    "trust.Review.actor": Fate.KEPT,
    "webhooks.WebhookEndpoint.owner": Fate.OWN_STEP,
}
"""The fate of a row, by the model and the field that refers to the person."""


def delete_own_account(
    *,
    actor: User,
    username: str,
    password: str,
    code: str = "",
    answer: str = "",
    state: Json | None = None,
) -> str:
    """Delete the actor's account for good; return the name under which results stay.

    Both the name and the password have to be typed. People with a second factor show it, too: by
    a `code`, or by the `answer` of a passkey to the challenge in `state`.

    Raises:
        InvalidInput: one of them is wrong.
        Conflict: as `check_can_be_deleted`.
    """
    if username != actor.username:
        raise InvalidInput(
            f"Type {actor.username}, the name of your account, to delete it.",
            code="wrong_name",
            field="username",
        )
    check_own_password(actor, password)  # hashing is slow, and no transaction waits for it
    with transaction.atomic():
        check_second_factor(actor, code=code, answer=answer, state=state)
        return _delete(actor=actor, person=actor, reason="")


@transaction.atomic
def delete_account_of(*, actor: User, person: User, username: str, reason: str) -> str:
    """Delete the account of somebody who asked for it, with a reason; only staff may."""
    check_may_manage_person(actor, person)
    if actor.pk == person.pk:
        raise NotAllowed("Delete your own account on its own page.", code="own_account")
    if username != person.username:
        raise InvalidInput(
            f"Type {person.username}, the name of the account, to delete it.",
            code="wrong_name",
            field="username",
        )
    reason = reason.strip()
    if not reason:
        raise InvalidInput("Say why.", code="required", field="reason")
    return _delete(actor=actor, person=person, reason=reason)


def check_can_be_deleted(person: User) -> None:
    """Refuse to delete an account that something still needs.

    Raises:
        Conflict: `deleted`, `platform_account`, `last_superuser` or `organises_tournaments`.
    """
    if AccountDeletion.objects.filter(person=person).exists():
        raise Conflict("This account was deleted.", code="deleted")
    if person.username == USERNAME:
        raise Conflict("Ladders belong to this account.", code="platform_account")
    others = User.objects.filter(is_superuser=True, is_active=True).exclude(pk=person.pk)
    if person.is_superuser and not others.exists():
        raise Conflict(
            f"{person.username} is the only superuser. Make another one first.",
            code="last_superuser",
        )
    running = person.tournaments.filter(state__in=_PUBLIC).order_by("pk")
    if running.exists():
        names = ", ".join(running.values_list("name", flat=True)[:_NAMED])
        raise Conflict(
            f"{person.username} organises tournaments that are not over ({names}). Let them end, "
            "cancel them, or hand them over to another organiser first.",
            code="organises_tournaments",
            allowed={"tournaments": list(running.values_list("pk", flat=True)[:_NAMED])},
        )


def _delete(*, actor: User, person: User, reason: str) -> str:
    person = User.objects.select_for_update().get(pk=person.pk)
    check_can_be_deleted(person)
    _leave_competitions(person)
    _retire_bots(person)
    _delete_rows(person)
    old = person.username
    name = _free_name(person)
    _anonymise(person, name)
    _rename(person, old=old, new=name)
    deletion = AccountDeletion.objects.create(person=person)
    note_on_person(AuditAction.PERSON_DELETE, actor=actor, person=person, reason=reason)
    erase_code(deletion_id=deletion.pk)
    return name


def _leave_competitions(person: User) -> None:
    """Take the person's bots out of all competitions, by the services that everybody uses."""
    entries = Entry.objects.filter(
        version__bot__owner=person,
        state=EntryState.ACTIVE,
        number__isnull=False,
        tournament__state__in=_TAKES_ENTRIES_OUT,
        tournament__division=None,
    )
    for entry in entries.select_related("tournament").order_by("tournament", "pk"):
        withdraw_entry(actor=person, tournament=entry.tournament, version_id=entry.version_id)
    members = LadderMember.objects.filter(bot__owner=person).select_related("ladder", "bot")
    for member in members.order_by("pk"):
        leave_ladder(actor=person, ladder=member.ladder, bot=member.bot)
    for challenge in Challenge.objects.by_author(person).under_way().order_by("pk"):
        cancel_challenge(actor=person, challenge=challenge)
    played = Friendly.objects.under_way().filter(seats__version__bot__owner=person)
    Friendly.objects.filter(pk__in=list(played.values_list("pk", flat=True))).update(
        state=FriendlyState.VOID,
        state_reason="One of its bots was deleted with the account of its author.",
        token=None,
        lease_until=None,
    )
    leave_all_teams(person)
    for shared in CoOrganiser.objects.filter(person=person).order_by("pk"):
        remove_organiser(actor=person, tournament=shared.tournament, username=person.username)
    drafts = Tournament.objects.filter(owner=person, state=TournamentState.DRAFT)
    for draft in drafts.order_by("pk"):
        delete_draft(actor=person, tournament=draft)


def _retire_bots(person: User) -> None:
    playing = BotVersion.objects.owned_by(person).exclude(state__in=_FOR_GOOD)
    for version in playing.select_related("bot").order_by("pk"):
        retire_version(actor=person, version=version)
    BotVersion.objects.owned_by(person).update(notes="", validation_log="", repairs=[])


def _delete_rows(person: User) -> None:
    """Delete the rows that refer to the person and that nobody else needs."""
    for endpoint in WebhookEndpoint.objects.owned_by(person):
        delete_endpoint(actor=person, endpoint_id=endpoint.pk)
    # Deliveries are deleted in batches later; their addresses and signing keys are deleted now.
    WebhookEndpoint.objects.filter(owner=person).update(url="", site="", salt="", old_salt="")
    WebhookEndpoint.objects.filter(owner=person, channel=Channel.MAIL).delete()
    for label, fate in FATES.items():
        model_label, _, field = label.rpartition(".")
        if fate is Fate.DELETED:
            apps.get_model(model_label)._base_manager.filter(**{field: person}).delete()
    person.groups.clear()
    person.user_permissions.clear()


def _anonymise(person: User, name: str) -> None:
    person.username = name
    person.email = person.verified_email = person.first_name = person.last_name = ""
    person.is_active = person.is_staff = person.is_superuser = person.is_organiser = False
    person.is_vouched = False
    person.last_login = None
    # Sessions hold a digest of the password, so this invalidates all of them.
    person.set_unusable_password()
    person.save()


def _rename(person: User, *, old: str, new: str) -> None:
    """Replace the old name in all texts that hold it."""
    told = Entry.objects.filter(reason__startswith=f"Reinstated by {old}:")
    told.update(reason=Replace("reason", Value(f"by {old}:"), Value(f"by {new}:")))
    kind = ContentType.objects.get_for_model(User)
    LogEntry.objects.filter(content_type=kind, object_id=str(person.pk)).update(object_repr=new)
    for bot in Bot.objects.owned_by(person).filter(name__istartswith=f"{old}-"):
        wanted = f"{new}-{bot.name[len(old) + 1 :]}"[:LONGEST_NAME].rstrip(" ._-")
        if not Bot.objects.filter(name__iexact=wanted).exists():
            Bot.objects.filter(pk=bot.pk).update(name=wanted)
            for version in bot.versions.all():
                version.manifest = {**version.manifest, "name": wanted}
                version.save(update_fields=("manifest",))


def _free_name(person: User) -> str:
    """Return a free name of a form that nobody may register."""
    name = f"deleted-{person.pk}"
    while User.objects.filter(username__iexact=name).exists():
        name += "-x"
    return name
