"""The fate of every row that refers to a person whose account is deleted.

A test compares this table with the database: a new relation needs a line here.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Final


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
