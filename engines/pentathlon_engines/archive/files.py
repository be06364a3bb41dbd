"""Take the files out of an uploaded zip as if an attacker had made it.

Everything is checked in memory, cheapest first: the size, the number of entries, their names and
kinds, then the contents, counted while they are read. Bounds are absolute: how well a file packs
says nothing about it.
"""

import io
import stat
import zlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from struct import error as StructError  # noqa: N812  an exception, named as one
from typing import Final
from zipfile import ZIP_DEFLATED, ZIP_STORED, BadZipFile, ZipFile, ZipInfo

from pentathlon_engines.archive.layout import Layout, arrange
from pentathlon_engines.archive.names import CODE_PAGE, UNMARKED, check_names, entry_name
from pentathlon_engines.errors import BadArchive, LargeArchive
from pentathlon_engines.manifest import FILE_NAME, MODEL_ENDS
from pentathlon_engines.repairs import Repair, plain_manifest, plain_script, several

LARGEST_ARCHIVE: Final = 16 * 1024 * 1024
"""The most bytes of all files of an upload but its model, packed and unpacked."""
LARGEST_MODEL: Final = 32 * 1024 * 1024
"""The most bytes of the model that `bot.toml` names."""
LARGEST_UPLOAD: Final = LARGEST_ARCHIVE + LARGEST_MODEL
MOST_FILE_BYTES: Final = 8 * 1024 * 1024
MOST_FILES: Final = 200

_ENTRY_SIGNATURE = b"PK\x01\x02"
# Archives inside the archive and what desktops add may be more, but the time to read the list
# stays bounded.
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
_READ_AS: Final = {
    UNMARKED: "Read names as UTF-8 although the archive does not say so: {}.",
    CODE_PAGE: "Read names by code page 437, because they are not UTF-8: {}. If they are wrong, "
    "let `pentathlon submit` pack the folder.",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredFile:
    """One file of a bot."""

    data: bytes
    is_program: bool
    """Whether the file may be executed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tree:
    """The files of a bot, and what was repaired to get them."""

    files: dict[str, StoredFile]
    empty_folders: tuple[str, ...]
    """Each with a slash at its end."""
    repairs: tuple[Repair, ...] = ()


def read_tree(data: bytes) -> Tree:
    """Return what the zip of a bot's folder holds, or raise `BadArchive` with the reason."""
    with _opened(data) as archive:
        named = [entry_name(info) for info in archive.infolist()]
        layout = arrange([name for name, _ in named], read=archive.read_number)
        _check(archive, layout)
        read_as = [
            Repair(code, sentence.format(several(found)))
            for code, sentence in _READ_AS.items()
            if (found := [name for name, number in layout.files if named[number][1] == code])
        ]
        tree = plain_tree((name, archive.stored(number)) for name, number in layout.files)
    return Tree(
        files=tree.files,
        empty_folders=tuple(layout.empty_folders),
        repairs=(*read_as, *layout.repairs, *tree.repairs),
    )


def read_stored(data: bytes) -> Tree:
    """Return the files of a normalised archive exactly as they are, names checked."""
    with _opened(data) as archive:
        names = [entry_name(info)[0] for info in archive.infolist()]
        pairs = list(zip(names, range(len(names)), strict=True))
        files = [pair for pair in pairs if not pair[0].endswith("/")]
        folders = [name for name in names if name.endswith("/")]
        _check(archive, Layout(files=files, empty_folders=folders, repairs=[]))
        return Tree(
            files={name: archive.stored(number) for name, number in files},
            empty_folders=tuple(folders),
        )


def check_sizes(tree: Tree) -> None:
    """Raise `LargeArchive` for files that are too large where they are no model."""
    for name, file in tree.files.items():
        if len(file.data) > MOST_FILE_BYTES:
            raise _too_large(name)
    if sum(len(file.data) for file in tree.files.values()) > LARGEST_ARCHIVE:
        raise _too_many_bytes()


def plain_tree(files: Iterable[tuple[str, StoredFile]]) -> Tree:
    """Return these files with the marks and line ends that systems here can read."""
    repairs, plain = [], {}
    for name, file in files:
        if name == FILE_NAME:
            data, repair = plain_manifest(file.data)
        else:
            data, repair = plain_script(name, file.data)
        plain[name] = StoredFile(data=data, is_program=file.is_program)
        repairs += [repair] if repair else []
    return Tree(files=plain, empty_folders=(), repairs=tuple(repairs))


class _Archive:
    """An open zip, whose contents are counted while they are read."""

    def __init__(self, archive: ZipFile) -> None:
        self._archive = archive
        self._infos = archive.infolist()
        self._budgets = {False: LARGEST_ARCHIVE, True: LARGEST_MODEL}
        """The bytes that are left, of files that could be a model and of others."""

    def infolist(self) -> Sequence[ZipInfo]:
        """Return the entries."""
        return self._infos

    def read_number(self, number: int) -> bytes:
        """Return the content of an entry."""
        info = self._infos[number]
        _check_entry(info)
        return self._read_at_most(info)

    def stored(self, number: int) -> StoredFile:
        """Return an entry as a file, and count it."""
        info = self._infos[number]
        data = self._read_at_most(info)
        self._budgets[_may_be_model(info)] -= len(data)
        is_program = bool(info.external_attr >> 16 & stat.S_IXUSR)
        return StoredFile(data=data, is_program=is_program)

    def _read_at_most(self, info: ZipInfo) -> bytes:
        data = bytearray()
        may_be_model = _may_be_model(info)
        with self._archive.open(info) as file:
            while chunk := file.read(_CHUNK):
                data += chunk
                if len(data) > (LARGEST_MODEL if may_be_model else MOST_FILE_BYTES):
                    raise _too_large(entry_name(info)[0])
                if len(data) > self._budgets[may_be_model]:
                    raise _too_many_bytes()
        return bytes(data)


@contextmanager
def _opened(data: bytes) -> Iterator[_Archive]:
    if len(data) > LARGEST_UPLOAD:
        raise LargeArchive(f"The archive is larger than {LARGEST_UPLOAD:,} bytes.")
    if data.count(_ENTRY_SIGNATURE) > _MOST_SIGNATURES:
        raise _too_many_files()
    try:
        with ZipFile(io.BytesIO(data)) as archive:
            yield _Archive(archive)
    except _UNREADABLE as error:
        raise BadArchive(
            "The file is not a zip archive that can be read. Pack the bot's folder again.",
            code="not_a_zip",
        ) from error


def _check(archive: _Archive, layout: Layout) -> None:
    if len(layout.files) + len(layout.empty_folders) > MOST_FILES:
        raise _too_many_files()
    infos = [archive.infolist()[number] for _, number in layout.files]
    for info in infos:
        _check_entry(info)
    check_names([*(name for name, _ in layout.files), *layout.empty_folders])
    if sum(info.file_size for info in infos if not _may_be_model(info)) > LARGEST_ARCHIVE:
        raise _too_many_bytes()


def _check_entry(info: ZipInfo) -> None:
    name = entry_name(info)[0]
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


def _may_be_model(info: ZipInfo) -> bool:
    return entry_name(info)[0].endswith(MODEL_ENDS)


def _too_large(name: str) -> LargeArchive:
    if name.endswith(MODEL_ENDS):
        return LargeArchive(
            f"{name!r} has more than {MOST_FILE_BYTES:,} bytes. Only the model that {FILE_NAME} "
            f'names may be larger, up to {LARGEST_MODEL:,}: write model = "{name}".',
            path=name,
        )
    return LargeArchive(f"{name!r} has more than {MOST_FILE_BYTES:,} bytes.", path=name)


def _too_many_files() -> LargeArchive:
    return LargeArchive(f"The archive has more than {MOST_FILES} entries.", code="too_many_files")


def _too_many_bytes() -> LargeArchive:
    return LargeArchive(f"The files have more than {LARGEST_ARCHIVE:,} bytes together.")
