"""The rows of teams: authors who enter bots together, each because they have agreed to."""

from __future__ import annotations

from typing import Final, Self

from django.conf import settings
from django.db import models
from django.db.models import Exists, OuterRef, Prefetch
from django.db.models.functions import Lower, Now

from pentathlon.accounts.models import User

LONGEST_TEAM: Final = 80


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
