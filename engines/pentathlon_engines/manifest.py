"""The manifest of a bot: `bot.toml` in its folder.

```toml
name = "tuned-tiger"
games = ["tuned"]
language = "python"       # with main = "main.py"; also "python-numpy", "node", "java", "perl"
# or: command = ["./bot"], with an optional build = ["cc", "-O2", "-o", "bot", "bot.c"]
# model = "policy.onnx"   # a file of weights, which may be larger than others; or .safetensors
# processes = 4           # if the bot starts other processes
# ladder = false          # keeps it out of ladders; "paused" pauses it there, true joins again
# [parameters]            # typed values that its author may set otherwise: see `bot_parameters`
```
"""

from __future__ import annotations

import hashlib
import re
import tomllib
import unicodedata
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from types import MappingProxyType
from typing import Any, Final, Literal

from pentathlon_engines import GAMES
from pentathlon_engines.bot_parameters import BotParameter, read_parameters, values_of
from pentathlon_engines.contract.registry import unknown_game
from pentathlon_engines.errors import BadManifest
from pentathlon_engines.languages import LANGUAGES
from pentathlon_engines.match.launcher import BotCommand
from pentathlon_engines.repairs import plain_manifest

FILE_NAME: Final = "bot.toml"
LARGEST_BYTES: Final = 4096
"""The largest bot.toml: the time to parse one grows with the square of its size."""
ANY_GAME: Final = "*"
"""Stands for all games, for bots that know only the contract of a game."""
COMMAND: Final = "command"
"""The `language` of a bot whose manifest names a program to start."""
PAUSED: Final = "paused"
"""The value of `ladder` for a bot that keeps its places on ladders, without new matches."""
MODEL_ENDS: Final = (".onnx", ".safetensors")
"""The ends of a model's name."""
MOST_PROCESSES: Final = 16
LONGEST_NAME: Final = 64
BUILT_IN: Final = Path(__file__).parent / "bots"

_LONGEST_SHOWN: Final = 60
_NAME = re.compile(r"[A-Za-z0-9](?:(?!  )[A-Za-z0-9 ._-]){0,62}[A-Za-z0-9]|[A-Za-z0-9]")
_MINE: Final = "my-"

LadderWord = bool | Literal["paused"]
"""What `ladder` may be in a `bot.toml`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Manifest:
    """The content of a `bot.toml`."""

    name: str
    games: tuple[str, ...]
    language: str
    main: str | None
    """The file to start; None if `language` is "command"."""
    command: tuple[str, ...]
    """The program to start and its arguments if `language` is "command"; else empty."""
    build: tuple[str, ...]
    """The command that builds the bot from its sources; empty if there is none."""
    model: str | None = None
    """The file with the bot's weights, if it names one."""
    processes: int = 1
    """How many processes the bot may have at a time, the first one included."""
    ladder: LadderWord | None = None
    """True: it joins the ladders of its games as soon as it may play, or plays on there. False: it
    leaves them. "paused": it keeps its places without new matches. None: the earlier choice holds,
    and a new bot joins."""

    parameters: tuple[BotParameter, ...] = ()
    """The values that the author may set otherwise at the desk."""

    @property
    def plays_on_ladders(self) -> bool:
        """Whether the manifest lets the bot play on ladders."""
        return self.ladder in {None, True}

    def to_json(self) -> dict[str, Any]:  # Any: JSON
        """Return the fields that bot.toml set, as a JSON object."""
        fields: dict[str, Any] = {
            "name": self.name,
            "games": list(self.games),
            "language": self.language,
        }
        if self.main:
            fields["main"] = self.main
        else:
            fields["command"] = list(self.command)
        if self.build:
            fields["build"] = list(self.build)
        if self.model:
            fields["model"] = self.model
        if self.processes > 1:
            fields["processes"] = self.processes
        if self.ladder is not None:
            fields["ladder"] = self.ladder
        if self.parameters:
            fields["parameters"] = {each.name: each.to_json() for each in self.parameters}
        return fields

    @classmethod
    def from_json(cls, fields: Mapping[str, Any]) -> Manifest:  # Any: JSON that `to_json` wrote
        """Return the manifest that `to_json` wrote; nothing is checked again."""
        return cls(
            name=fields["name"],
            games=tuple(fields["games"]),
            language=fields["language"],
            main=fields.get("main"),
            command=tuple(fields.get("command", ())),
            build=tuple(fields.get("build", ())),
            model=fields.get("model"),
            processes=fields.get("processes", 1),
            ladder=fields.get("ladder"),
            parameters=read_parameters(fields.get("parameters")),
        )


def read_manifest(folder: Path) -> Manifest:
    """Read and check the manifest of the bot in this folder.

    Raises:
        BadManifest: with the field and what to write.
    """
    try:
        with manifest_path(folder).open("rb") as file:
            data = file.read(LARGEST_BYTES + 1)
    except OSError as error:
        raise BadManifest(
            f"{FILE_NAME}: cannot be read; write a {FILE_NAME} into the folder {folder.resolve()}"
        ) from error
    return parse_manifest(data, has_file=lambda name: (folder / name).is_file())


def manifest_path(folder: Path) -> Path:
    """Return the bot.toml of this folder as its author has spelled it, or as it should be."""
    path = folder / FILE_NAME
    if path.is_file() or not folder.is_dir():
        return path
    spelled = (each for each in sorted(folder.iterdir()) if each.name.casefold() == FILE_NAME)
    return next(spelled, path)


def parse_manifest(data: bytes, *, has_file: Callable[[str], bool]) -> Manifest:
    """Check a manifest without its folder; `has_file` tells whether the bot has a file.

    Raises:
        BadManifest: with the field and what to write.
    """
    table = _parse_table(data)
    unknown = sorted(set(table) - set(_FIELDS))
    if unknown:
        field = _shown(unknown[0])
        if not field.isprintable():
            field = repr(field)
        raise BadManifest(f"{field}: no such field; known are {', '.join(_FIELDS)}")
    values = {field: read(table.get(field)) for field, read in _FIELDS.items()}
    return _make_manifest(values, has_file)


def is_placeholder(name: str) -> bool:
    """Return whether a bot has a name such as my-bot, which says nothing among other people's."""
    return name.lower().startswith(_MINE)


def personal_name(username: str, name: str) -> str:
    """Return a name that other authors are unlikely to choose: ada-bot for my-bot of ada."""
    if name.lower().startswith(f"{username.lower()}-"):
        return name
    rest = name[len(_MINE) :] if is_placeholder(name) else name
    return f"{username}-{rest}"[:LONGEST_NAME].rstrip(" ._-")


def bot_command(
    folder: Path, manifest: Manifest, given: Mapping[str, object] = MappingProxyType({})
) -> BotCommand:
    """Return the command that starts the bot in this folder, with these parameters.

    Raises:
        BadParameter: the bot does not have them.
    """
    folder = folder.resolve()
    argv = list(manifest.command)
    if manifest.main is not None:
        argv = LANGUAGES[manifest.language].command(manifest.main)
    return BotCommand(
        folder=folder,
        argv=argv,
        language=manifest.language,
        processes=manifest.processes,
        parameters=values_of(manifest.parameters, given),
    )


def built_in_bots() -> dict[str, Path]:
    """Return the folders of the bots in this package, by name."""
    return {path.parent.name: path.parent for path in sorted(BUILT_IN.glob(f"*/{FILE_NAME}"))}


def hash_files(files: Iterable[tuple[str, bool, bytes]]) -> str:
    """Return the content hash of files, each given as name, whether it is a program, and data."""
    total = hashlib.sha256()
    for name, is_program, data in sorted(files):
        mode = 0o755 if is_program else 0o644
        total.update(f"{name}\0{mode:o}\0{len(data)}\0".encode())
        total.update(data)
    return f"sha256:{total.hexdigest()}"


def _parse_table(data: bytes) -> dict[str, object]:
    if len(data) > LARGEST_BYTES:
        raise BadManifest(
            f"{FILE_NAME}: larger than {LARGEST_BYTES} bytes; keep only the known fields"
        )
    try:
        text = plain_manifest(data)[0].decode()
        # Names of files are compared as they look, and files are kept in this form.
        return tomllib.loads(unicodedata.normalize("NFC", text))
    except UnicodeDecodeError as error:
        raise BadManifest(f"{FILE_NAME}: not UTF-8; save it as UTF-8") from error
    # A number with more digits than Python reads raises a bare ValueError.
    except (ValueError, RecursionError) as error:
        raise BadManifest(
            f"{FILE_NAME}: not TOML ({error}); see the example in PROTOCOL.md"
        ) from error


def _shown(value: object) -> str:
    """Return how an error quotes a value: a text, cut short, or the type of another value.

    A number may have more digits than Python writes.
    """
    if type(value) is not str:
        return type(value).__name__
    return value if len(value) <= _LONGEST_SHOWN else f"{value[:_LONGEST_SHOWN]}…"


def _name(value: object) -> str:
    if type(value) is not str or not _NAME.fullmatch(value):
        raise BadManifest(
            'name: write a text of 1 to 64 letters, digits, single spaces or "._-", which begins '
            'and ends with a letter or digit, such as "tuned-tiger"'
        )
    return value


def _games(value: object) -> tuple[str, ...]:
    keys = _texts(value, field="games", example='["tuned"]')
    if not keys:
        raise BadManifest('games: write at least one game, such as ["tuned"]')
    if keys == (ANY_GAME,):
        return tuple(GAMES)
    for key in keys:
        if key not in GAMES:
            raise BadManifest(f"games: {unknown_game(_shown(key))}", code="unknown_game")
    if len(set(keys)) != len(keys):
        raise BadManifest("games: write each game once")
    return keys


def _language(value: object) -> str | None:
    if value is None or (type(value) is str and value in (*LANGUAGES, COMMAND)):
        return value
    known = ", ".join(f'"{key}"' for key in LANGUAGES)
    raise BadManifest(
        f"language: write one of {known}, or leave it out and write command;"
        f" not {_shown(value)!r}",
        code="unknown_language",
    )


def _main(value: object) -> str | None:
    if value is None:
        return None
    if type(value) is not str or not value or not _is_inside(value):
        raise BadManifest('main: write the path of a file in the folder, such as "main.py"')
    return value


def _command(value: object) -> tuple[str, ...]:
    return _texts(value, field="command", example='["./bot"]')


def _build(value: object) -> tuple[str, ...]:
    return _texts(value, field="build", example='["cc", "-O2", "-o", "bot", "bot.c"]')


def _model(value: object) -> str | None:
    if value is None:
        return None
    if type(value) is not str or not _is_inside(value) or not value.endswith(MODEL_ENDS):
        ends = " or ".join(MODEL_ENDS)
        raise BadManifest(
            f"model: write the path of a file in the folder that ends with {ends}, such as "
            '"policy.onnx", or leave it out'
        )
    return str(PurePosixPath(value))


def _processes(value: object) -> int:
    if value is None:
        return 1
    if type(value) is not int or not 1 <= value <= MOST_PROCESSES:
        raise BadManifest(
            f"processes: write a whole number from 1 to {MOST_PROCESSES}, or leave it out"
        )
    return value


def _ladder(value: object) -> LadderWord | None:
    if value is None or type(value) is bool or value == PAUSED:
        return value
    raise BadManifest(
        'ladder: write true (joins), false (leaves) or "paused", or leave it out: then what was '
        "chosen before holds, and a new bot joins"
    )


_FIELDS: Final[dict[str, Callable[[object], object]]] = {
    "name": _name,
    "games": _games,
    "language": _language,
    "main": _main,
    "command": _command,
    "build": _build,
    "model": _model,
    "processes": _processes,
    "ladder": _ladder,
    "parameters": read_parameters,
}


def _texts(value: object, *, field: str, example: str) -> tuple[str, ...]:
    if value is None:
        return ()
    if type(value) is not list or not all(
        type(item) is str and item and "\0" not in item for item in value
    ):
        raise BadManifest(f"{field}: write a list of texts, such as {example}")
    return tuple(value)


def _is_inside(path: str) -> bool:
    parts = PurePosixPath(path)
    return not parts.is_absolute() and ".." not in parts.parts and "\0" not in path


def _make_manifest(values: dict[str, object], has_file: Callable[[str], bool]) -> Manifest:
    model = values["model"]
    if model and not has_file(str(model)):
        raise BadManifest(f"model: there is no file {_shown(model)!r} in the folder")
    if values["command"]:
        return _program(values)
    if values["language"] == COMMAND:
        raise BadManifest('command: write the program to start, such as ["./bot"]')
    return _script(values, has_file)


def _program(values: dict[str, object]) -> Manifest:
    if values["language"] not in (None, COMMAND) or values["main"] is not None:
        raise BadManifest(
            'command: write either command, or language = "python" with main; not both'
        )
    return Manifest(**{**values, "language": COMMAND})  # type: ignore[arg-type]  # checked by field


def _script(values: dict[str, object], has_file: Callable[[str], bool]) -> Manifest:
    if values["language"] is None:
        raise BadManifest(
            'language: write language = "python" with main = "main.py", or a command'
        )
    language = LANGUAGES[str(values["language"])]
    if values["build"] and not language.is_built:
        raise BadManifest("build: a Python bot is not built; leave it out, or write a command")
    main = values["main"] or language.main
    if not values["build"] and not has_file(str(PurePosixPath(str(main)))):
        raise BadManifest(f"main: there is no file {_shown(main)!r} in the folder")
    return Manifest(**{**values, "main": main})  # type: ignore[arg-type]  # checked by field
