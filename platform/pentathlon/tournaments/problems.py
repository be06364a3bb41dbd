"""What keeps a running tournament from going on, told to its organisers, players and staff.

A value that this release cannot read, or an error of ours, stops the tournament that it concerns
and no other. The page and the API say so until the step works again.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Final

from pentathlon.core.bulkheads import Bulkheads
from pentathlon.core.errors import Damaged, DomainError
from pentathlon.tournaments.models import Tournament
from pentathlon_engines.errors import EngineError

_LONGEST: Final = Tournament._meta.get_field("problem").max_length or 0


class Unreadable(Damaged):
    """This release cannot read what is stored of a tournament."""

    code = "tournament_unreadable"


@contextmanager
def reading(tournament: Tournament, what: str) -> Iterator[None]:
    """Raise `Unreadable` for every way in which a stored value can be of another format."""
    try:
        yield
    except (EngineError, ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as e:
        raise Unreadable(
            f"This release of the site cannot read {what} of tournament {tournament.pk}: "
            f"{str(e) or type(e).__name__}. Its organisers can cancel it; staff can go back to "
            "the release that it was made with."
        ) from e


class TournamentSteps(Bulkheads[int]):
    """A step for one tournament after another; one that fails says so on its page."""

    def __init__(self, what: str, *, told: str) -> None:
        """`told` is the sentence that people read, for example "No table can be made.".

        Each step has one of its own: by it, the step finds its problems when a process starts.
        """
        super().__init__(what)
        self._told = told

    def known_to_fail(self) -> Iterable[int]:
        """Return the tournaments that had this problem when another process did this work."""
        stopped = Tournament.objects.filter(problem__startswith=self._told)
        return stopped.values_list("pk", flat=True)

    def fails(self, key: int, error: Exception) -> None:
        """Store the problem with the tournament."""
        reason = (
            error.detail
            if isinstance(error, DomainError)
            else f"The site ran into an error of its own ({type(error).__name__}), which its log "
            "has in full, and tries again every minute."
        )
        problem = f"{self._told} {reason}"[:_LONGEST]
        Tournament.objects.filter(pk=key).exclude(problem=problem).update(problem=problem)

    def works_again(self, key: int) -> None:
        """Take the problem away; one that another step has with the tournament stays."""
        own = Tournament.objects.filter(pk=key, problem__startswith=self._told)
        own.update(problem="")
