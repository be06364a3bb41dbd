"""Pack the folder of a bot for an upload, and give it to the desk as the site would keep it."""

import io
import stat
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Final
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from pentathlon_engines.archive import archives
from pentathlon_engines.archive.files import StoredFile, Tree, plain_tree
from pentathlon_engines.archive.layout import arrange
from pentathlon_engines.errors import BadArchive
from pentathlon_engines.manifest import FILE_NAME, manifest_path, parse_manifest
from pentathlon_engines.repairs import Repair

_NOT_UPLOADED: Final = frozenset({"__pycache__", "node_modules", "target"})
_LEAVES_FILES_ALONE: Final = frozenset({"junk", "top_folder", "beside"})
"""The repairs after which the files in the folder are still those that are played."""
_copies: Final[list[tempfile.TemporaryDirectory[str]]] = []
"""Repaired copies, removed when this process ends."""


def pack_bot(folder: Path) -> archives.CheckedArchive:
    """Return the files of a bot as the server would check and keep them.

    Raises:
        BadArchive: the server would refuse these files, with the same message.
    """
    packed = io.BytesIO()
    with ZipFile(packed, "w", ZIP_DEFLATED) as archive:
        for name, path in _entries(folder):
            if not path.resolve().is_relative_to(folder.resolve()):
                raise BadArchive(
                    f"{name!r} is a link to something outside the folder. Put the file itself "
                    "there.",
                    code="link_in_archive",
                    path=name,
                )
            # Equal files make an equal archive, whenever they were written.
            info = ZipInfo(name)
            info.compress_type = ZIP_DEFLATED
            info.create_system = 3
            info.external_attr = path.stat().st_mode << 16
            archive.writestr(info, b"" if info.is_dir() else path.read_bytes())
    return archives.read_archive(packed.getvalue())


def content_hash(folder: Path) -> str:
    """Return the content hash of a bot's folder, as an upload would have it.

    Unlike an upload, the folder may be as large as it likes.
    """
    tree = _read_folder(folder)
    # What a build makes may be among the files that are left out.
    manifest = parse_manifest(tree.files[FILE_NAME].data, has_file=lambda _: True)
    marked, _ = archives.without_model(archives.with_program(tree, manifest), manifest)
    return archives.tree_hash(marked)


def folder_to_play(source: Path) -> tuple[Path, tuple[Repair, ...]]:
    """Return the folder from which the desk plays a bot, and what was repaired in it.

    It is the bot's own folder unless the site would change names or contents of its files: then
    it is a copy with these changes, which is removed when this process ends. The source may be a
    zip.

    Raises:
        BadArchive: the server would refuse a folder that needs such changes, or the zip.
    """
    if source.is_file():
        return _unpacked(archives.read_archive(source.read_bytes()))
    repairs = _read_folder(source).repairs
    if any(repair.code not in _LEAVES_FILES_ALONE for repair in repairs):
        return _unpacked(pack_bot(source))
    return top_folder(source), repairs


def top_folder(source: Path) -> Path:
    """Return the folder of the outermost bot.toml in a folder; the folder itself without one."""
    if manifest_path(source).is_file():
        return source
    inner = [path for _, path in _entries(source) if path.name.casefold() == FILE_NAME]
    return min((path.parent for path in inner), key=lambda path: len(path.parts), default=source)


def _unpacked(archive: archives.CheckedArchive) -> tuple[Path, tuple[Repair, ...]]:
    _copies.append(tempfile.TemporaryDirectory(prefix="pentathlon-bot-"))
    folder = Path(_copies[-1].name) / "bot"
    folder.mkdir()
    archives.unpack(archive.whole(), folder)
    return folder, archive.repairs


def _read_folder(folder: Path) -> Tree:
    entries = _entries(folder)
    paths = [path for _, path in entries]
    layout = arrange([name for name, _ in entries], read=lambda number: paths[number].read_bytes())
    tree = plain_tree((name, _stored(paths[number])) for name, number in layout.files)
    return Tree(
        files=tree.files,
        empty_folders=tuple(layout.empty_folders),
        repairs=(*layout.repairs, *tree.repairs),
    )


def _stored(path: Path) -> StoredFile:
    is_program = bool(path.stat().st_mode & stat.S_IXUSR)
    return StoredFile(data=path.read_bytes(), is_program=is_program)


def _entries(folder: Path) -> Sequence[tuple[str, Path]]:
    """Return the names in a bot's folder that an upload includes, in order; folders with a slash.

    Names that begin with a dot, compiled Python and what tools fetched or built are left out.
    """
    entries = []
    for path in sorted(folder.rglob("*")):
        parts = path.relative_to(folder).parts
        if any(part.startswith(".") or part in _NOT_UPLOADED for part in parts):
            continue
        if path.is_file():
            entries.append(("/".join(parts), path))
        elif path.is_dir() and not path.is_symlink():
            entries.append(("/".join(parts) + "/", path))
    return entries
