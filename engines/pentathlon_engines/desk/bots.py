"""Bots by the words that an author has for them: a folder, a zip, or a built-in name."""

import hashlib
import subprocess
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

from pentathlon_engines.archive.packing import content_hash, folder_to_play
from pentathlon_engines.errors import BuildFailed, UnknownBot
from pentathlon_engines.manifest import Manifest, bot_command, built_in_bots, read_manifest
from pentathlon_engines.record.record import canonical
from pentathlon_engines.record.shape import LONGEST_NAME
from pentathlon_engines.repairs import Repair
from pentathlon_engines.runner import SeatBot


class LoadedBot(NamedTuple):
    """A bot that is ready to play."""

    manifest: Manifest
    bot: SeatBot
    repairs: tuple[Repair, ...]
    """What was repaired in a copy of its files, as the site would do it."""


def load_bot(
    name: str | Path, parameters: Mapping[str, object] = MappingProxyType({})
) -> LoadedBot:
    """Return the bot with a built-in name, or in a folder or zip; run its build if it has one.

    With other parameters than its defaults it is another bot: name and hash say so.

    Raises:
        UnknownBot, BadArchive, BadManifest, BadParameter, BuildFailed: with what to do.
    """
    source = built_in_bots().get(str(name), Path(name))
    if not source.exists():
        raise UnknownBot(
            f"There is no folder {str(name)!r} and no built-in bot of that name "
            f"({', '.join(built_in_bots())})."
        )
    folder, repairs = folder_to_play(source)
    manifest = read_manifest(folder)
    command = bot_command(folder, manifest, parameters)
    _build(folder, manifest)
    bot = SeatBot(name=manifest.name, hash=content_hash(folder), command=command)
    defaults = {each.name: each.default for each in manifest.parameters}
    changed = {key: value for key, value in command.parameters.items() if value != defaults[key]}
    return LoadedBot(manifest, _changed(bot, changed) if changed else bot, repairs)


def _changed(bot: SeatBot, parameters: Mapping[str, object]) -> SeatBot:
    digest = hashlib.sha256(canonical([bot.hash, parameters])).hexdigest()
    listed = ", ".join(f"{name}={value}" for name, value in parameters.items())
    name = f"{bot.name} ({listed})"
    return SeatBot(
        name=name if len(name) <= LONGEST_NAME else f"{name[: LONGEST_NAME - 1]}…",
        hash=f"sha256:{digest}",
        command=bot.command,
    )


def _build(folder: Path, manifest: Manifest) -> None:
    if not manifest.build:
        return
    try:
        subprocess.run(manifest.build, cwd=folder, check=True, stdin=subprocess.DEVNULL)
    except (OSError, subprocess.CalledProcessError) as error:
        reason = error.strerror if isinstance(error, OSError) else f"status {error.returncode}"
        raise BuildFailed(
            f"{manifest.name}: its build failed: {manifest.build[0]}: {reason}.",
            again=f"cd {folder} && {' '.join(manifest.build)}",
        ) from error
