"""Ways in which honest tools pack the folder of a bot, and zips whose names are chosen by byte."""

import io
import struct
import unicodedata
import warnings
import zlib
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple
from zipfile import ZIP_DEFLATED, ZIP_STORED, ZipFile, ZipInfo

Files = Mapping[str, bytes]
"""Contents by name; the name of an empty folder ends with a slash."""
MANIFEST = b'name = "tiger"\ngames = ["tuned"]\ncommand = ["./run.sh"]\n'
HONEST: Files = {"bot.toml": MANIFEST, "run.sh": b"#!/bin/sh\nexec true\n"}


class RawEntry(NamedTuple):
    """One entry as bytes, with everything that a header says about its name."""

    name: bytes
    data: bytes = b"x"
    says_utf8: bool = False
    unicode_path: str | None = None
    mode: int = 0o100644
    method: int = ZIP_STORED


def zip_raw(entries: Sequence[RawEntry]) -> bytes:
    """Write a zip by hand, header by header."""
    body, directory = bytearray(), bytearray()
    for entry in entries:
        packed, method = entry.data, 0
        if entry.method == ZIP_DEFLATED:
            squeeze = zlib.compressobj(wbits=-15)
            packed, method = squeeze.compress(entry.data) + squeeze.flush(), 8
        extra = b""
        if entry.unicode_path is not None:
            field = struct.pack("<BL", 1, zlib.crc32(entry.name)) + entry.unicode_path.encode(
                "utf-8", "surrogatepass"
            )
            extra = struct.pack("<HH", 0x7075, len(field)) + field
        facts = struct.pack(
            "<HHHHHLLLHH",
            20,
            0x800 if entry.says_utf8 else 0,
            method,
            0,
            0x21,
            zlib.crc32(entry.data),
            len(packed),
            len(entry.data),
            len(entry.name),
            len(extra),
        )
        at = len(body)
        body += b"PK\x03\x04" + facts + entry.name + extra + packed
        directory += (
            b"PK\x01\x02"
            + struct.pack("<BB", 20, 3)
            + facts
            + struct.pack("<HHHLL", 0, 0, 0, entry.mode << 16, at)
            + entry.name
            + extra
        )
    end = struct.pack("<HHHHLLH", 0, 0, len(entries), len(entries), len(directory), len(body), 0)
    return bytes(body + directory + b"PK\x05\x06" + end)


def _by_python(files: Files) -> bytes:
    target = io.BytesIO()
    with ZipFile(target, "w", ZIP_DEFLATED) as archive, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # zipfile warns of duplicate names
        for name, data in files.items():
            archive.writestr(ZipInfo(name), data)
    return target.getvalue()


def _with_folders(files: Files) -> bytes:
    folders = {
        "/".join(name.split("/")[:depth]) + "/"
        for name in files
        for depth in range(1, name.count("/") + 1)
    }
    return _by_python(dict.fromkeys(sorted(folders), b"") | dict(files))


def _in_folders(files: Files) -> bytes:
    return _by_python({f"out/tiger v2/{name}": data for name, data in files.items()})


def _by_finder(files: Files) -> bytes:
    """Pack as macOS does: NFD, UTF-8 without its mark, a resource fork for each file."""
    entries = [RawEntry(b"tiger/", b""), RawEntry(b"tiger/.DS_Store")]
    for name, data in files.items():
        written = unicodedata.normalize("NFD", f"tiger/{name}").encode()
        entries.append(RawEntry(written, data, method=ZIP_DEFLATED if data else ZIP_STORED))
        folder, _, last = written.rstrip(b"/").rpartition(b"/")
        entries.append(RawEntry(b"__MACOSX/" + folder + b"/._" + last))
    return zip_raw(entries)


def _by_old_net(files: Files) -> bytes:
    names = (name.replace("/", "\\").encode() for name in files)
    return zip_raw(
        [
            RawEntry(name, data, says_utf8=True)
            for name, data in zip(names, files.values(), strict=True)
        ]
    )


def _by_info_zip(files: Files) -> bytes:
    """Pack with the name in the encoding of a console, and the right one in a field."""
    return zip_raw(
        [
            RawEntry(name.encode("ascii", "replace"), data, unicode_path=name)
            for name, data in files.items()
        ]
    )


def _by_explorer(files: Files) -> bytes:
    junk = {"Thumbs.db": b"x", "desktop.ini": b"x", "$RECYCLE.BIN/x": b"x", "Icon\r": b"x"}
    return _by_python({**files, **junk})


def _with_git(files: Files) -> bytes:
    objects = {f".git/objects/{number:02x}/{'0' * 38}": b"x" for number in range(300)}
    return _by_python({**objects, **files})


def _by_notepad(files: Files) -> bytes:
    """Save the texts that we read with a byte order mark and the line ends of Windows."""
    changed = dict(files)
    changed["bot.toml"] = b"\xef\xbb\xbf" + changed["bot.toml"]
    for name, data in files.items():
        if data.startswith(b"#!"):
            changed[name] = b"\xef\xbb\xbf" + data.replace(b"\n", b"\r\n")
    return _by_python(changed)


def _by_powershell(files: Files) -> bytes:
    return _by_python({**files, "bot.toml": files["bot.toml"].decode().encode("utf-16")})


def _in_capitals(files: Files) -> bytes:
    return _by_python({"Bot.TOML" if name == "bot.toml" else name: files[name] for name in files})


def _backwards(files: Files) -> bytes:
    return _by_python(dict(reversed(list(files.items()))))


PACKERS: dict[str, Callable[[Files], bytes]] = {
    "Python": _by_python,
    "entries for folders": _with_folders,
    "two folders around it": _in_folders,
    "Finder": _by_finder,
    "old .NET": _by_old_net,
    "Info-ZIP": _by_info_zip,
    "Explorer": _by_explorer,
    "with .git": _with_git,
    "Notepad": _by_notepad,
    "PowerShell": _by_powershell,
    "capitals": _in_capitals,
    "backwards": _backwards,
}
