"""Read an uploaded zip as if an attacker had made it; knows no database.

Everything is checked in memory, cheapest first, before anything is kept: the size, the number of
entries, their names and kinds, then the contents, counted while they are read. What comes out is
a new zip, made here, that holds regular files only.
"""

import hashlib
import io
import os
import stat
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from struct import error as StructError  # noqa: N812  an exception, named as one
from typing import Final
from zipfile import ZIP_DEFLATED, ZIP_STORED, BadZipFile, ZipFile, ZipInfo

from pentathlon.bots.archive_names import check_names
from pentathlon.bots.bad_archive import BadArchive, LargeArchive
from pentathlon_engines.errors import BadManifest
from pentathlon_engines.manifest import FILE_NAME, Manifest, parse_manifest

MOST_BYTES: Final = 16 * 1024 * 1024
"""Of the upload, and of all its files together."""
MOST_FILE_BYTES: Final = 8 * 1024 * 1024
MOST_FILES: Final = 200
MOST_RATIO: Final = 100
"""Bytes unpacked for each byte of the upload."""

_ENTRY_SIGNATURE = b"PK\x01\x02"
# Archives inside the archive may hold some, but the time to read the list stays bounded.
_MOST_SIGNATURES = 10 * MOST_FILES
_CHUNK = 64 * 1024
_ENCRYPTED = 0x1 | 0x40 | 0x2000
_UNREADABLE = (
    BadZipFile,
    EOFError,
    NotImplementedError,
    OSError,
    OverflowError,
    RuntimeError,
    StructError,
    ValueError,
    zlib.error,
)
_JUNK = ("__MACOSX/", ".DS_Store")


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredFile:
    """One file of a bot."""

    data: bytes
    is_program: bool
    """Whether it may be executed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckedArchive:
    """An upload that is safe to keep and to unpack."""

    manifest: Manifest
    files: Mapping[str, StoredFile]
    content_hash: str
    normalised: bytes
    """The same files as a zip whose bytes depend on nothing else."""
    unpacked_bytes: int

    def manifest_json(self) -> dict[str, str | list[str]]:
        """Return the fields that bot.toml set, as JSON."""
        manifest = self.manifest
        started_by: dict[str, str | list[str]] = (
            {"main": manifest.main} if manifest.main else {"command": list(manifest.command)}
        )
        return {
            "name": manifest.name,
            "games": list(manifest.games),
            "language": manifest.language,
            **started_by,
        }


def read_archive(data: bytes) -> CheckedArchive:
    """Check an upload and return what it holds, or raise `BadArchive` with the reason."""
    if len(data) > MOST_BYTES:
        raise LargeArchive(f"The archive is larger than {MOST_BYTES:,} bytes.")
    files = _without_top_folder(_read_files(data))
    manifest = _read_manifest(files)
    files = _with_program(files, manifest)
    return CheckedArchive(
        manifest=manifest,
        files=files,
        content_hash=_content_hash(files),
        normalised=_normalised(files),
        unpacked_bytes=sum(len(file.data) for file in files.values()),
    )


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


def _read_files(data: bytes) -> dict[str, StoredFile]:
    if data.count(_ENTRY_SIGNATURE) > _MOST_SIGNATURES:
        raise _too_many_files()
    try:
        with ZipFile(io.BytesIO(data)) as archive:
            infos = archive.infolist()
            _check_entries(infos)
            budget = min(MOST_BYTES, MOST_RATIO * len(data))
            return _read_counted(archive, infos, budget)
    except _UNREADABLE as error:
        raise BadArchive(
            "The file is not a zip archive that can be read. Pack the bot's folder again.",
            code="not_a_zip",
        ) from error


def _check_entries(infos: list[ZipInfo]) -> None:
    if len(infos) > MOST_FILES:
        raise _too_many_files()
    for info in infos:
        _check_entry(info)
    check_names([info.orig_filename for info in infos])
    if sum(info.file_size for info in infos) > MOST_BYTES:
        raise LargeArchive(f"The files have more than {MOST_BYTES:,} bytes together.")


def _check_entry(info: ZipInfo) -> None:
    name = info.orig_filename
    mode = info.external_attr >> 16
    if stat.S_ISLNK(mode):
        raise BadArchive(
            f"{name!r} is a link. Pack the file itself.", code="link_in_archive", path=name
        )
    if stat.S_IFMT(mode) not in (0, stat.S_IFREG, stat.S_IFDIR) or mode & 0o6000:
        raise BadArchive(
            f"{name!r} is neither a plain file nor a folder.", code="special_file", path=name
        )
    if info.flag_bits & _ENCRYPTED:
        raise BadArchive(f"{name!r} is encrypted.", code="encrypted", path=name)
    if info.compress_type not in (ZIP_STORED, ZIP_DEFLATED):
        raise BadArchive(
            f"{name!r} is compressed in an unusual way. Use deflate, the default.",
            code="unknown_compression",
            path=name,
        )


def _read_counted(archive: ZipFile, infos: list[ZipInfo], budget: int) -> dict[str, StoredFile]:
    files: dict[str, StoredFile] = {}
    for info in infos:
        if info.is_dir() or _is_junk(info.filename):
            continue
        data = _read_at_most(archive, info, budget)
        budget -= len(data)
        files[info.filename] = StoredFile(
            data=data, is_program=bool(info.external_attr >> 16 & stat.S_IXUSR)
        )
    return files


def _read_at_most(archive: ZipFile, info: ZipInfo, budget: int) -> bytes:
    data = bytearray()
    with archive.open(info) as file:
        while chunk := file.read(_CHUNK):
            data += chunk
            if len(data) > MOST_FILE_BYTES:
                raise LargeArchive(
                    f"{info.filename!r} has more than {MOST_FILE_BYTES:,} bytes.",
                    path=info.filename,
                )
            if len(data) > budget:
                raise BadArchive(
                    f"The files are more than {MOST_RATIO} times as large as the archive.",
                    code="bomb",
                    path=info.filename,
                )
    return bytes(data)


def _is_junk(name: str) -> bool:
    return name.startswith(_JUNK[0]) or name.rpartition("/")[2] == _JUNK[1]


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
        raise BadArchive(f"{FILE_NAME}: {error}", code=error.code, path=FILE_NAME) from error
    if manifest.build:
        raise BadArchive(
            f"{FILE_NAME}: build: nothing is built here. Build the bot on a machine with the "
            "same processor and upload the program without a build entry.",
            code="build_not_supported",
            path=FILE_NAME,
        )
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
    if program is None:
        return files
    return {**files, program: StoredFile(data=files[program].data, is_program=True)}


def _content_hash(files: Mapping[str, StoredFile]) -> str:
    total = hashlib.sha256()
    for name, file in sorted(files.items()):
        total.update(f"{name}\0{_mode(file):o}\0{len(file.data)}\0".encode())
        total.update(file.data)
    return f"sha256:{total.hexdigest()}"


def _normalised(files: Mapping[str, StoredFile]) -> bytes:
    target = io.BytesIO()
    with ZipFile(target, "w", ZIP_DEFLATED, compresslevel=9) as archive:
        for name, file in sorted(files.items()):
            info = ZipInfo(name)
            info.create_system = 3  # Unix, wherever this runs
            info.compress_type = ZIP_DEFLATED
            info.external_attr = (stat.S_IFREG | _mode(file)) << 16
            archive.writestr(info, file.data)
    return target.getvalue()


def _mode(file: StoredFile) -> int:
    return 0o755 if file.is_program else 0o644


def _too_many_files() -> LargeArchive:
    return LargeArchive(f"The archive has more than {MOST_FILES} entries.", code="too_many_files")
