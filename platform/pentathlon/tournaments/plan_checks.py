"""Checks all of a new tournament's document, so that one answer names everything wrong."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TypeVar

from pentathlon.common.errors import DomainError, InvalidInput, Problems
from pentathlon.tournaments import checks
from pentathlon_engines.tournament.document import TournamentDocument
from pentathlon_engines.tournament.formats.parameters import full_params

Checked = TypeVar("Checked")


def check_plan(
    document: TournamentDocument, *, entries: int, others: Sequence[Callable[[], object]] = ()
) -> TournamentDocument:
    """Return the document with all defaults.

    Raises:
        InvalidInput: something is wrong; `Problems` if several things are.
    """
    errors: list[DomainError] = []

    def gather(check: Callable[[], Checked]) -> Checked | None:
        try:
            return check()
        except InvalidInput as error:
            errors.append(error)
            return None

    for check in others:
        gather(check)
    gather(lambda: checks.check_tie_breaks(document.tie_breaks))
    scheduling = gather(lambda: checks.check_scheduler(document.scheduler))
    game = gather(lambda: checks.checked_game(document.game))
    completed = document
    if game is not None:
        seats = gather(lambda: checks.checked_seats(game, document.table_seats))
        if seats is not None:
            completed = replace(completed, table_seats=seats, rules=game.info.version)
            options = gather(lambda: checks.checked_options(game, document.options, seats=seats))
            completed = replace(completed, options=options or {})
            if scheduling is not None:
                params = full_params(scheduling.parameters, document.params)
                completed = replace(completed, params=params)
                errors += checks.problems_of_format(completed, entries=entries)
    for name, value in document.limits.items():
        gather(lambda name=name, value=value: checks.checked_limit(name, value))  # type: ignore[misc]  # bound at once
    if len(errors) == 1:
        raise errors[0]
    if errors:
        raise Problems(errors)
    return completed
