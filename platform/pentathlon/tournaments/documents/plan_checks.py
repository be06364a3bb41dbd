"""Checks all of a new tournament's document, so that one answer names everything wrong."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from pentathlon.core.errors import DomainError, InvalidInput, Problems, refuse_all
from pentathlon.tournaments.documents.checks import error_of, problems_of_rated
from pentathlon_engines.tournament.checks import check_document
from pentathlon_engines.tournament.document import TournamentDocument


def check_plan(
    document: TournamentDocument,
    *,
    entries: int,
    rated: bool = False,
    others: Sequence[Callable[[], object]] = (),
    errors: Iterable[DomainError] = (),
) -> TournamentDocument:
    """Return the document with all defaults; `errors` are problems that the caller has found.

    Raises:
        InvalidInput: something is wrong; `Problems` if several things are.
    """
    found = [*errors, *gather_errors(others)]
    completed, problems = check_document(document, entries=entries)
    found += map(error_of, problems)
    refuse_all([*found, *problems_of_rated(completed)] if rated else found)
    return completed


def gather_errors(checks: Iterable[Callable[[], object]]) -> list[DomainError]:
    """Return all errors that these checks raise."""
    errors: list[DomainError] = []
    for check in checks:
        try:
            check()
        except Problems as error:
            errors += error.errors
        except InvalidInput as error:
            errors.append(error)
    return errors
