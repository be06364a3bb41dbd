"""Checks of a new tournament; each error names the field and the allowed values."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from functools import partial
from typing import Final

from pentathlon.bots.models import REPEATED, BotVersion
from pentathlon.core.errors import (
    Conflict,
    DomainError,
    InvalidInput,
    Problems,
    TooLarge,
    refuse_all,
)
from pentathlon_engines import GAMES
from pentathlon_engines.seeds import SECRET_BYTES
from pentathlon_engines.tournament.checks import (
    check_document,
    problems_of_size,
    problems_of_start,
)
from pentathlon_engines.tournament.document import TournamentDocument
from pentathlon_engines.tournament.formats.interface import Problem
from pentathlon_engines.tournament.formats.registry import NEVER_RATED

LONGEST_NAME: Final = 80
MOST_ENTRIES_PER_AUTHOR: Final = 200

_NO_KEY: Final = bytes(32)
_SECRET: Final = re.compile(rf"[0-9a-f]{{{2 * SECRET_BYTES}}}")
_TOO_LARGE: Final = ("too_large", "too_many_matches")
"""The codes of problems that are raised as `TooLarge`."""


def error_of(problem: Problem) -> InvalidInput:
    """Return a problem of a document as an error of a service."""
    kind = TooLarge if problem.code in _TOO_LARGE else InvalidInput
    return kind(
        problem.sentence,
        code=problem.code,
        field=problem.pointer.removeprefix("/").replace("/", ".") or None,
        pointer=problem.pointer,
        allowed=problem.allowed,
    )


def checked_name(name: str) -> str:
    """Return a tournament's name without surrounding spaces."""
    name = name.strip()
    if not 1 <= len(name) <= LONGEST_NAME or not name.isprintable():
        raise InvalidInput(
            f"A tournament has a name of 1 to {LONGEST_NAME} characters, without control or "
            "formatting characters.",
            code="bad_name",
            field="name",
        )
    return name


def check_entries_per_author(number: int) -> None:
    """Refuse a cap out of range."""
    if not 1 <= number <= MOST_ENTRIES_PER_AUTHOR:
        raise InvalidInput(
            f"An author may enter 1 to {MOST_ENTRIES_PER_AUTHOR} bots, not {number}.",
            field="entries_per_author",
            allowed={"minimum": 1, "maximum": MOST_ENTRIES_PER_AUTHOR},
        )


def check_enough(document: TournamentDocument) -> None:
    """Refuse to start a tournament if anything is wrong with its field, such as too few bots."""
    for problem in problems_of_start(document):
        error = error_of(problem)
        raise Conflict(error.detail, code=error.code, field=error.field, allowed=error.allowed)


def problems_of_rated(document: TournamentDocument) -> Iterator[InvalidInput]:
    """Yield why a tournament cannot be rated: an A/B test, or expansions."""
    if document.scheduler.partition("/")[0] in NEVER_RATED:
        yield InvalidInput(
            "An A/B test is never rated: it compares two bots by many matches of the same pair. "
            "Make it unrated.",
            code="never_rated",
            field="rated",
            allowed=[False],
        )
    game = GAMES.get(document.game)
    for option in game.info.options if game else ():
        if found := option.unofficial_in(document.options.get(option.name)):
            yield InvalidInput(
                f"Option {option.name!r}: {' and '.join(map(repr, found))} is an expansion, for "
                "unrated tournaments only. Choose another value, or set rated to false.",
                code="unofficial_option",
                field="options",
            )


def check_replay(*, secret: str | None, draw_probability: float | None, rated: bool) -> None:
    """Refuse a secret or draw probability for a rated tournament, and a malformed secret."""
    for field, given in (("secret", secret), ("draw_probability", draw_probability)):
        if rated and given is not None:
            raise InvalidInput(
                f"{field} is for unrated replays only: the server draws the secret of a rated "
                "tournament. Leave it out, or set rated to false.",
                code="rated_replay",
                field=field,
            )
    if secret is not None and not _SECRET.fullmatch(secret):
        raise InvalidInput(
            f"A secret is {2 * SECRET_BYTES} lower-case hexadecimal digits.", field="secret"
        )


def check_size(document: TournamentDocument, *, bots: int) -> None:
    """Refuse a tournament with too many bots or matches; its parameters must be right."""
    for problem in problems_of_size(document, entries=bots):
        raise TooLarge(
            problem.sentence, code=problem.code, field="versions", allowed=problem.allowed
        )


def find_versions(
    version_ids: Sequence[int],
    *,
    game: str,
    at: Callable[[int], str] = "versions.{}".format,
    is_repeat: bool = False,
) -> list[BotVersion]:
    """Return bot versions by their ids; `at` gives the name of each id's field in errors.

    In a repeat, retired and stopped versions play once more.

    Raises:
        InvalidInput: one cannot enter a tournament of the game; `Problems` if several cannot.
    """
    known = BotVersion.objects.listed().in_bulk(version_ids)
    refused = ineligible(known.values(), game=game, is_repeat=is_repeat)
    errors = []
    for place, version_id in enumerate(version_ids):
        field = at(place)
        if version_id in version_ids[:place]:
            sentence = "Each bot version can enter once."
            errors.append(InvalidInput(sentence, code="duplicate_bots", field=field))
        elif version_id not in known:
            sentence = f"No such bot version: {version_id}."
            errors.append(InvalidInput(sentence, code="unknown_bots", field=field))
        elif version_id in refused:
            errors.append(InvalidInput(refused[version_id], code="ineligible_bots", field=field))
    refuse_all(errors)
    return [known[version_id] for version_id in version_ids]


def ineligible(
    versions: Collection[BotVersion], *, game: str, is_repeat: bool = False
) -> dict[int, str]:
    """Return by id why versions may not play a game now; nothing if the game is unknown."""
    if game not in GAMES:
        return {}
    asked = [version.pk for version in versions]
    wanted = (
        BotVersion.objects.repeatable(game) if is_repeat else BotVersion.objects.eligible(game)
    )
    playing = set(wanted.filter(pk__in=asked).values_list("pk", flat=True))
    why = partial(_why_not, game=game, is_repeat=is_repeat)
    return {
        version.pk: f"{version.label} is not eligible for {game}: {why(version)}."
        for version in versions
        if version.pk not in playing
    }


def check_eligible(
    versions: Sequence[BotVersion], *, game: str, field: str = "versions", is_repeat: bool = False
) -> None:
    """Refuse bot versions that may not play the game now, and name each with the reason."""
    if refused := ineligible(versions, game=game, is_repeat=is_repeat):
        raise InvalidInput(" ".join(refused.values()), code="ineligible_bots", field=field)


def _why_not(version: BotVersion, *, game: str, is_repeat: bool) -> str:
    if game not in version.game_keys:
        return f"plays {', '.join(version.game_keys)}"
    if is_repeat and version.state in REPEATED:
        return "its code is gone with the account of its author, or was never built"
    return version.get_state_display()


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
