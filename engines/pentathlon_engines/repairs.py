"""What honest tools do to the files of a bot, and how it is undone.

Each repair gives what the author meant; what needs a guess is refused instead. Repairs come before
the content hash, so a bot has one hash however it was packed.
"""

from collections.abc import Sequence
from typing import Final, NamedTuple

_SHOWN_NAMES: Final = 3
_LONGEST_SHOWN: Final = 120
_MARK: Final = b"\xef\xbb\xbf"
_MARKS_OF_UTF16: Final = (b"\xff\xfe", b"\xfe\xff")


class Repair(NamedTuple):
    """One thing that was put right: a stable code, and a sentence for the author."""

    code: str
    detail: str


def plain_manifest(data: bytes) -> tuple[bytes, Repair | None]:
    """Return a bot.toml as UTF-8 without a byte order mark, whatever editor has saved it."""
    if data.startswith(_MARK):
        return data.removeprefix(_MARK), Repair(
            "byte_order_mark", "bot.toml: removed the byte order mark before its first line."
        )
    if data.startswith(_MARKS_OF_UTF16):
        try:
            return data.decode("utf-16").encode(), Repair(
                "utf16", "bot.toml: converted it from UTF-16 to UTF-8."
            )
        except UnicodeError:
            return data, None
    return data, None


def plain_script(name: str, data: bytes) -> tuple[bytes, Repair | None]:
    """Return a script that begins with `#!` with the line ends that systems here can start."""
    start = data.removeprefix(_MARK)
    if not start.startswith(b"#!"):
        return data, None
    if start.partition(b"\n")[0].endswith(b"\r") and b"\0" not in start:
        return start.replace(b"\r\n", b"\n"), Repair(
            "line_ends",
            f"{shown(name)}: made its CRLF line ends LF, because no system here can start a "
            "script whose `#!` line ends with CR.",
        )
    if len(start) < len(data):
        return start, Repair(
            "byte_order_mark", f"{shown(name)}: removed the byte order mark before its `#!`."
        )
    return data, None


def shown(name: str) -> str:
    """Return a name as a sentence can show it, whatever characters it has."""
    text = name if name.isprintable() else ascii(name)[1:-1]
    return text if len(text) <= _LONGEST_SHOWN else f"{text[:_LONGEST_SHOWN]}…"


def several(names: Sequence[str]) -> str:
    """Return the first of these names, and how many more there are."""
    text = ", ".join(shown(name) for name in names[:_SHOWN_NAMES])
    more = len(names) - _SHOWN_NAMES
    return text if more <= 0 else f"{text} and {more} more"
