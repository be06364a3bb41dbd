"""Renames a bot in a folder."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Final

from pentathlon_engines.archive.packing import top_folder
from pentathlon_engines.cli.failure import CommandFailed
from pentathlon_engines.errors import BadManifest
from pentathlon_engines.manifest import FILE_NAME, manifest_path, parse_manifest, read_manifest
from pentathlon_engines.repairs import plain_manifest

_NAME_LINE: Final = re.compile(
    r"""^([ \t]*name[ \t]*=[ \t]*)("[^"\n]*"|'[^'\n]*')""", re.MULTILINE
)


def rename_bot(folder: Path, name: str) -> None:
    """Write a new name into the bot.toml of a folder, leaving the rest of the file unchanged."""
    if not folder.is_dir():
        raise CommandFailed(
            f"{folder} is not a folder, so its name cannot be changed here.",
            try_next=f"another name in the {FILE_NAME} of {folder}",
        )
    folder = top_folder(folder)
    before = read_manifest(folder)
    path = manifest_path(folder)
    old = plain_manifest(path.read_bytes())[0].decode()
    text = _NAME_LINE.sub(lambda found: f'{found[1]}"{name}"', old, count=1)
    try:
        after = parse_manifest(text.encode(), has_file=lambda file: (folder / file).is_file())
    except BadManifest as error:
        raise CommandFailed(str(error), try_next="pentathlon submit --help") from error
    if after != replace(before, name=name):
        raise CommandFailed(
            f"The line with the name was not found in {path}.",
            try_next=f'name = "{name}" in that file',
        )
    path.write_bytes(text.encode())
