"""Which names the entries of an archive have, and which they may have."""

import struct
import unicodedata
import zlib
from collections.abc import Iterable
from typing import Final
from zipfile import ZipInfo

from pentathlon_engines.errors import BadArchive
from pentathlon_engines.repairs import shown

LONGEST_NAME: Final = 120
DEEPEST: Final = 8
UNMARKED: Final = "utf8_names"
CODE_PAGE: Final = "code_page"

_FORBIDDEN = frozenset("\\:")
_IS_UTF8 = 0x800
_UNICODE_PATH = 0x7075
_UNICODE_PATH_HEAD = struct.Struct("<BL")


def entry_name(info: ZipInfo) -> tuple[str, str]:
    """Return the name of an entry, and the code of the repair that reading it took, or "".

    Python releases differ in what `filename` is: it is cut at a NUL, and since 3.12 it is the
    Unicode path field where there is one. So this reads the bytes themselves, and everything that
    checks or keeps a name asks here.
    """
    if info.flag_bits & _IS_UTF8:
        return info.orig_filename, ""
    raw = info.orig_filename.encode("cp437")
    if (name := _unicode_path(info.extra, raw)) is not None:
        return name, ""
    if raw.isascii():
        return info.orig_filename, ""
    try:
        return raw.decode(), UNMARKED
    except UnicodeDecodeError:
        return info.orig_filename, CODE_PAGE


def check_names(names: Iterable[str]) -> None:
    """Refuse names that other systems read differently, and two that could be the same there."""
    files: dict[str, str] = {}
    folders: dict[str, str] = {}
    for name in names:
        _check_name(name)
        folded = unicodedata.normalize("NFC", name).casefold()
        if not name.endswith("/"):
            _take(files, folded, name)
        for parent in _parents(folded):
            folders[parent] = name
    for folded in files.keys() & folders.keys():
        raise duplicate(files[folded], folders[folded])


def duplicate(first: str, second: str) -> BadArchive:
    """Return the refusal of two names that are, or could be, the same."""
    problem = (
        f"{shown(first)!r} is in the archive twice. Pack the folder again."
        if first == second
        else f"{shown(first)!r} and {shown(second)!r} are the same name on some computers. "
        "Rename one of them."
    )
    return BadArchive(problem, code="duplicate_name", path=shown(second))


def _unicode_path(extra: bytes, raw: bytes) -> str | None:
    """Return the name in the Unicode path field of Info-ZIP, if it belongs to this entry."""
    while len(extra) >= 4:  # noqa: PLR2004  two numbers of two bytes: kind and size
        kind, size = struct.unpack_from("<HH", extra)
        field, extra = extra[4 : 4 + size], extra[4 + size :]
        if kind != _UNICODE_PATH or len(field) < _UNICODE_PATH_HEAD.size:
            continue
        version, checksum = _UNICODE_PATH_HEAD.unpack_from(field)
        if version == 1 and checksum == zlib.crc32(raw):
            return field[_UNICODE_PATH_HEAD.size :].decode()
    return None


def _check_name(name: str) -> None:
    if len(name) > LONGEST_NAME:
        raise _bad_name(name, f"is longer than {LONGEST_NAME} characters")
    if any(letter in _FORBIDDEN or _is_control(letter) for letter in name):
        raise _bad_name(name, "has a backslash, a colon or a control character")
    parts = name.removesuffix("/").split("/")
    if len(parts) > DEEPEST:
        raise _bad_name(name, f"lies deeper than {DEEPEST} folders")
    if any(part in {"", ".", ".."} for part in parts):
        raise _bad_name(name, 'is absolute or has an empty, "." or ".." part')


def _is_control(letter: str) -> bool:
    return unicodedata.category(letter) in {"Cc", "Cf", "Cs", "Zl", "Zp"}


def _parents(name: str) -> list[str]:
    parts = name.split("/")[:-1]
    return ["/".join(parts[:depth]) for depth in range(1, len(parts) + 1)]


def _take(files: dict[str, str], folded: str, name: str) -> None:
    if folded in files:
        raise duplicate(files[folded], name)
    files[folded] = name


def _bad_name(name: str, reason: str) -> BadArchive:
    text = name if len(name) <= LONGEST_NAME else f"{name[:LONGEST_NAME]}…"
    return BadArchive(
        f"The name {text!r} {reason}. Rename it, and pack the folder again.",
        code="bad_name",
        path=text,
    )
