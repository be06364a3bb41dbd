"""Turn arguments of the command line into bots, games, launchers and limits."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

from pentathlon_engines import GAMES, strict_json
from pentathlon_engines.bot_parameters import read_value
from pentathlon_engines.cli.failure import CHECK_FAILED, HOST_OR_SERVER, CommandFailed
from pentathlon_engines.cli.output.streams import say_repairs
from pentathlon_engines.contract.game import Game
from pentathlon_engines.contract.registry import unknown_game
from pentathlon_engines.desk.bots import load_bot
from pentathlon_engines.errors import BadArchive, BadJson, BuildFailed, UnknownBot
from pentathlon_engines.manifest import Manifest
from pentathlon_engines.match.launcher import Launcher
from pentathlon_engines.match.limits import Limits
from pentathlon_engines.match.plain_launcher import PlainLauncher
from pentathlon_engines.runner import SeatBot

NONE: Final[Mapping[str, object]] = MappingProxyType({})


def find_bot(name: str, parameters: Mapping[str, object] = NONE) -> tuple[Manifest, SeatBot]:
    """Return the bot with a built-in name, or in a folder or a zip; run its build if it has one.

    What the site would repair in its files is repaired in a copy of them.
    """
    try:
        manifest, bot, repairs = load_bot(name, parameters)
    except UnknownBot as error:
        raise CommandFailed(str(error), try_next="pentathlon init GAME") from error
    except BadArchive as error:
        raise CommandFailed(f"{name}: {error}", try_next="pentathlon init GAME") from error
    except BuildFailed as error:
        raise CommandFailed(str(error), try_next=error.again, exit_code=CHECK_FAILED) from error
    say_repairs(repairs)
    return manifest, bot


def find_player(name: str, *, game: Game, parameters: Mapping[str, object] = NONE) -> SeatBot:
    """Return the bot, or fail if it does not play this game."""
    manifest, bot = find_bot(name, parameters)
    if game.info.key not in manifest.games:
        raise CommandFailed(
            f"{manifest.name} plays {', '.join(manifest.games)}, not {game.info.key}.",
            try_next=f"pentathlon play {manifest.games[0]} {name} random",
        )
    return bot


def read_parameters(texts: Sequence[str], bots: Sequence[str]) -> list[dict[str, object]]:
    """Return the parameters of each bot from texts such as `a.depth=3` or `0.depth=3`."""
    found: list[dict[str, object]] = [{} for _ in bots]
    for text in texts:
        whose, equals, value = text.partition("=")
        bot, dot, name = whose.rpartition(".")
        seats = [seat for seat, word in enumerate(bots) if bot in (str(seat), *_names(word))]
        if not (equals and dot and name and seats):
            raise CommandFailed(
                f"--set {text}: write BOT.NAME=VALUE with a bot of this match or its seat.",
                try_next=f"the same command with --set 0.{name or 'NAME'}={value or 'VALUE'}",
            )
        for seat in seats:
            found[seat][name] = read_value(value)
    return found


def _names(word: str) -> tuple[str, ...]:
    return word, Path(word).resolve().name


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
    from importlib.metadata import entry_points  # noqa: PLC0415  # a fifth of the start of `play`

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
