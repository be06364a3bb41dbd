"""Bots written by `pentathlon init`, for tests that upload them and speak to them."""

from __future__ import annotations

import json
import os
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

from pentathlon.bots.models import BotVersion
from pentathlon_engines.cli.commands.init import TEMPLATES, BotTemplate, write_template
from pentathlon_engines.manifest import Manifest, bot_command
from pentathlon_engines.match.limits import Limits
from tests.factories import zip_files
from tests.workers.sandbox.bots import TIMEOUT_S
from workers.sandbox.launcher import SandboxLauncher
from workers.sandbox.process import SandboxedBot
from workers.slots.bot_files import BotFiles

LANGUAGES = [each.value for each in BotTemplate]
_HELLO = {"type": "hello", "protocol": 1, "game": "tuned", "rules": 1, "seat": 0, "seats": 2}

_CHOOSE_IN_C = "static double rate(const Turn *turn, Json action) {\n"
_CHOOSE_IN_CPP = "double rate(const Turn&, const std::string&) {\n"
_PRINTS = {
    "python": ('    """Return one of `turn.legal`."""\n', '    print("seen")\n'),
    "c": (_CHOOSE_IN_C, '    puts("seen");\n'),
    "cpp": (_CHOOSE_IN_CPP, '    std::cout << "seen\\n"; std::puts("seen");\n'),
    "rust": ("fn rate(_turn: &Turn, _action: &str) -> f64 {\n", '    println!("seen");\n'),
    "go": (
        "func rate(turn *Turn, action string) float64 {\n",
        '\tfmt.Println("seen")\n\tprintln("seen")\n',
    ),
    "java": ("    double rate(String action) {\n", '        System.out.println("seen");\n'),
    "javascript": (
        "function rate(turn, action) {\n",
        "    console.log('seen'); process.stdout.write('seen\\n')\n",
    ),
}
"""For each language, where a new bot chooses, and what prints there."""

Message = dict[str, Any]  # Any: JSON


def packed_template(language: str, folder: Path, *, game: str = "tuned") -> bytes:
    """Write a new bot as `init` does and pack its folder."""
    facts = {"game": game, "title": game, "folder": str(folder), "name": f"{language}-bot"}
    names = write_template(TEMPLATES / language, folder, facts)
    return zip_files({name: (folder / name).read_bytes() for name in names})


def that_prints(language: str, folder: Path) -> bytes:
    """Pack a new bot that prints whenever it chooses, as a newcomer would look for a mistake."""
    packed_template(language, folder)
    names = [path for path in folder.rglob("*") if path.is_file()]
    place, print_it = _PRINTS[language]
    (source,) = (path for path in names if place in path.read_text() and "est" not in path.name)
    source.write_text(source.read_text().replace(place, place + print_it, 1))
    return zip_files({path.relative_to(folder).as_posix(): path.read_bytes() for path in names})


def converse(
    launcher: SandboxLauncher, files: BotFiles, version: BotVersion, messages: list[Message]
) -> tuple[list[Message], int]:
    """Send a built bot `hello` and these messages; return its answers and its exit status."""
    folder = files.folder(version.files_hash())
    command = bot_command(folder, Manifest.from_json(version.manifest))
    hello = {**_HELLO, "options": {}, "limits": Limits().to_json(), "match": "test"}
    hello["dice"] = "0123456789abcdef"
    bot = launcher.start(command, seat=0, limits=Limits())
    text = b"".join(json.dumps(each).encode() + b"\n" for each in (hello, *messages))
    out = _exchange(bot, text)
    bot.wait(TIMEOUT_S)
    status = bot.stop().exit_status
    return [json.loads(line) for line in out.splitlines()], status


def _exchange(bot: SandboxedBot, text: bytes) -> bytes:
    """Write as the bot reads; return all that it wrote until it closed its output."""
    out = b""
    deadline = time.monotonic() + TIMEOUT_S
    while time.monotonic() < deadline:
        with suppress(BlockingIOError, BrokenPipeError):
            text = text[os.write(bot.stdin, text[:65536]) :] if text else text
        try:
            part = os.read(bot.stdout, 65536)
        except BlockingIOError:
            time.sleep(0.001)
            continue
        if not part:
            break
        out += part
    return out
