"""Archives that no honest author makes, each with the code it is refused with."""

import io
import stat
import struct
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from zipfile import ZIP_BZIP2, ZIP_DEFLATED, ZIP_LZMA, ZIP_STORED, ZipFile, ZipInfo

from tests.factories import zip_files

MANIFEST = 'name = "tiger"\ngames = ["tuned"]\nlanguage = "python"\n'
HONEST: dict[str, bytes | str] = {"bot.toml": MANIFEST, "main.py": "print()\n"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Hostile:
    """One archive and the code of its refusal."""

    name: str
    code: str
    make: Callable[[], bytes]


def zip_entries(*entries: tuple[ZipInfo, bytes | str], method: int = ZIP_DEFLATED) -> bytes:
    """Pack an honest bot and then these entries, whatever they are."""
    target = io.BytesIO()
    with ZipFile(target, "w", method) as archive, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # zipfile warns of duplicate names
        for name, text in HONEST.items():
            archive.writestr(name, text)
        for info, data in entries:
            archive.writestr(info, data, compress_type=method)
    return target.getvalue()


def named(name: str, data: bytes | str = "x") -> bytes:
    """Pack an honest bot with one more file of this name."""
    info = ZipInfo("placeholder")
    info.filename = info.orig_filename = name
    return zip_entries((info, data))


def with_mode(mode: int, data: bytes | str = "/etc/passwd") -> bytes:
    """Pack an honest bot with one more entry of this kind."""
    info = ZipInfo("extra")
    info.create_system = 3
    info.external_attr = mode << 16
    return zip_entries((info, data))


def with_manifest(text: str | bytes, **files: str) -> bytes:
    """Pack a bot with this bot.toml."""
    return zip_files({"bot.toml": text, "main.py": "print()\n", **files})


def encrypted() -> bytes:
    """Mark every entry of an honest archive as encrypted."""
    data = bytearray(zip_files(HONEST))
    _set_flags(data, b"PK\x03\x04", 6)
    _set_flags(data, b"PK\x01\x02", 8)
    return bytes(data)


def lying_about_size() -> bytes:
    """Say that a file of 9 MB has 10 bytes, so that only counting would notice."""
    data = bytearray(zip_entries((ZipInfo("zeros"), bytes(9_000_000))))
    at = 0
    size = struct.pack("<L", 9_000_000)
    while (at := data.find(size, at)) >= 0:
        data[at : at + 4] = struct.pack("<L", 10)
    return bytes(data)


def many_entries(count: int) -> bytes:
    """Pack this many empty files."""
    return zip_entries(*((ZipInfo(f"f{number}"), b"") for number in range(count)))


def lying_about_count() -> bytes:
    """Hide 50,000 entries behind an end record that admits to one."""
    data = bytearray(many_entries(50_000))
    end = data.rfind(b"PK\x05\x06")
    data[end + 8 : end + 12] = struct.pack("<HH", 1, 1)
    return bytes(data)


def damaged() -> bytes:
    """Change bytes in the middle of a compressed file."""
    data = bytearray(zip_files({**HONEST, "noise": bytes(range(256)) * 8}))
    at = data.find(b"noise") + 20
    data[at : at + 20] = b"\xaa" * 20
    return bytes(data)


def _set_flags(data: bytearray, signature: bytes, offset: int) -> None:
    at = -1
    while (at := data.find(signature, at + 1)) >= 0:
        data[at + offset] |= 1


_TWICE = (ZipInfo("main.py"), "print('other')\n")
ARCHIVES = [
    Hostile(name="empty", code="not_a_zip", make=lambda: b""),
    Hostile(name="text", code="not_a_zip", make=lambda: b"#!/bin/sh\n" * 100),
    Hostile(name="cut", code="not_a_zip", make=lambda: zip_files(HONEST)[:-30]),
    Hostile(name="damaged", code="not_a_zip", make=damaged),
    Hostile(name="lie about size", code="not_a_zip", make=lying_about_size),
    Hostile(name="49 MiB", code="too_large", make=lambda: bytes(49 << 20)),
    Hostile(name="9 MB file", code="too_large", make=lambda: _stored(9_000_000)),
    Hostile(
        name="9 MB of weights that are no model",
        code="too_large",
        make=lambda: named("policy.onnx", b"\x08" * 9_000_000),
    ),
    Hostile(
        name="two models",
        code="too_large",
        make=lambda: zip_files({**HONEST, "a.onnx": bytes(20 << 20), "b.onnx": bytes(20 << 20)}),
    ),
    Hostile(
        name="a model that is none",
        code="bad_model",
        make=lambda: zip_files(
            {**HONEST, "bot.toml": MANIFEST + 'model = "a.onnx"\n', "a.onnx": "PK"}
        ),
    ),
    Hostile(name="3 x 7 MB", code="too_large", make=lambda: _stored(*[7_000_000] * 3)),
    Hostile(name="199 more files", code="too_many_files", make=lambda: many_entries(199)),
    Hostile(name="50,000 entries", code="too_many_files", make=lambda: many_entries(50_000)),
    Hostile(name="hidden entries", code="too_many_files", make=lying_about_count),
    Hostile(name="bomb", code="too_large", make=lambda: named("zeros", bytes(9_000_000))),
    Hostile(name="..", code="bad_name", make=lambda: named("../evil.py")),
    Hostile(name="inner ..", code="bad_name", make=lambda: named("a/../../evil.py")),
    Hostile(name="absolute", code="bad_name", make=lambda: named("/etc/cron.d/evil")),
    Hostile(name="backslash", code="bad_name", make=lambda: named("..\\evil.py")),
    Hostile(name="backslash and slash", code="bad_name", make=lambda: named("a/b\\c.py")),
    Hostile(name="drive", code="bad_name", make=lambda: named("C:/evil.py")),
    Hostile(name="stream", code="bad_name", make=lambda: named("main.py:evil")),
    Hostile(name="dot", code="bad_name", make=lambda: named("./main2.py")),
    Hostile(name="double slash", code="bad_name", make=lambda: named("a//b.py")),
    Hostile(name="newline", code="bad_name", make=lambda: named("a\nb.py")),
    Hostile(name="NUL", code="bad_name", make=lambda: named("main.py\0.txt")),
    Hostile(name="right to left", code="bad_name", make=lambda: named("a\u202eyp.exe")),
    Hostile(name="long name", code="bad_name", make=lambda: named("a" * 121)),
    Hostile(name="deep", code="bad_name", make=lambda: named("a/" * 9 + "b")),
    Hostile(name="link", code="link_in_archive", make=lambda: with_mode(stat.S_IFLNK | 0o777)),
    Hostile(name="device", code="special_file", make=lambda: with_mode(stat.S_IFCHR | 0o666)),
    Hostile(name="pipe", code="special_file", make=lambda: with_mode(stat.S_IFIFO | 0o666)),
    Hostile(name="socket", code="special_file", make=lambda: with_mode(stat.S_IFSOCK | 0o666)),
    Hostile(name="setuid", code="special_file", make=lambda: with_mode(stat.S_IFREG | 0o4755)),
    Hostile(name="setgid", code="special_file", make=lambda: with_mode(stat.S_IFREG | 0o2755)),
    Hostile(name="encrypted", code="encrypted", make=encrypted),
    Hostile(
        name="lzma",
        code="unknown_compression",
        make=lambda: zip_entries((ZipInfo("a"), "x"), method=ZIP_LZMA),
    ),
    Hostile(
        name="bzip2",
        code="unknown_compression",
        make=lambda: zip_entries((ZipInfo("a"), "x"), method=ZIP_BZIP2),
    ),
    Hostile(name="same name", code="duplicate_name", make=lambda: zip_entries(_TWICE)),
    Hostile(name="same but case", code="duplicate_name", make=lambda: named("MAIN.py")),
    Hostile(
        name="same but accents",
        code="duplicate_name",
        make=lambda: zip_entries((ZipInfo("\u00e9"), "x"), (ZipInfo("e\u0301"), "y")),
    ),
    Hostile(name="file and folder", code="duplicate_name", make=lambda: named("main.py/x")),
    Hostile(name="no manifest", code="no_manifest", make=lambda: zip_files({"main.py": ""})),
    Hostile(
        name="two folders",
        code="no_manifest",
        make=lambda: zip_files({"a/bot.toml": MANIFEST, "b/bot.toml": MANIFEST}),
    ),
    Hostile(name="no TOML", code="bad_manifest", make=lambda: with_manifest("name: tiger")),
    Hostile(name="no UTF-8", code="bad_manifest", make=lambda: with_manifest(b"\xff\xfe")),
    Hostile(
        name="no games",
        code="bad_manifest",
        make=lambda: with_manifest('name = "t"\nlanguage = "python"\n'),
    ),
    Hostile(
        name="no main",
        code="bad_manifest",
        make=lambda: with_manifest(MANIFEST + 'main = "other.py"\n'),
    ),
    Hostile(
        name="main outside",
        code="bad_manifest",
        make=lambda: with_manifest(MANIFEST + 'main = "../main.py"\n'),
    ),
    Hostile(
        name="no program",
        code="bad_manifest",
        make=lambda: with_manifest('name = "t"\ngames = ["tuned"]\ncommand = ["./bot"]\n'),
    ),
    Hostile(
        name="unknown game",
        code="unknown_game",
        make=lambda: with_manifest(MANIFEST.replace("tuned", "chess")),
    ),
    Hostile(
        name="unknown language",
        code="unknown_language",
        make=lambda: with_manifest(MANIFEST.replace("python", "cobol")),
    ),
]


def _stored(*sizes: int) -> bytes:
    entries = [(ZipInfo(f"f{number}"), bytes(size)) for number, size in enumerate(sizes)]
    if sum(sizes) <= 16 << 20:
        return zip_entries(*entries, method=ZIP_STORED)
    return zip_entries(*entries)
