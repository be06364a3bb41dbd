"""Why a program of a bot cannot be started: what the words of a shell leave out."""

import platform
import shutil
import struct
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

from pentathlon_engines.match.launcher import BOT_PATH, BotCommand

WHY: Final = "Why it did not start: "
"""How the reason begins in a bot's log."""
_HEAD_BYTES: Final = 4096
_MACHINES: Final = {"x86_64": 62, "aarch64": 183}
_FIRST_JAVA: Final = 45
"""The lowest version of a Java class; a macOS program for several processors has fewer parts."""
_SEGMENT_BYTES: Final = 56
_INTERPRETER_SEGMENT: Final = 3


def why_not_started(command: BotCommand | None) -> str | None:
    """Return why the own program of a bot cannot be started; see `why_unstartable`."""
    if command is None or command.language != "command":
        return None
    return why_unstartable(command.folder, command.argv)


def why_unstartable(folder: Path, argv: Sequence[str]) -> str | None:
    """Return why a command cannot be started from the bot's folder, and what to do about it.

    None if nothing is wrong with the program itself, as far as its file shows.
    """
    program = argv[0]
    if "/" not in program:
        return _why_not_found(folder, program)
    path = folder / program.removeprefix("{bot}/")
    try:
        with path.open("rb") as file:
            head = file.read(_HEAD_BYTES)
        mode = path.stat().st_mode
    except OSError:
        return f"{program}: there is no such file in the bot’s folder."
    reason = _why_not_run(head)
    if reason is None and not mode & 0o111:
        reason = "it is not marked as a program. Run `chmod +x` on it."
    return None if reason is None else f"{program}: {reason}"


def _why_not_found(folder: Path, program: str) -> str | None:
    if (folder / program).is_file():
        return (
            f"{program}: a name without a slash is looked up among the programs of the system. "
            f'Write "./{program}" for the file in the bot’s folder.'
        )
    if shutil.which(program, path=BOT_PATH) is None:
        return f"{program}: there is no such program here. Build on what workers have."
    return None


def _why_not_run(head: bytes) -> str | None:
    for magic, explain in _BY_MAGIC.items():
        if head.startswith(magic):
            return explain(head)
    if not head:
        return "the file is empty."
    if b"\0" in head:
        return "it is no program that Linux knows."
    return 'it is a text without a line such as "#!/bin/sh". Write which program runs it.'


def _for_windows(_head: bytes) -> str:
    return _for_another("Windows")


def _for_macos(_head: bytes) -> str:
    return _for_another("macOS")


def _for_macos_or_java(head: bytes) -> str:
    if int.from_bytes(head[4:8]) >= _FIRST_JAVA:
        return 'it is a Java class. Write language = "java".'
    return _for_another("macOS")


def _for_another(system: str) -> str:
    return (
        f"it is a program for {system}, and workers run Linux. Upload the sources with a `build`, "
        "or a program built for Linux."
    )


def _why_no_interpreter(head: bytes) -> str | None:
    first = head.partition(b"\n")[0]
    if first.endswith(b"\r"):
        return "its first line ends with CR, as on Windows. Save it with Unix line ends (LF)."
    words = first[2:].decode(errors="replace").split()
    if not words:
        return 'its first line names no program after "#!".'
    if not Path(words[0]).is_file():
        return f"its first line names {words[0]}, which is not here."
    if Path(words[0]).name != "env":
        return None
    asked = next((word for word in words[1:] if not word.startswith("-") and "=" not in word), "")
    if asked and shutil.which(asked, path=BOT_PATH) is None:
        return f"its first line asks for {asked}, which is not here."
    return None


def _why_not_linked(head: bytes) -> str | None:
    own = _MACHINES.get(platform.machine())
    if len(head) < 64 or own is None:  # noqa: PLR2004  the length of the header
        return None
    is_64_bit, is_little = head[4] == 2, head[5] == 1  # noqa: PLR2004  the class for 64 bits
    if not (is_64_bit and is_little) or struct.unpack_from("<H", head, 18)[0] != own:
        return f"it is built for another processor than {platform.machine()}. Build it for that."
    (at,), (size, count) = struct.unpack_from("<Q", head, 32), struct.unpack_from("<HH", head, 54)
    for number in range(count):
        segment = head[at + number * size :][:_SEGMENT_BYTES]
        if (
            len(segment) == _SEGMENT_BYTES
            and int.from_bytes(segment[:4], "little") == _INTERPRETER_SEGMENT
        ):
            begin, length = struct.unpack_from("<Q16xQ", segment, 8)
            loader = head[begin : begin + length].rstrip(b"\0").decode(errors="replace")
            if loader and not Path(loader).is_file():
                return f"it needs the loader {loader}, which is not here. Link it statically."
    return None


_BY_MAGIC: Final[dict[bytes, Callable[[bytes], str | None]]] = {
    b"#!": _why_no_interpreter,
    b"\x7fELF": _why_not_linked,
    b"MZ": _for_windows,
    b"\xcf\xfa\xed\xfe": _for_macos,
    b"\xce\xfa\xed\xfe": _for_macos,
    b"\xfe\xed\xfa\xcf": _for_macos,
    b"\xfe\xed\xfa\xce": _for_macos,
    b"\xca\xfe\xba\xbe": _for_macos_or_java,
}
