"""Checks of a new tournament; each error names the field and the allowed values."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from pentathlon.bots.models import BotVersion
from pentathlon.common.errors import Conflict, InvalidInput, TooLarge
from pentathlon_engines import GAMES, BadOption, BadSeats, Game
from pentathlon_engines.contract.registry import unknown_game
from pentathlon_engines.tournament.document import TournamentDocument
from pentathlon_engines.tournament.formats.interface import Format, Problem
from pentathlon_engines.tournament.formats.registry import FORMATS
from pentathlon_engines.tournament.seeds import SECRET_BYTES
from pentathlon_engines.tournament.tie_breaks import TIE_BREAKS

DRAW_PROBABILITIES: Final = (0.005, 0.5)
LONGEST_NAME: Final = 80
MOST_BOTS: Final = 300
TOO_FEW: Final = "too_few_entries"
"""The code of formats for a field that may still grow."""
MOST_ENTRIES_PER_AUTHOR: Final = 200
MOST_MATCHES: Final = 100_000
LIMIT_RANGES: Final[Mapping[str, tuple[float, float]]] = {
    "startup_wall_s": (0.5, 60),
    "action_cpu_s": (0.01, 60),
    "action_wall_s": (0.05, 180),
    "match_cpu_s": (0.1, 900),
    "match_wall_s": (1, 900),
    "memory_mb": (32, 512),
}
"""Limits that an organiser may set, with their lowest and highest values."""

_NO_KEY: Final = bytes(32)
_SECRET: Final = re.compile(rf"[0-9a-f]{{{2 * SECRET_BYTES}}}")


def checked_name(name: str) -> str:
    """Return a tournament's name without surrounding spaces."""
    name = name.strip()
    if not 1 <= len(name) <= LONGEST_NAME or not name.isprintable():
        raise InvalidInput(
            f"A tournament has a name of 1 to {LONGEST_NAME} characters, none of which controls "
            "how text is shown.",
            code="bad_name",
            field="name",
        )
    return name


def checked_game(key: str) -> Game:
    """Return the game with this key."""
    if key not in GAMES:
        raise InvalidInput(
            f"There is {unknown_game(key)}.",
            code="unknown_game",
            field="game",
            allowed=list(GAMES),
        )
    return GAMES[key]


def check_scheduler(name: str) -> Format:
    """Return the format with this name and version."""
    found = FORMATS.get(name)
    if found is not None:
        return found
    kind = name.partition("/")[0]
    known = [each for each in FORMATS if each.partition("/")[0] == kind]
    if known:
        raise InvalidInput(
            f"This release plays {', '.join(known)}, not {name}. Post the document to a release "
            "that has it, or change its scheduler.",
            code="other_scheduler",
            field="scheduler",
            allowed=known,
        )
    formats = sorted({each.partition("/")[0] for each in FORMATS})
    raise InvalidInput(
        f"There is no format {kind!r}; the formats are {', '.join(formats)}.",
        code="unknown_format",
        field="format",
        allowed=list(FORMATS),
    )


def check_tie_breaks(names: Sequence[str]) -> None:
    """Refuse tie-breaks that do not exist, and the same one twice."""
    if unknown := [name for name in names if name not in TIE_BREAKS]:
        raise InvalidInput(
            f"There is no tie-break {unknown[0]!r}; there are {', '.join(TIE_BREAKS)}.",
            code="unknown_tie_break",
            field="tie_breaks",
            allowed=list(TIE_BREAKS),
        )
    if len(set(names)) < len(names):
        raise InvalidInput(
            "Each tie-break can be used once.", code="duplicate_tie_break", field="tie_breaks"
        )


def check_entries_per_author(number: int) -> None:
    """Refuse a cap out of range."""
    if not 1 <= number <= MOST_ENTRIES_PER_AUTHOR:
        raise InvalidInput(
            f"An author may enter 1 to {MOST_ENTRIES_PER_AUTHOR} bots, not {number}.",
            field="entries_per_author",
            allowed={"minimum": 1, "maximum": MOST_ENTRIES_PER_AUTHOR},
        )


def problems_of_format(document: TournamentDocument, *, entries: int) -> Iterator[InvalidInput]:
    """Yield what the format finds wrong with a document; more bots may still enter."""
    plan = document.plan(key=_NO_KEY)
    for problem in document.scheduling.problems(plan, entries):
        if problem.code != TOO_FEW:
            yield _error_of(problem)


def check_enough(document: TournamentDocument) -> None:
    """Refuse to start where the format finds anything wrong, as too few bots."""
    seats, entries = document.table_seats or 0, len(document.entries)
    if entries < seats:
        raise Conflict(
            f"It takes at least {seats} bots to start, and {entries} entered. Enter more.",
            code="too_few_bots",
            field="versions",
        )
    for problem in document.scheduling.problems(document.plan(key=_NO_KEY), entries):
        is_few = problem.code == TOO_FEW
        raise Conflict(
            problem.sentence,
            code="too_few_bots" if is_few else problem.code,
            field="versions" if is_few else _error_of(problem).field,
            allowed=problem.allowed,
        )


def _error_of(problem: Problem) -> InvalidInput:
    field = problem.pointer.removeprefix("/").replace("/", ".")
    return InvalidInput(problem.sentence, code=problem.code, field=field, allowed=problem.allowed)


def check_official(game: Game, document: TournamentDocument) -> None:
    """Refuse expansions in a rated tournament: unrated ones alone may use them."""
    for option in game.info.options:
        for value in option.unofficial_in(document.options[option.name]):
            raise InvalidInput(
                f"{value!r} of option {option.name!r} is an expansion, which is for unrated "
                "tournaments only. Choose another value, or set rated to false.",
                code="unofficial_option",
                field="options",
            )


def check_replay(*, secret: str | None, draw_probability: float | None, rated: bool) -> None:
    """Refuse a secret or draw probability for a rated tournament, and values out of range."""
    for field, given in (("secret", secret), ("draw_probability", draw_probability)):
        if rated and given is not None:
            raise InvalidInput(
                f"{field} is for unrated replays only: of a rated tournament the server draws "
                "the secret. Leave it out, or set rated to false.",
                code="rated_replay",
                field=field,
            )
    if secret is not None and not _SECRET.fullmatch(secret):
        raise InvalidInput(
            f"A secret is {2 * SECRET_BYTES} lower-case hexadecimal digits.", field="secret"
        )
    low, high = DRAW_PROBABILITIES
    if draw_probability is not None and not low <= draw_probability <= high:
        raise InvalidInput(
            f"A draw probability is {low} to {high}, not {draw_probability}.",
            field="draw_probability",
        )


def check_size(document: TournamentDocument, *, bots: int) -> None:
    """Refuse a tournament with too many bots or matches; its parameters must be right."""
    if bots > MOST_BOTS:
        raise TooLarge(
            f"A tournament has at most {MOST_BOTS} bots, not {bots}.",
            field="versions",
            allowed={"maxItems": MOST_BOTS},
        )
    matches = _most_matches(document, bots)
    if matches > MOST_MATCHES:
        fits = bisect_right(
            range(bots), MOST_MATCHES, key=lambda entries: _most_matches(document, entries)
        )
        raise TooLarge(
            f"{bots} bots make up to {matches} matches with these parameters; at most "
            f"{MOST_MATCHES} are allowed. That is enough for {fits - 1} bots.",
            code="too_many_matches",
            field="versions",
            allowed={"maxItems": fits - 1},
        )


def _most_matches(document: TournamentDocument, bots: int) -> int:
    if bots < (document.table_seats or 0) or bots == 0:
        return 0
    return document.scheduling.size(document.plan(key=_NO_KEY), bots).most


def check_eligible(versions: Sequence[BotVersion], *, game: str) -> None:
    """Refuse bot versions that may not play the game now, and name each with the reason."""
    eligible = set(
        BotVersion.objects.eligible(game)
        .filter(pk__in=[version.pk for version in versions])
        .values_list("pk", flat=True)
    )
    refused = [version for version in versions if version.pk not in eligible]
    if refused:
        names = "; ".join(f"{version.label} ({_why_not(version, game)})" for version in refused)
        raise InvalidInput(
            f"Not eligible for {game}: {names}.", code="ineligible_bots", field="versions"
        )


def _why_not(version: BotVersion, game: str) -> str:
    if game not in version.game_keys:
        return f"plays {', '.join(version.game_keys)}"
    return version.get_state_display()


def checked_seats(game: Game, table_seats: int | None) -> int:
    """Return how many seats each table has; None means the game's usual number."""
    try:
        return game.info.check_seats(table_seats)
    except BadSeats as error:
        raise InvalidInput(f"{error}.", code=error.code, field="table_seats") from error


def checked_options(game: Game, options: Mapping[str, Any], *, seats: int) -> dict[str, Any]:
    """Return all options of the game, with defaults for those left out.

    This starts a match, because some values are allowed for some numbers of seats only.
    """
    try:
        checked = game.start(seats, options).options
    except BadOption as error:
        raise InvalidInput(f"{error}.", code=error.code, field="options") from error
    return checked


def checked_limit(name: str, value: object) -> float | int:
    if name not in LIMIT_RANGES:
        raise InvalidInput(
            f"There is no limit {name!r} to set; there are {', '.join(LIMIT_RANGES)}.",
            code="unknown_limit",
            field="limits",
            allowed=list(LIMIT_RANGES),
        )
    low, high = LIMIT_RANGES[name]
    if isinstance(value, bool) or not isinstance(value, int | float) or not low <= value <= high:
        raise InvalidInput(
            f"{name} may be {low} to {high}, not {value!r}.",
            code="bad_limit",
            field="limits",
            allowed={"minimum": low, "maximum": high},
        )
    return value
