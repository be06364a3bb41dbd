"""`pentathlon vectors`: test vectors of a game, and a check of rules in another language."""

from dataclasses import asdict
from typing import Annotated

import typer

from pentathlon_engines.cli.arguments import find_game
from pentathlon_engines.cli.failure import CHECK_FAILED, CommandFailed
from pentathlon_engines.cli.options import AsJson, complete_game
from pentathlon_engines.cli.output.streams import print_json, print_text, say
from pentathlon_engines.commentary.words import count
from pentathlon_engines.desk.vector_check import AskResult, ProgramFailed, check_program
from pentathlon_engines.desk.vectors import read_vectors, to_text

_WRONG_SHOWN = 3


def vectors(
    game: Annotated[
        str, typer.Argument(help="The game, such as tuned.", autocompletion=complete_game)
    ],
    program: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="PROGRAM...", help="Your program and its arguments, which answers questions."
        ),
    ] = None,
    *,
    as_json: AsJson = False,
) -> None:
    """Print the test vectors of a game, or check a program by them; exit with 1 if it is wrong.

    Example: pentathlon vectors tuned ./my-rules
    """
    known = read_vectors(find_game(game))
    if not program:
        print_text(to_text(known).rstrip("\n"))
        return
    try:
        results = check_program(program, known)
    except ProgramFailed as error:
        raise CommandFailed(
            f"{error}.", try_next=f"pentathlon vectors {game}", exit_code=CHECK_FAILED
        ) from error
    if as_json:
        print_json({ask: asdict(result) for ask, result in results.items()})
    else:
        for ask, result in results.items():
            _show(ask, result)
    if any(result.wrong for result in results.values()):
        raise typer.Exit(CHECK_FAILED)


def _show(ask: str, result: AskResult) -> None:
    asked = result.right + len(result.wrong)
    skipped = f", {result.unknown} not answered" if result.unknown else ""
    print_text(f"{ask}: {result.right} of {count(asked, 'answer')} right{skipped}")
    for sentence in result.wrong[:_WRONG_SHOWN]:
        say(f"  {sentence}")
