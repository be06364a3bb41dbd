"""`pentathlon tournament`: what a tournament would be like, from its document alone."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any, Final

import typer

from pentathlon_engines import GAMES
from pentathlon_engines.cli.failure import CHECK_FAILED, CommandFailed
from pentathlon_engines.cli.output import print_json, print_table, say
from pentathlon_engines.contract.registry import unknown_game
from pentathlon_engines.errors import BadOption, BadSeats
from pentathlon_engines.tournament.document import BEFORE, FORMAT, TournamentDocument
from pentathlon_engines.tournament.dry_run import NO_KEY, DryRun, make_dry_run
from pentathlon_engines.tournament.formats.interface import Problem
from pentathlon_engines.tournament.formats.parameters import full_params
from pentathlon_engines.tournament.formats.registry import FORMATS

_DEFAULTS: Final[Mapping[str, Any]] = {  # Any: JSON
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
}
_REQUIRED: Final = ("format", "scheduler", "game", "entries")
_DEFAULTS_OF_ENTRY: Final[Mapping[str, Any]] = {  # Any: JSON
    "bot": "",
    "version": 1,
    "author": "",
    "strength": None,
}
_TYPES: Final[Mapping[str, tuple[type, ...]]] = {
    "scheduler": (str,),
    "game": (str,),
    "entries": (list,),
    "params": (dict,),
    "options": (dict,),
    "table_seats": (int, type(None)),
    "draw_probability": (float, int, type(None)),
    "tie_breaks": (list,),
    "hash": (str,),
    "bot": (str,),
    "version": (int,),
    "author": (str,),
    "strength": (float, int, type(None)),
}
_SHORT_HASH: Final = 15


def tournament(
    document: Annotated[
        Path,
        typer.Argument(
            metavar="DOCUMENT", help="A file as GET /api/v1/tournaments/N/document/ returns it."
        ),
    ],
    *,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Show pairings and sizes, play nothing.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Show the pairings and the size of a tournament before it starts."""
    try_next = f"pentathlon tournament {document} --dry-run"
    if not dry_run:
        raise CommandFailed(
            "This release plays tournaments on a server only; here it shows what one would be "
            "like, with --dry-run.",
            try_next=try_next,
        )
    data = _read_json(document, try_next)
    planned, problems = _check(data)
    if planned is None or problems:
        if as_json:
            print_json({"valid": False, "problems": [problem._asdict() for problem in problems]})
            raise typer.Exit(CHECK_FAILED)
        lines = [f"{problem.pointer or '/'}: {problem.sentence}" for problem in problems]
        raise CommandFailed(
            "\n".join([f"{document} makes no tournament:", *lines]),
            try_next=f"correct it, then {try_next}",
            exit_code=CHECK_FAILED,
        )
    run = make_dry_run(planned)
    if as_json:
        print_json({"valid": True, "document": planned.to_json(), **run.to_json()})
    else:
        _show(planned, run)


def _read_json(file: Path, try_next: str) -> object:
    try:
        return json.loads(file.read_bytes())
    except OSError as error:
        raise CommandFailed(
            f"{file} cannot be read: {error.strerror}.", try_next=try_next
        ) from error
    except (ValueError, RecursionError) as error:
        raise CommandFailed(f"{file} is no JSON: {error}.", try_next=try_next) from error


def _check(data: object) -> tuple[TournamentDocument | None, list[Problem]]:
    """Return the document with all defaults, and everything that is wrong with it."""
    problems = list(_wrong_shapes(data))
    if problems or not isinstance(data, dict):
        return None, problems
    entries = [{**_DEFAULTS_OF_ENTRY, **entry} for entry in data["entries"]]
    document = TournamentDocument.from_json({**_DEFAULTS, **data, "entries": entries})
    format_, game = FORMATS.get(document.scheduler), GAMES.get(document.game)
    if format_ is None:
        sentence = f"There is no format {document.scheduler!r} in this release."
        problems.append(Problem("/scheduler", "unknown_format", sentence, list(FORMATS)))
    if game is None:
        sentence = f"There is {unknown_game(document.game)}."
        problems.append(Problem("/game", "unknown_game", sentence, list(GAMES)))
    if format_ is None or game is None:
        return None, problems
    try:
        seats = game.info.check_seats(document.table_seats)
        options = game.start(seats, document.options).options
    except (BadOption, BadSeats) as error:
        pointer = "/table_seats" if isinstance(error, BadSeats) else "/options"
        return None, [Problem(pointer, error.code, f"{error}.")]
    params = full_params(format_.parameters, document.params)
    document = replace(document, params=params, table_seats=seats, options=options)
    return document, format_.problems(document.plan(key=NO_KEY), len(entries))


def _wrong_shapes(data: object) -> Iterator[Problem]:
    """Yield where a document has not the fields and types that it must have."""
    if not isinstance(data, dict):
        yield Problem("", "bad_type", "A document is a JSON object.")
        return
    is_before = data.get("format") == BEFORE
    optional = {*_DEFAULTS, "cycles"} if is_before else {*_DEFAULTS}
    required = (*_REQUIRED, "cycles") if is_before else _REQUIRED
    yield from _wrong_fields(data, required, optional, at="")
    if "format" in data and data["format"] not in {BEFORE, FORMAT}:
        sentence = f"This release reads format {FORMAT}."
        yield Problem("/format", "bad_value", sentence, [FORMAT])
    entries = data.get("entries")
    for number, entry in enumerate(entries if isinstance(entries, list) else ()):
        at = f"/entries/{number}"
        if isinstance(entry, dict):
            yield from _wrong_fields(entry, ("hash",), {*_DEFAULTS_OF_ENTRY}, at=at)
        else:
            yield Problem(at, "bad_type", "An entry is a JSON object.")


def _wrong_fields(
    data: Mapping[str, object], required: tuple[str, ...], optional: set[str], *, at: str
) -> Iterator[Problem]:
    for name in required:
        if name not in data:
            yield Problem(f"{at}/{name}", "required", "This is missing.")
    known = sorted({*required, *optional})
    for name, value in data.items():
        if name not in known:
            sentence = f"There is no such field. Known: {', '.join(known)}."
            yield Problem(f"{at}/{name}", "unknown_field", sentence, known)
        # To Python, True is an integer.
        elif name in _TYPES and (isinstance(value, bool) or not isinstance(value, _TYPES[name])):
            sentence = f"This must be {' or '.join(_word(kind) for kind in _TYPES[name])}."
            yield Problem(f"{at}/{name}", "bad_type", sentence)


def _word(kind: type) -> str:
    words = {
        str: "a text",
        list: "a list",
        dict: "an object",
        int: "a whole number",
        float: "a number",
    }
    return words.get(kind, "null")


def _show(document: TournamentDocument, run: DryRun) -> None:
    names = [
        f"{entry.bot} v{entry.version}" if entry.bot else entry.hash[:_SHORT_HASH]
        for entry in document.entries
    ]
    rows = []
    index = 0
    for number, block in enumerate(run.blocks, start=1):
        for seating in block.seatings:
            index += 1
            seats = " – ".join(names[entry] for entry in seating)
            rows.append((str(block.round), str(number), str(index), seats))
    print_table(("round", "block", "match", "seats"), rows)
    size = run.size
    say(
        f"Matches: {size.fewest} at the fewest, {size.expected} expected, {size.most} at the most."
    )
    if run.left_out:
        why = "results decide the rest" if run.needs_results else "the table is cut here"
        say(f"About {run.left_out} matches are not shown: {why}.")
    say("A server draws sides and order anew at the start.")
    for caution in run.cautions:
        say(f"Warning, {caution.pointer}: {caution.sentence}")
