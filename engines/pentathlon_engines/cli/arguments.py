"""Turn arguments of the command line into bots, games, launchers and limits."""

import subprocess
from collections.abc import Sequence
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

from pentathlon_engines import GAMES, strict_json
from pentathlon_engines.archive.packing import content_hash, folder_to_play
from pentathlon_engines.cli.failure import CHECK_FAILED, HOST_OR_SERVER, CommandFailed
from pentathlon_engines.cli.output.streams import say_repairs
from pentathlon_engines.contract.game import Game
from pentathlon_engines.contract.registry import unknown_game
from pentathlon_engines.errors import BadArchive, BadJson
from pentathlon_engines.manifest import Manifest, bot_command, built_in_bots, read_manifest
from pentathlon_engines.match.launcher import Launcher
from pentathlon_engines.match.limits import Limits
from pentathlon_engines.match.plain_launcher import PlainLauncher
from pentathlon_engines.runner import SeatBot


def find_bot(name: str) -> tuple[Manifest, SeatBot]:
    """Return the bot with a built-in name, or in a folder or a zip; run its build if it has one.

    What the site would repair in its files is repaired in a copy of them.
    """
    source = built_in_bots().get(name, Path(name))
    if not source.exists():
        known = ", ".join(built_in_bots())
        raise CommandFailed(
            f"There is no folder {name!r} and no built-in bot of that name ({known}).",
            try_next="pentathlon init GAME",
        )
    try:
        folder, repairs = folder_to_play(source)
    except BadArchive as error:
        raise CommandFailed(f"{name}: {error}", try_next="pentathlon init GAME") from error
    say_repairs(repairs)
    manifest = read_manifest(folder)
    _build(folder, manifest)
    command = bot_command(folder, manifest)
    return manifest, SeatBot(name=manifest.name, hash=content_hash(folder), command=command)


def find_player(name: str, *, game: Game) -> SeatBot:
    """Return the bot, or fail if it does not play this game."""
    manifest, bot = find_bot(name)
    if game.info.key not in manifest.games:
        raise CommandFailed(
            f"{manifest.name} plays {', '.join(manifest.games)}, not {game.info.key}.",
            try_next=f"pentathlon play {manifest.games[0]} {name} random",
        )
    return bot


def find_game(key: str) -> Game:
    """Return the game with this key."""
    if key not in GAMES:
        raise CommandFailed(
            f"There is {unknown_game(key)}.",
            try_next=f"pentathlon play {next(iter(GAMES))} greedy random",
        )
    return GAMES[key]


def common_game(new: Sequence[str], old: Sequence[str], game: str | None) -> str:
    """Return the key of the game in which two bots meet: the one that is named, or the only one.

    `new` and `old` are the games that they play.
    """
    common = [key for key in new if key in old]
    if game in common:
        return game
    if game is None and len(common) == 1:
        return common[0]
    if not common:
        raise CommandFailed("They have no game in common.", try_next="pentathlon compare --help")
    raise CommandFailed(
        f"Both play {', '.join(common)}: name one with --game.",
        try_next=f"the same command with --game {common[0]}",
    )


def find_launcher(*, sandbox: bool) -> Launcher:
    """Return the plain launcher, or the sandbox if a package with one is installed."""
    if not sandbox:
        return PlainLauncher()
    found = entry_points(group="pentathlon.launchers", name="sandbox")
    if not found:
        raise CommandFailed(
            "The sandbox is not installed here: it comes with the platform.",
            try_next="the same command without --sandbox",
            exit_code=HOST_OR_SERVER,
        )
    launcher: Launcher = next(iter(found)).load()()
    return launcher


def read_limits(text: str | None) -> Limits:
    """Return limits from JSON; missing ones take their defaults."""
    try:
        return Limits.from_json(read_object(text, option="--limits"))
    except ValueError as error:
        raise CommandFailed(f"--limits: {error}.", try_next="pentathlon play --help") from error


def read_object(text: str | None, *, option: str) -> dict[str, Any]:
    """Return the JSON object of an option."""
    try:
        value = strict_json.loads(text or "{}")
    except BadJson as error:
        raise _not_an_object(option, f": {error}") from error
    if not isinstance(value, dict):
        raise _not_an_object(option)
    return value


def _not_an_object(option: str, reason: str = "") -> CommandFailed:
    return CommandFailed(
        f"{option} must be a JSON object{reason}.", try_next="pentathlon play --help"
    )


def _build(folder: Path, manifest: Manifest) -> None:
    if not manifest.build:
        return
    try:
        subprocess.run(manifest.build, cwd=folder, check=True, stdin=subprocess.DEVNULL)
    except (OSError, subprocess.CalledProcessError) as error:
        reason = error.strerror if isinstance(error, OSError) else f"status {error.returncode}"
        raise CommandFailed(
            f"{manifest.name}: its build failed: {manifest.build[0]}: {reason}.",
            try_next=f"cd {folder} && {' '.join(manifest.build)}",
            exit_code=CHECK_FAILED,
        ) from error
