"""Prove that the stored ratings and final tables are what the results say."""

from collections.abc import Sequence
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from pentathlon.ratings.models import Pool, tournament_key
from pentathlon.ratings.verification import Difference, is_exact, verify_pool
from pentathlon.tournaments.models import Tournament, TournamentState
from pentathlon.tournaments.verification import is_exact_table, verify_final_table


class Command(BaseCommand):
    """Compare every pool and final table with its recompute; exit code 1 if one differs."""

    help = __doc__

    def handle(self, **_options: Any) -> None:  # Any: Django's own signature
        """Print a line for each pool and stop at the first one that differs."""
        for pool in Pool.objects.order_by("key"):
            _demand_none(verify_pool(pool_id=pool.pk))
            self.stdout.write(f"{pool.key}: {pool.applied_seq} results, {_equal(is_exact(pool))}")
        closed = Tournament.objects.filter(state=TournamentState.CLOSED)
        for tournament in closed.select_related("pool").order_by("pk"):
            _demand_none(verify_final_table(tournament_id=tournament.pk))
            equal = _equal(is_exact_table(tournament))
            self.stdout.write(f"{tournament_key(tournament.pk)}: final table {equal}")


def _equal(exactly: bool) -> str:
    return "equal bit by bit" if exactly else "equal to 1e-9 (computed with other arithmetic)"


def _demand_none(differences: Sequence[Difference]) -> None:
    if differences:
        count = _count(len(differences), "difference")
        raise CommandError(f"{differences[0]} ({count} shown at most)")


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
