"""Take the files out of an uploaded zip as if an attacker had made it.

Everything is checked in memory, cheapest first: the size, the number of entries, their names and
kinds, then the contents, counted while they are read.
"""

from __future__ import annotations

import io
import stat
import zlib
from dataclasses import dataclass
from struct import error as StructError  # noqa: N812  an exception, named as one
from typing import Final
from zipfile import ZIP_DEFLATED, ZIP_STORED, BadZipFile, ZipFile, ZipInfo

from pentathlon_engines.archive.names import check_names
from pentathlon_engines.errors import BadArchive, LargeArchive

LARGEST_ARCHIVE: Final = 16 * 1024 * 1024
"""The most bytes of an upload, and of all its files together."""
MOST_FILE_BYTES: Final = 8 * 1024 * 1024
MOST_FILES: Final = 200
MOST_RATIO: Final = 100
"""The most unpacked bytes for each byte of the upload."""

_ENTRY_SIGNATURE = b"PK\x01\x02"
# Archives inside the archive may add some, but the time to read the list stays bounded.
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
    """Whether the file may be executed."""


def read_files(data: bytes) -> dict[str, StoredFile]:
    """Return the files of a zip by name, or raise `BadArchive` with the reason."""
    if len(data) > LARGEST_ARCHIVE:
        raise LargeArchive(f"The archive is larger than {LARGEST_ARCHIVE:,} bytes.")
    if data.count(_ENTRY_SIGNATURE) > _MOST_SIGNATURES:
        raise _too_many_files()
    try:
        with ZipFile(io.BytesIO(data)) as archive:
            infos = archive.infolist()
            _check_entries(infos)
            budget = min(LARGEST_ARCHIVE, MOST_RATIO * len(data))
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
    if sum(info.file_size for info in infos) > LARGEST_ARCHIVE:
        raise LargeArchive(f"The files have more than {LARGEST_ARCHIVE:,} bytes together.")


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


def _too_many_files() -> LargeArchive:
    return LargeArchive(f"The archive has more than {MOST_FILES} entries.", code="too_many_files")
