"""`pentathlon init`: write the folder of a new bot that can play."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from string import Template
from typing import Annotated

import typer

from pentathlon_engines.cli.arguments import find_game
from pentathlon_engines.cli.failure import CommandFailed
from pentathlon_engines.cli.output import print_json

TEMPLATES = Path(__file__).parents[1] / "templates"


class BotTemplate(StrEnum):
    """The templates that a new bot can start from, by language."""

    PYTHON = "python"


def init(
    game: Annotated[str, typer.Argument(help="The game, such as tuned.")],
    lang: Annotated[
        BotTemplate, typer.Option(help="The language of the bot.")
    ] = BotTemplate.PYTHON,
    folder: Annotated[
        Path | None, typer.Option(help="Its folder; by default ./my-GAME-bot.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Write a new bot, ready to play."""
    rules = find_game(game)
    folder = folder or Path(f"my-{game}-bot".replace("_", "-"))
    if folder.exists():
        raise CommandFailed(
            f"{folder} exists already.", try_next=f"pentathlon init {game} --folder OTHER"
        )
    facts = {"game": game, "title": rules.info.title, "folder": str(folder), "name": folder.name}
    files = _write(TEMPLATES / lang.value, folder, facts)
    if as_json:
        print_json({"folder": str(folder), "files": files})
        return
    typer.echo(f"Wrote {', '.join(files)} into {folder}")
    typer.echo(f"Next: pentathlon play {game} {folder} greedy")


def _write(template: Path, folder: Path, facts: dict[str, str]) -> list[str]:
    folder.mkdir(parents=True)
    files = sorted(path for path in template.iterdir() if path.is_file())
    for path in files:
        text = Template(path.read_text()).safe_substitute(facts)
        (folder / path.name).write_text(text)
    return [path.name for path in files]
