"""Rows around a tournament: co-organisers, invited authors, teams, replacements."""

from __future__ import annotations

from typing import Final, Self

from django.conf import settings
from django.db import models
from django.db.models import Exists, OuterRef, Prefetch, Q
from django.db.models.functions import Lower, Now

from pentathlon.accounts.models import User
from pentathlon.bots.models import BotVersion
from pentathlon_engines.tournament.proof_schedule import StatedReplacement

LONGEST_TEAM: Final = 80
LONGEST_REASON: Final = 300


class CoOrganiser(models.Model):
    """An organiser who accepted to run a tournament together with its owner."""

    tournament = models.ForeignKey(
        "tournaments.Tournament", on_delete=models.CASCADE, related_name="co_organisers"
    )
    person = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="co_organised"
    )
    since = models.DateTimeField(db_default=Now(), editable=False)

    class Meta:
        constraints = (
            models.UniqueConstraint(
                fields=("tournament", "person"), name="tournaments_organiser_once"
            ),
        )

    def __str__(self) -> str:
        return f"{self.person_id} organises tournament {self.tournament_id}"


class Invitation(models.Model):
    """An author who may enter bots in a tournament by invitation."""

    tournament = models.ForeignKey(
        "tournaments.Tournament", on_delete=models.CASCADE, related_name="invitations"
    )
    person = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="invitations"
    )
    invited_at = models.DateTimeField(db_default=Now(), editable=False)

    class Meta:
        constraints = (
            models.UniqueConstraint(
                fields=("tournament", "person"), name="tournaments_invited_once"
            ),
        )

    def __str__(self) -> str:
        return f"{self.person} is invited to {self.tournament}"


class TeamQuerySet(models.QuerySet["Team"]):
    """Named queries for teams."""

    def listed(self) -> Self:
        """Return teams with their owners and members, the latest first; two queries."""
        members = TeamMember.objects.accepted().select_related("person").order_by("accepted_at")
        joined = Prefetch("memberships", queryset=members, to_attr="members")
        return self.select_related("owner").prefetch_related(joined).order_by("-pk")

    def joined_by(self, person: User) -> Self:
        """Return the teams of which a person is a member."""
        rows = TeamMember.objects.accepted().filter(team=OuterRef("pk"), person=person)
        return self.filter(Exists(rows))


class Team(models.Model):
    """Authors who enter bots together, under a name that no other team has."""

    name = models.CharField(max_length=LONGEST_TEAM)
    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="teams"
    )
    """Who invites and removes members: its founder, or the next member once that one has left."""
    created_at = models.DateTimeField(db_default=Now(), editable=False)

    members: list[TeamMember]
    """Who has accepted, the longest first; set by `listed`."""

    objects = TeamQuerySet.as_manager()

    class Meta:
        constraints = (models.UniqueConstraint(Lower("name"), name="tournaments_team_name"),)

    def __str__(self) -> str:
        return self.name

    def member_ids(self) -> frozenset[int]:
        """Return the ids of those who are members now; one query."""
        accepted = TeamMember.objects.accepted().filter(team=self)
        return frozenset(accepted.values_list("person", flat=True))


class TeamMemberQuerySet(models.QuerySet["TeamMember"]):
    """Named queries for members of teams."""

    def accepted(self) -> Self:
        """Return members, without those who are only invited."""
        return self.filter(accepted_at__isnull=False)

    def invited(self) -> Self:
        """Return open invitations."""
        return self.filter(accepted_at=None)


class TeamMember(models.Model):
    """Somebody whom a team has invited, and who is a member from their acceptance on."""

    team = models.ForeignKey(Team, on_delete=models.CASCADE, related_name="memberships")
    person = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="memberships"
    )
    invited_at = models.DateTimeField(db_default=Now(), editable=False)
    accepted_at = models.DateTimeField(null=True)
    """Null while the person has not answered: only the team and the person know of it."""

    objects = TeamMemberQuerySet.as_manager()

    class Meta:
        constraints = (
            models.UniqueConstraint(fields=("team", "person"), name="tournaments_member_once"),
        )

    def __str__(self) -> str:
        return f"{self.person} in {self.team}"


class ReplacementQuerySet(models.QuerySet["Replacement"]):
    """Named queries for replacements."""

    def unsettled(self) -> Self:
        """Return replacements that are being carried out, in their order."""
        return self.filter(is_settled=False).order_by("tournament", "number")

    def in_order(self) -> Self:
        """Return replacements in their order, with bots and owners; one query."""
        return self.select_related("old__bot__owner", "new__bot__owner", "entry").order_by(
            "tournament", "number"
        )


class Replacement(models.Model):
    """A version that replaced another one in a running tournament."""

    tournament = models.ForeignKey(
        "tournaments.Tournament", on_delete=models.CASCADE, related_name="replacements"
    )
    number = models.PositiveIntegerField()
    """The number of the replacement in this tournament, from 1 without gaps."""
    entry = models.ForeignKey(
        "tournaments.Entry", on_delete=models.CASCADE, related_name="replacements"
    )
    old = models.ForeignKey(BotVersion, on_delete=models.PROTECT, related_name="+")
    new = models.ForeignKey(BotVersion, on_delete=models.PROTECT, related_name="+")
    reason = models.CharField(max_length=LONGEST_REASON)
    """Why it was replaced; public."""
    left = models.CharField(max_length=LONGEST_REASON, blank=True, db_default="")
    """Why the old version had left before; public. Empty if it took part until then."""
    replaced_at = models.DateTimeField(db_default=Now(), editable=False)
    replaced_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+"
    )
    made_blocks = models.PositiveIntegerField()
    """The number of blocks made before the replacement; the new version plays all later ones."""
    checked_block = models.PositiveIntegerField()
    """All blocks up to this one have been given to one of the two versions."""
    first_block = models.PositiveIntegerField()
    """The first block that the new version plays, as far as blocks have been looked at."""
    kept = models.JSONField(default=list, db_default=[])
    """Later blocks that the old version had begun and finishes."""
    is_settled = models.BooleanField(default=False, db_default=False)
    digest = models.CharField(max_length=64, blank=True, db_default="")
    """A digest of this replacement and of the digest before it; empty until it is settled."""

    objects = ReplacementQuerySet.as_manager()

    class Meta:
        constraints = (
            models.UniqueConstraint(
                fields=("tournament", "number"), name="tournaments_replacement_once"
            ),
        )
        indexes = (
            models.Index(
                fields=("tournament",),
                condition=Q(is_settled=False),
                name="tournaments_replacing",
            ),
        )

    def __str__(self) -> str:
        return f"replacement {self.number} in tournament {self.tournament_id}"

    def stated(self) -> StatedReplacement:
        """Return the replacement as proofs state it."""
        return StatedReplacement(
            entry=self.entry.number or 0,
            first_block=self.first_block if self.is_settled else None,
            kept=tuple(self.kept),
            old=_file(self.old),
            new=_file(self.new),
            reason=self.reason,
            replaced_at=self.replaced_at.isoformat(),
            digest=self.digest,
            left=self.left,
        )


def _file(version: BotVersion) -> dict[str, object]:
    return {"bot": version.bot.name, "version": version.number, "hash": version.archive_id}
