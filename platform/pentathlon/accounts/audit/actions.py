"""The vocabulary of the audit log: actions of organisers and staff, and their objects."""

from __future__ import annotations

from typing import Final

from django.db.models import TextChoices


class AuditAction(TextChoices):
    """An audited action; its label continues with the name of the object."""

    EVENT_CREATE = "event.create", "created the event"
    TOURNAMENT_CREATE = "tournament.create", "created"
    TOURNAMENT_OPEN = "tournament.open", "opened for entries"
    TOURNAMENT_DELETE = "tournament.delete", "deleted the draft"
    TOURNAMENT_INVITE = "tournament.invite", "invited authors to"
    TOURNAMENT_START = "tournament.start", "started"
    TOURNAMENT_PAUSE = "tournament.pause", "paused"
    TOURNAMENT_RESUME = "tournament.resume", "resumed"
    TOURNAMENT_CANCEL = "tournament.cancel", "cancelled"
    TOURNAMENT_OFFER = "tournament.offer", "offered to another organiser"
    TOURNAMENT_HAND_OVER = "tournament.hand_over", "handed over"
    TOURNAMENT_CHANGE = "tournament.change", "changed"
    TOURNAMENT_JOIN = "tournament.join", "joined the organisers of"
    TOURNAMENT_LEAVE = "tournament.leave", "ended the part of an organiser in"
    TOURNAMENT_RELEASE = "tournament.release", "released the results of"
    ENTRY_ENTER = "entry.enter", "entered"
    ENTRY_WITHDRAW = "entry.withdraw", "withdrew"
    ENTRY_REPLACE = "entry.replace", "replaced"
    ENTRY_DISQUALIFY = "entry.disqualify", "disqualified"
    ENTRY_REINSTATE = "entry.reinstate", "reinstated"
    BLOCKS_VOID = "blocks.void", "voided"
    BLOCKS_RERUN = "blocks.rerun", "replayed"
    MATCH_VOID = "match.void", "voided the"
    MATCH_RERUN = "match.rerun", "replayed the"
    MATCH_REQUEUE = "match.requeue", "requeued the void"
    VERSION_DISQUALIFY = "version.disqualify", "disqualified everywhere"
    VERSION_REINSTATE = "version.reinstate", "lifted the disqualification of"
    DESK_RECORD_DELETE = "desk_record.delete", "deleted the desk record"
    QUARANTINE_BEGIN = "quarantine.begin", "put in quarantine"
    QUARANTINE_REVIEW = "quarantine.review", "decided on results of"
    QUARANTINE_END = "quarantine.end", "ended the quarantine of"
    WORKER_TOKEN_CREATE = "worker_token.create", "created the worker token"
    WORKER_TOKEN_ROTATE = "worker_token.rotate", "gave another secret to the worker token"
    WORKER_TOKEN_REVOKE = "worker_token.revoke", "revoked the worker token"
    RULES_REVOKE = "rules.revoke", "revoked all results by"
    RATINGS_RECOMPUTE = "ratings.recompute", "recomputed the ratings of"
    RATINGS_REFIT = "ratings.refit", "began an epoch of"
    SEASON_END = "season.end", "ended"
    ROLE_GIVE = "role.give", "gave a role to"
    ROLE_TAKE = "role.take", "took a role from"
    FACTORS_RESET = "factors.reset", "removed the second factors of"
    PERSON_CLOSE = "person.close", "closed the account of"
    PERSON_REOPEN = "person.reopen", "reopened the account of"
    PERSON_DELETE = "person.delete", "deleted the account of"
    APP_BLOCK = "app.block", "blocked the app"
    ADMIN_ADD = "admin.add", "added in the administration"
    ADMIN_CHANGE = "admin.change", "changed in the administration"
    ADMIN_DELETE = "admin.delete", "deleted in the administration"


class AuditedKind(TextChoices):
    """Kinds of objects of audited actions."""

    EVENT = "event", "event"
    TOURNAMENT = "tournament", "tournament"
    VERSION = "version", "bot version"
    MATCH = "match", "match"
    DESK_RECORD = "desk_record", "desk record"
    QUARANTINE = "quarantine", "quarantine"
    WORKER_TOKEN = "worker_token", "worker token"
    RULES = "rules", "rules of a game"
    POOL = "pool", "rating pool"
    SEASON = "season", "season of a ladder"
    PERSON = "person", "person"
    APP = "app", "app"
    ROW = "row", "row in the administration"


RESULTS_CHANGED: Final = (
    AuditAction.BLOCKS_VOID,
    AuditAction.BLOCKS_RERUN,
    AuditAction.MATCH_VOID,
    AuditAction.MATCH_RERUN,
    AuditAction.MATCH_REQUEUE,
)
"""Public unless the results themselves are hidden, since a reason may reveal a result."""
FIELD_CHANGED: Final = (
    AuditAction.ENTRY_REPLACE,
    AuditAction.ENTRY_DISQUALIFY,
    AuditAction.ENTRY_REINSTATE,
    AuditAction.TOURNAMENT_CANCEL,
    AuditAction.TOURNAMENT_CHANGE,
    AuditAction.TOURNAMENT_JOIN,
    AuditAction.TOURNAMENT_LEAVE,
    AuditAction.TOURNAMENT_HAND_OVER,
    AuditAction.TOURNAMENT_RELEASE,
)
"""Public at once, as are the reasons shown with the entries."""
