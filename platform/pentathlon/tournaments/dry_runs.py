"""What a tournament would be like, before it starts."""

from __future__ import annotations

from pentathlon.tournaments.document import draft_document
from pentathlon.tournaments.models import Tournament

_NO_KEY = bytes(32)


def expected_matches(tournament: Tournament) -> int:
    """Return how many matches its entries would make; 0 if it cannot start with them."""
    planned = draft_document(tournament)
    plan, entries = planned.plan(key=_NO_KEY), len(planned.entries)
    if entries < plan.seats or planned.scheduling.problems(plan, entries):
        return 0
    return planned.scheduling.size(plan, entries).expected
