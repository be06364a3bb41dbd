"""Checks of a new tournament; each error names the field and the allowed values."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from pentathlon.bots.models import BotVersion
from pentathlon.common.errors import Conflict, InvalidInput, TooLarge
from pentathlon_engines import GAMES, BadOption, BadSeats, Game
from pentathlon_engines.contract.registry import unknown_game
from pentathlon_engines.match.limits import Limits
from pentathlon_engines.tournament.document import SCHEDULERS, TournamentDocument
from pentathlon_engines.tournament.schedule import count_matches
from pentathlon_engines.tournament.seeds import SECRET_BYTES

DRAW_PROBABILITIES: Final = (0.005, 0.5)
LONGEST_NAME: Final = 80
MOST_BOTS: Final = 300
MOST_CYCLES: Final = 100
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
        raise InvalidInput(f"There is {unknown_game(key)}.", code="unknown_game", field="game")
    return GAMES[key]


def check_scheduler(name: str) -> None:
    """Refuse a tournament that this release cannot schedule."""
    if name not in SCHEDULERS:
        kind = name.partition("/")[0]
        formats = ", ".join(known.partition("/")[0] for known in SCHEDULERS)
        raise InvalidInput(
            f"There is no format {kind!r}; the formats are {formats}.",
            code="unknown_format",
            field="format",
        )


def completed_document(game: Game, document: TournamentDocument) -> TournamentDocument:
    """Return the document with the rules version and all defaults of its game, checked."""
    seats = _checked_seats(game, document.table_seats)
    return replace(
        document,
        rules=game.info.version,
        table_seats=seats,
        options=_checked_options(game, document.options, seats=seats),
        limits={name: _checked_limit(name, value) for name, value in document.limits.items()},
    )


def check_rated(game: Game, document: TournamentDocument) -> None:
    """Refuse a rated tournament whose limits or options the leaderboard does not have."""
    usual = {**Limits().to_json(), **game.start(document.table_seats).options}
    chosen = {**document.limits, **document.options}
    unusual = [name for name, value in chosen.items() if value != usual[name]]
    if unusual:
        raise InvalidInput(
            "Only matches with the usual limits and options count on the leaderboard: leave out "
            f"{', '.join(unusual)}, or set rated to false.",
            code="unusual_and_rated",
            field="rated",
        )


def check_numbers(*, cycles: int, entries_per_author: int) -> None:
    """Refuse cycles and numbers of entries out of range."""
    if not 1 <= cycles <= MOST_CYCLES:
        raise InvalidInput(
            f"A tournament has 1 to {MOST_CYCLES} cycles, not {cycles}.", field="cycles"
        )
    if not 1 <= entries_per_author <= MOST_ENTRIES_PER_AUTHOR:
        raise InvalidInput(
            f"An author may enter 1 to {MOST_ENTRIES_PER_AUTHOR} bots, not {entries_per_author}.",
            field="entries_per_author",
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


def check_size(*, bots: int, table_seats: int, cycles: int) -> None:
    """Refuse a tournament with too many bots or matches."""
    if bots > MOST_BOTS:
        raise TooLarge(f"A tournament has at most {MOST_BOTS} bots, not {bots}.", field="versions")
    matches = count_matches(bots, seats=table_seats, cycles=cycles)
    if matches > MOST_MATCHES:
        raise TooLarge(
            f"{bots} bots and {cycles} cycles make {matches} matches; at most {MOST_MATCHES} are "
            "allowed. Enter fewer bots or play fewer cycles.",
            code="too_many_matches",
            field="cycles",
        )


def check_enough(*, bots: int, table_seats: int) -> None:
    """Refuse to start with fewer bots than one table needs."""
    if bots < table_seats:
        raise Conflict(
            f"It takes at least {table_seats} bots to start, and {bots} entered. Enter more.",
            code="too_few_bots",
            field="versions",
        )


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


def _checked_seats(game: Game, table_seats: int | None) -> int:
    """Return how many seats each table has; None means the game's usual number."""
    try:
        return game.info.check_seats(table_seats)
    except BadSeats as error:
        raise InvalidInput(f"{error}.", code=error.code, field="table_seats") from error


def _checked_options(game: Game, options: Mapping[str, Any], *, seats: int) -> dict[str, Any]:
    """Return all options of the game, with defaults for those left out.

    This starts a match, because some values are allowed for some numbers of seats only.
    """
    try:
        checked = game.start(seats, options).options
    except BadOption as error:
        raise InvalidInput(f"{error}.", code=error.code, field="options") from error
    for option in game.info.options:
        for value in option.unofficial_in(checked[option.name]):
            raise InvalidInput(
                f"{value!r} of option {option.name!r} is an expansion, which is not for "
                "tournaments yet. Choose another value.",
                code="unofficial_option",
                field="options",
            )
    return checked


def _checked_limit(name: str, value: object) -> float | int:
    if name not in LIMIT_RANGES:
        raise InvalidInput(
            f"There is no limit {name!r} to set; there are {', '.join(LIMIT_RANGES)}.",
            code="unknown_limit",
            field="limits",
        )
    low, high = LIMIT_RANGES[name]
    if isinstance(value, bool) or not isinstance(value, int | float) or not low <= value <= high:
        raise InvalidInput(
            f"{name} may be {low} to {high}, not {value!r}.", code="bad_limit", field="limits"
        )
    return value
