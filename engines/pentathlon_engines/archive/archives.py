"""Check an uploaded bot and put it into one normal form: at an author's desk, and on the server.

Nothing of an upload is kept but the names and contents of its files: what is stored is a new zip,
made here, and equal files make equal bytes.
"""

from __future__ import annotations

import io
import os
import stat
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from pentathlon_engines.archive.files import StoredFile, read_files
from pentathlon_engines.errors import BadArchive, BadManifest
from pentathlon_engines.manifest import FILE_NAME, Manifest, hash_files, parse_manifest

# 16 MiB of "a" and "b" in random order take 43 s at level 9, 1.4 s at the usual 6, 0.4 s at 3.
_LEVEL = 3


class DamagedArchive(Exception):
    """A stored archive whose files are not the ones that were uploaded."""

    code = "damaged_archive"

    def __init__(self, content_hash: str, found: str) -> None:
        super().__init__(f"The stored archive {content_hash} has the contents of {found}.")


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckedArchive:
    """An upload that is safe to keep and to unpack."""

    manifest: Manifest
    files: Mapping[str, StoredFile]
    content_hash: str
    normalised: bytes
    """The same files as a zip whose bytes depend only on those files."""
    unpacked_bytes: int


def read_archive(data: bytes) -> CheckedArchive:
    """Check an upload and return what it holds, or raise `BadArchive` with the reason."""
    files = _without_top_folder(read_files(data))
    manifest = _read_manifest(files)
    files = _with_program(files, manifest)
    return CheckedArchive(
        manifest=manifest,
        files=files,
        content_hash=_content_hash(files),
        normalised=_normalised(files),
        unpacked_bytes=sum(len(file.data) for file in files.values()),
    )


def read_built(data: bytes, manifest: Manifest) -> CheckedArchive:
    """Check what the build of an upload with this manifest left, by the rules for uploads."""
    built = read_archive(data)
    if built.manifest != manifest:
        raise BadArchive(
            f"build: it changed {FILE_NAME}. Leave that file alone.",
            code="manifest_changed",
            path=FILE_NAME,
        )
    start = manifest.main or _own_program(manifest)
    if start is not None and start not in built.files:
        raise BadArchive(
            f"build: it did not make {start!r}, the file that starts the bot.",
            code="nothing_built",
            path=FILE_NAME,
        )
    return built


def verify(data: bytes, content_hash: str) -> None:
    """Raise `DamagedArchive` unless a stored archive holds the files of this hash."""
    found = _content_hash(read_files(data))
    if found != content_hash:
        raise DamagedArchive(content_hash, found)


def unpack(data: bytes, folder: Path) -> None:
    """Write the files of a normalised archive into an empty folder."""
    with ZipFile(io.BytesIO(data)) as archive:
        for info in archive.infolist():
            path = folder / info.filename
            path.parent.mkdir(mode=0o755, parents=True, exist_ok=True)
            _write_new(path, archive.read(info), mode=info.external_attr >> 16 & 0o755)


def _write_new(path: Path, data: bytes, *, mode: int) -> None:
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW
    with os.fdopen(os.open(path, flags, mode), "wb") as file:
        os.fchmod(file.fileno(), mode)
        file.write(data)


def _without_top_folder(files: dict[str, StoredFile]) -> dict[str, StoredFile]:
    tops = {name.partition("/")[0] for name in files}
    if FILE_NAME in files or len(tops) != 1:
        return files
    cut = len(tops.pop()) + 1
    return {name[cut:]: file for name, file in files.items()}


def _read_manifest(files: Mapping[str, StoredFile]) -> Manifest:
    if FILE_NAME not in files:
        raise BadArchive(f"There is no {FILE_NAME} at the top of the archive.", code="no_manifest")
    try:
        manifest = parse_manifest(files[FILE_NAME].data, has_file=files.__contains__)
    except BadManifest as error:
        problem = str(error).removeprefix(f"{FILE_NAME}: ")
        raise BadArchive(f"{FILE_NAME}: {problem}", code=error.code, path=FILE_NAME) from error
    # A program that the build makes need not be there yet.
    if not manifest.build:
        _check_program(manifest, files)
    return manifest


def _check_program(manifest: Manifest, files: Mapping[str, StoredFile]) -> None:
    program = _own_program(manifest)
    if program is not None and program not in files:
        raise BadArchive(
            f"{FILE_NAME}: command: there is no file {program!r} in the archive.",
            code="bad_manifest",
            path=FILE_NAME,
        )


def _own_program(manifest: Manifest) -> str | None:
    """Return the file of the bot that its command starts, if it starts one of its own."""
    if not manifest.command or not manifest.command[0].startswith(("./", "{bot}/")):
        return None
    return manifest.command[0].partition("/")[2]


def _with_program(files: dict[str, StoredFile], manifest: Manifest) -> dict[str, StoredFile]:
    # Zips made on Windows lose the mark that a program may be executed.
    program = _own_program(manifest)
    if program is None or program not in files:
        return files
    return {**files, program: StoredFile(data=files[program].data, is_program=True)}


def _content_hash(files: Mapping[str, StoredFile]) -> str:
    return hash_files((name, file.is_program, file.data) for name, file in files.items())


def _normalised(files: Mapping[str, StoredFile]) -> bytes:
    target = io.BytesIO()
    with ZipFile(target, "w", ZIP_DEFLATED) as archive:
        for name, file in sorted(files.items()):
            info = ZipInfo(name)
            info.create_system = 3  # Unix, wherever this runs
            info.compress_type = ZIP_DEFLATED
            info.external_attr = (stat.S_IFREG | _mode(file)) << 16
            # `ZipFile` does not apply its own level to entries given as `ZipInfo`.
            archive.writestr(info, file.data, compresslevel=_LEVEL)
    return target.getvalue()


def _mode(file: StoredFile) -> int:
    return 0o755 if file.is_program else 0o644
