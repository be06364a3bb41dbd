"""Checks whole tournament documents: every problem with its place, code and what is allowed.

The platform and the `pentathlon` command ask here, so both refuse the same and say the same.
"""

from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final, NamedTuple

from pentathlon_engines import GAMES
from pentathlon_engines.contract.game import Game
from pentathlon_engines.contract.registry import unknown_game
from pentathlon_engines.errors import BadOption, BadSeats
from pentathlon_engines.match.limits import Limits
from pentathlon_engines.tournament.document import FORMAT, TournamentDocument
from pentathlon_engines.tournament.document_schema import escape, wrong_shapes
from pentathlon_engines.tournament.formats.interface import Format, Problem
from pentathlon_engines.tournament.formats.registry import FORMATS
from pentathlon_engines.tournament.tie_breaks import TIE_BREAKS

Json = Any

DRAW_PROBABILITIES: Final = (0.005, 0.5)
MOST_BOTS: Final = 300
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
TOO_FEW: Final = "too_few_entries"
"""The code of a format's problem with too few entries, in a field that may still grow."""

_NO_KEY: Final = bytes(32)


class ReadDocument(NamedTuple):
    """A posted document, and the problems found before its values are interpreted."""

    document: TournamentDocument | None
    """The document; None if its shape is wrong."""
    problems: tuple[Problem, ...]


def read_json(data: Json, *, release: Mapping[str, Json]) -> ReadDocument:
    """Read a posted document; `release` has other values that this release fixes."""
    if shapes := tuple(wrong_shapes(data)):
        return ReadDocument(None, (*shapes, *_wrong_besides(data, shapes, release)))
    game = GAMES.get(data["game"])
    here = {"rules": game.info.version if game else None, **release}
    entries = [{**_DEFAULTS_OF_ENTRY, **entry} for entry in data["entries"]]
    document = TournamentDocument.from_json({**_DEFAULTS, **data, "entries": entries})
    problems = (*_other_release(data, here), *_duplicates(data["entries"]))
    return ReadDocument(document, problems)


def _wrong_besides(
    data: Json, shapes: Sequence[Problem], release: Mapping[str, Json]
) -> Iterator[Problem]:
    """Yield what is wrong with members of the right shape, if others have a wrong one."""
    if not isinstance(data, dict):
        return
    broken = {problem.pointer.split("/")[1] for problem in shapes}
    right = {name: data[name] for name in _STAND_INS if name in data and name not in broken}
    document, problems = read_json({**_STAND_INS, **right}, release=release)
    if document is not None:
        _, more = check_document(document, entries=len(document.entries))
        found = [*problems, *more]
        yield from (each for each in found if each.pointer.split("/")[1] in right)


def check_document(
    document: TournamentDocument, *, entries: int
) -> tuple[TournamentDocument, list[Problem]]:
    """Return a document with all defaults, and what is wrong with it for so many entries.

    More entries may still come, so too few are not wrong.
    """
    problems = [
        *_wrong_tie_breaks(document.tie_breaks),
        *_wrong_limits(document.limits),
        *_wrong_draws(document.draw_probability),
    ]
    scheduling, game = FORMATS.get(document.scheduler), GAMES.get(document.game)
    if scheduling is None:
        problems.append(_unknown_format(document.scheduler))
    else:
        problems += _wrong_law(document.leaving, scheduling)
        document = document.written_out()
    if game is None:
        sentence = f"There is {unknown_game(document.game)}."
        problems.append(Problem("/game", "unknown_game", sentence, list(GAMES)))
        return document, problems
    document, wrong = _with_options(document, game)
    problems += wrong
    if scheduling is not None and document.table_seats is not None:
        of_format = scheduling.problems(document.plan(key=_NO_KEY), entries)
        problems += [problem for problem in of_format if problem.code != TOO_FEW]
    if not problems:
        problems += problems_of_size(document, entries=entries)
    return document, problems


def problems_of_start(document: TournamentDocument) -> Iterator[Problem]:
    """Yield why a document that is right cannot start with its entries."""
    seats, entries = document.table_seats or 0, len(document.entries)
    if entries < seats:
        yield Problem(
            "/entries",
            "too_few_bots",
            f"It takes at least {seats} bots to start, and {entries} entered. Enter more.",
            {"minItems": seats},
        )
        return
    yield from _too_few_authors(document)
    for problem in document.scheduling.problems(document.plan(key=_NO_KEY), entries):
        yield problem._replace(code="too_few_bots") if problem.code == TOO_FEW else problem


def problems_of_size(document: TournamentDocument, *, entries: int) -> Iterator[Problem]:
    """Yield a problem if there are too many bots or matches; parameters must be right."""
    if entries > MOST_BOTS:
        yield Problem(
            "/entries",
            "too_large",
            f"A tournament has at most {MOST_BOTS} bots, not {entries}.",
            {"maxItems": MOST_BOTS},
        )
        return
    matches = _most_matches(document, entries)
    if matches > MOST_MATCHES:
        fits = bisect_right(
            range(entries), MOST_MATCHES, key=lambda fewer: _most_matches(document, fewer)
        )
        yield Problem(
            "/entries",
            "too_many_matches",
            f"{entries} bots make up to {matches} matches with these parameters; at most "
            f"{MOST_MATCHES} are allowed. That is enough for {fits - 1} bots.",
            {"maxItems": fits - 1},
        )


def _too_few_authors(document: TournamentDocument) -> Iterator[Problem]:
    """Yield a problem if authors are kept apart and there are too few of them for one table."""
    if document.params.get("same_author", True) or document.scheduling.name in _ONLY_PREFER:
        return
    authors = {entry.author for entry in document.field()}
    seats = document.table_seats or 0
    if len(authors) < seats:
        yield Problem(
            "/params/same_author",
            "too_few_authors",
            f"Bots of one author do not meet, so {seats} authors are needed for a table, and "
            f"there are {len(authors)}. Let others enter, or set same_author to true.",
            {"minimum": seats},
        )


_ONLY_PREFER: Final = ("knockout/1",)
"""Formats that keep bots of one author apart only as long as possible."""
_DEFAULTS: Final[Mapping[str, Json]] = {
    "params": {},
    "commitment": None,
    "rules": None,
    "options": {},
    "limits": {},
    "table_seats": None,
    "rating_algorithm": None,
    "draw_probability": None,
    "beta": None,
    "tie_breaks": [],
    "leaving": None,
}
_STAND_INS: Final[Mapping[str, Json]] = {
    **_DEFAULTS,
    "format": FORMAT,
    "scheduler": "",
    "game": "",
    "entries": [],
}
"""Values for the members of a document that cannot be read, so that the others are checked."""
_DEFAULTS_OF_ENTRY: Final[Mapping[str, Json]] = {
    "bot": "",
    "version": 1,
    "author": "",
    "strength": None,
}


def _other_release(data: Mapping[str, Json], here: Mapping[str, Json]) -> Iterator[Problem]:
    """Yield the values that ask for a computation of another release."""
    for name, value in here.items():
        asked = data.get(name)
        if asked is not None and value is not None and asked != value:
            yield Problem(
                f"/{name}",
                "other_release",
                f"This release has {value}, the document asks for {asked}: post it to a release "
                "that has that, or leave it out.",
                [value],
            )


def _duplicates(entries: Sequence[Mapping[str, Json]]) -> Iterator[Problem]:
    seen = set()
    for number, entry in enumerate(entries):
        which = (entry["hash"], entry.get("bot"), entry.get("version"))
        if which in seen:
            sentence = "Each bot version can enter once."
            yield Problem(f"/entries/{number}", "duplicate_bots", sentence)
        seen.add(which)


def _unknown_format(name: str) -> Problem:
    kind = name.partition("/")[0]
    known = [each for each in FORMATS if each.partition("/")[0] == kind]
    if known:
        return Problem(
            "/scheduler",
            "other_scheduler",
            f"This release plays {', '.join(known)}, not {name}. Post the document to a release "
            "that has it, or change its scheduler.",
            known,
        )
    formats = sorted({each.partition("/")[0] for each in FORMATS})
    return Problem(
        "/scheduler",
        "unknown_format",
        f"There is no format {kind!r}; the formats are {', '.join(formats)}.",
        list(FORMATS),
    )


def _wrong_tie_breaks(names: Sequence[str]) -> Iterator[Problem]:
    for place, name in enumerate(names):
        if name not in TIE_BREAKS:
            sentence = (
                f"There is no tie-break {name!r}; the tie-breaks are {', '.join(TIE_BREAKS)}."
            )
            pointer = f"/tie_breaks/{place}"
            yield Problem(pointer, "unknown_tie_break", sentence, list(TIE_BREAKS))
        elif name in names[:place]:
            sentence = "Each tie-break can be used once."
            yield Problem(f"/tie_breaks/{place}", "duplicate_tie_break", sentence)


def _wrong_law(law: str | None, scheduling: Format) -> Iterator[Problem]:
    if law is not None and law not in scheduling.laws:
        names = " or ".join(scheduling.laws)
        sentence = (
            f"In the format {scheduling.title}, the law about leaving is {names}, not {law}."
        )
        yield Problem("/leaving", "bad_law", sentence, list(scheduling.laws))


def _wrong_limits(limits: Mapping[str, Json]) -> Iterator[Problem]:
    """Yield limits that nobody may set; usual values pass, since documents contain them all."""
    usual = Limits().to_json()
    for name, value in limits.items():
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        if is_number and usual.get(name) == value:
            continue
        pointer = f"/limits/{escape(name)}"
        if name not in LIMIT_RANGES:
            sentence = (
                f"There is no limit {name!r} to set; the limits are {', '.join(LIMIT_RANGES)}."
            )
            yield Problem(pointer, "unknown_limit", sentence, list(LIMIT_RANGES))
            continue
        low, high = LIMIT_RANGES[name]
        is_whole = name != "memory_mb" or isinstance(value, int)
        if not is_number or not is_whole or not low <= value <= high:
            sentence = f"{name} may be {low} to {high}, not {value!r}."
            yield Problem(pointer, "bad_limit", sentence, {"minimum": low, "maximum": high})


def _wrong_draws(probability: float | None) -> Iterator[Problem]:
    low, high = DRAW_PROBABILITIES
    if probability is not None and not low <= probability <= high:
        sentence = f"A draw probability is {low} to {high}, not {probability}."
        allowed = {"minimum": low, "maximum": high}
        yield Problem("/draw_probability", "invalid", sentence, allowed)


def _with_options(
    document: TournamentDocument, game: Game
) -> tuple[TournamentDocument, list[Problem]]:
    """Return a document with seats, rules and all options of its game, and what is wrong there."""
    problems = list(_wrong_options(document.options, game))
    try:
        seats = game.info.check_seats(document.table_seats)
    except BadSeats as error:
        low, high = game.info.seats
        allowed = list(range(low, high + 1))
        problems.append(Problem("/table_seats", error.code, f"{error}.", allowed))
        return replace(document, table_seats=None), problems
    document = replace(document, table_seats=seats, rules=game.info.version)
    if not problems:
        try:
            # Start a match, because some values are allowed for some numbers of seats only.
            document = replace(document, options=game.start(seats, document.options).options)
        except BadOption as error:
            problems.append(Problem("/options", error.code, f"{error}."))
    return document, problems


def _wrong_options(options: Mapping[str, Json], game: Game) -> Iterator[Problem]:
    known = {option.name: option for option in game.info.options}
    for name, value in options.items():
        pointer = f"/options/{escape(name)}"
        if name not in known:
            names = ", ".join(known) or "none"
            sentence = f"{game.info.title} has no option {name!r}; its options: {names}."
            yield Problem(pointer, BadOption.code, sentence, list(known))
        elif not known[name].accepts(value):
            sentence = f"option {name!r} may be {known[name].allowed()}, not {value!r}."
            yield Problem(pointer, BadOption.code, sentence, list(known[name].choices))


def _most_matches(document: TournamentDocument, entries: int) -> int:
    if entries < (document.table_seats or 0) or entries == 0:
        return 0
    return document.scheduling.size(document.plan(key=_NO_KEY), entries).most
