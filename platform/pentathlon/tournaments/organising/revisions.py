"""Revisions: an edit that is based on an old one fails, instead of undoing another's edit."""

from __future__ import annotations

from hashlib import sha256
from typing import Any

from pentathlon.core.errors import Conflict
from pentathlon.tournaments.models import Tournament
from pentathlon_engines.record.record import canonical


def revision_of(**content: Any) -> str:  # Any: JSON
    """Return a digest of all that an edit can change."""
    return sha256(canonical(content)).hexdigest()[:32]


def check_revision(tournament: Tournament, revision: str, *, stored: str) -> None:
    """Refuse an edit of another revision than the stored one.

    Raises:
        Conflict: `changed_meanwhile`.
    """
    if stored != revision:
        raise Conflict(
            f"{tournament.name} has changed since you began. Read it again, then repeat "
            "your change.",
            code="changed_meanwhile",
            field="revision",
            allowed=[stored],
        )
