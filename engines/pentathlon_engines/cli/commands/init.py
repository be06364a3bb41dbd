"""`pentathlon init`: write the folder of a new bot that can play."""

import shutil
from enum import StrEnum
from pathlib import Path
from string import Template
from typing import Annotated

import typer

from pentathlon_engines.cli.arguments import find_game
from pentathlon_engines.cli.client.connection import Credentials, connect
from pentathlon_engines.cli.failure import CommandFailed
from pentathlon_engines.cli.options import complete_game
from pentathlon_engines.cli.output.streams import print_json, say
from pentathlon_engines.languages import LANGUAGES
from pentathlon_engines.manifest import Manifest, is_placeholder, personal_name, read_manifest

TEMPLATES = Path(__file__).parents[1] / "templates"


class BotTemplate(StrEnum):
    """The templates that a new bot can start from, by language."""

    PYTHON = "python"
    C = "c"
    CPP = "cpp"
    RUST = "rust"
    GO = "go"
    JAVA = "java"
    JAVASCRIPT = "javascript"


def init(
    game: Annotated[
        str, typer.Argument(help="The game, such as tuned.", autocompletion=complete_game)
    ],
    lang: Annotated[
        BotTemplate, typer.Option(help="The language of the bot.")
    ] = BotTemplate.PYTHON,
    folder: Annotated[
        Path | None, typer.Option(help="The folder of the bot; by default ./my-GAME-bot.")
    ] = None,
    name: Annotated[
        str | None,
        typer.Option(
            help="The bot's name on a site. Default: the folder's, with your username in place "
            "of my-."
        ),
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
    name = name or _name_of(folder)
    facts = {"game": game, "title": rules.info.title, "folder": str(folder), "name": name}
    files = write_template(TEMPLATES / lang.value, folder, facts)
    if as_json:
        print_json({"folder": str(folder), "name": name, "files": files})
        return
    typer.echo(f"Wrote {', '.join(files)} into {folder}")
    typer.echo(f"Its name is {name}; bot.toml says so.")
    typer.echo(f"Next: pentathlon play {game} {folder} greedy")
    manifest = read_manifest(folder)
    _warn_of_missing_program(manifest)
    if manifest.build:
        _tell_who_builds(manifest.build[0])


def write_template(template: Path, folder: Path, facts: dict[str, str]) -> list[str]:
    """Write the files of a template; return their names, with folders."""
    names = [
        path.relative_to(template).as_posix()
        for path in sorted(template.rglob("*"))
        if path.is_file() and "__pycache__" not in path.parts
    ]
    for name in names:
        text = Template((template / name).read_text()).safe_substitute(facts)
        written = folder / name
        written.parent.mkdir(parents=True, exist_ok=True)
        written.write_text(text)
    return names


def _name_of(folder: Path) -> str:
    """Return the name of a new bot, unique per user: a site can have only one `my-bot`."""
    name = folder.resolve().name
    username = Credentials.load().username if is_placeholder(name) else None
    return personal_name(username, name) if username else name


def _tell_who_builds(tool: str) -> None:
    """Say whether the usual site builds such a bot; nothing if it does, or does not answer."""
    try:
        site = connect()
        runtimes = {runtime for row in site.all_rows("workers/") for runtime in row["runtimes"]}
    except CommandFailed:
        say(
            f"A site builds it with {tool} if its workers have that; their page /workers/ says so."
        )
        return
    if f"build:{tool}" not in runtimes:
        say(
            f"No worker of {site.origin} builds with {tool}: build it here, and submit the "
            f"program without `build` in bot.toml. How: {site.page('docs/first-bot/#binary')}"
        )


def _warn_of_missing_program(manifest: Manifest) -> None:
    """Print which program this machine lacks to build or start the new bot."""
    start = LANGUAGES[manifest.language].argv if manifest.main else ()
    for program in (*manifest.build[:1], *start[:1]):
        if "{" not in program and shutil.which(program) is None:
            typer.echo(
                f"This machine has no {program}, which the bot needs to play here: install it.",
                err=True,
            )
            return
