"""Tournaments with dates, secrecy and rules of entry, for tests."""

from typing import Any

from pentathlon.accounts.models import User
from pentathlon.tournaments.models import Tournament
from pentathlon.tournaments.organising.arrangement import Arrangement
from pentathlon.tournaments.organising.drafts import Draft, create_tournament
from pentathlon_engines.tournament.document import TournamentDocument


def arranged_cup(
    actor: User,
    *,
    versions: tuple[int, ...] = (),
    rated: bool = True,
    entries_per_author: int = 3,
    is_draft: bool = False,
    **arranged: Any,  # Any: fields of `Arrangement`
) -> Tournament:
    """Create a tournament of Tuned that is arranged so."""
    draft = Draft(
        name="Cup",
        document=TournamentDocument(game="tuned"),
        versions=versions,
        rated=rated,
        entries_per_author=entries_per_author,
        arrangement=Arrangement(**arranged),
    )
    return create_tournament(actor=actor, draft=draft, is_draft=is_draft)
