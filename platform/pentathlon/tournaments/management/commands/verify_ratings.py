"""Verify that the stored ratings and final tables agree with the results."""

from collections.abc import Sequence
from typing import Any, Final

from django.core.management.base import BaseCommand, CommandError

from pentathlon.core.arithmetic import fingerprint
from pentathlon.ratings.models import Pool, tournament_key
from pentathlon.ratings.verification import Difference, is_exact, verify_pool
from pentathlon.tournaments.models import Tournament, TournamentState
from pentathlon.tournaments.results.final_table import is_exact_table, verify_final_table
from pentathlon_engines.commentary.words import count

_DIGITS: Final = 12
"""How many digits of a fingerprint are shown: enough to tell two apart."""


class Command(BaseCommand):
    """Compare every pool and final table with its recompute; exit code 1 if one differs."""

    help = __doc__

    def handle(self, **_options: Any) -> None:  # Any: Django's own signature
        """Print a line for each pool and stop at the first one that differs."""
        for pool in Pool.objects.order_by("key"):
            _demand_none(verify_pool(pool_id=pool.pk))
            equal = _equal(pool.fingerprint, exactly=is_exact(pool))
            self.stdout.write(f"{pool.key}: {count(pool.applied_seq, 'result')}, {equal}")
        closed = Tournament.objects.filter(state=TournamentState.CLOSED)
        for tournament in closed.select_related("pool").order_by("pk"):
            _demand_none(verify_final_table(tournament_id=tournament.pk))
            stored = tournament.pool.fingerprint if tournament.pool else ""
            equal = _equal(stored, exactly=is_exact_table(tournament))
            self.stdout.write(f"{tournament_key(tournament.pk)}: final table {equal}")


def _equal(stored: str, *, exactly: bool) -> str:
    if exactly:
        return "equal bit by bit"
    theirs, ours = stored[:_DIGITS] or "unknown", fingerprint()[:_DIGITS]
    return f"equal to 1e-9 (computed with arithmetic {theirs}, this is {ours})"


def _demand_none(differences: Sequence[Difference]) -> None:
    if differences:
        found = count(len(differences), "difference")
        raise CommandError(f"{differences[0]} ({found} shown at most)")
