"""`pentathlon tournament`: what a tournament would be like, from its document alone."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Final

import typer

from pentathlon_engines.cli.failure import CHECK_FAILED, CommandFailed
from pentathlon_engines.cli.output import print_json, say
from pentathlon_engines.cli.tables import print_table
from pentathlon_engines.tournament.checks import check_document, problems_of_start, read_json
from pentathlon_engines.tournament.document import TournamentDocument
from pentathlon_engines.tournament.dry_run import DryRun, make_dry_run
from pentathlon_engines.tournament.formats.interface import Problem

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
    asked, problems = read_json(data, release={})
    if asked is None:
        return None, list(problems)
    completed, wrong = check_document(asked, entries=len(asked.entries))
    found = [*problems, *wrong]
    return completed, found or list(problems_of_start(completed))


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
