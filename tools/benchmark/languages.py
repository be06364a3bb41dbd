"""`bench languages`: the cost of a bot's start and turn in each language, and of the CLI's starts.

All is measured in one run: turns beside `cat`, which only copies lines, and starts beside an empty
Python. Ratios count, not times.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import time
from argparse import ArgumentParser
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from shutil import which
from tempfile import TemporaryDirectory
from typing import Any, Final

from django.core.management.base import CommandError

from pentathlon.env import child_environment
from pentathlon_engines import GAMES
from pentathlon_engines.cli.commands.init import BotTemplate
from pentathlon_engines.languages import heap_mb
from pentathlon_engines.manifest import bot_command, read_manifest
from pentathlon_engines.match import protocol
from pentathlon_engines.match.dice import dice_of
from pentathlon_engines.match.limits import Limits
from pentathlon_engines.match.plain_launcher import ENGINES
from pentathlon_engines.match.referee import Referee

HELP: Final = "starts and turns of bots in seven languages, and starts of the command line"
_CLI: Final = (("--help",), ("whoami",), ("init", "tuned", "--folder", "made"))
_GAME: Final = GAMES["tuned"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Start:
    """The cost of starting a program; medians in milliseconds."""

    cpu_ms: float
    wall_ms: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One program that answers."""

    name: str
    start: Start
    turn_us: float
    """The median wall time from a request to its answer."""


def add_arguments(parser: ArgumentParser) -> None:
    """Add the options."""
    parser.add_argument(
        "languages", nargs="*", metavar="LANGUAGE", help=f"of {', '.join(_names())}; all"
    )
    parser.add_argument("--starts", type=int, default=5, help="starts per program (5)")
    parser.add_argument("--turns", type=int, default=500, help="turns per bot (500)")
    parser.add_argument("--json", action="store_true", help="print JSON")


def run(options: dict[str, Any]) -> None:  # Any: Django's own shape
    """Measure, and print a table or JSON; name the languages that cannot be built here."""
    unknown = set(options["languages"]) - set(_names())
    if unknown:
        raise CommandError(f"There is no template in {min(unknown)}: {', '.join(_names())}.")
    starts, turns = max(1, options["starts"]), max(1, options["turns"])
    with TemporaryDirectory(prefix="pentathlon-bench-") as folder:
        here = Path(folder)
        raw = _measure("raw round trip (cat)", ["cat"], here, starts=starts, turns=turns)
        empty = _ending([sys.executable, "-S", "-c", "pass"], here, starts)
        lines, missing = [], {}
        for name in options["languages"] or _names():
            lack = _make_bot(name, here)
            if lack:
                missing[name] = lack
                continue
            command = bot_command(here / name, read_manifest(here / name))
            argv = [_placed(word, here / name) for word in command.argv]
            lines.append(_measure(name, argv, here / name, starts=starts, turns=turns))
        cli = {" ".join(words): _ending(_cli(*words), here, starts) for words in _CLI}
    if options["json"]:
        told = {"raw": raw, "empty": empty, "languages": lines, "cli": cli, "missing": missing}
        sys.stdout.write(json.dumps(told, default=asdict, indent=2) + "\n")
        return
    _print(raw, empty, lines, cli, missing)


def _names() -> list[str]:
    return [template.value for template in BotTemplate]


def _cli(*words: str) -> list[str]:
    return [sys.executable, "-m", "pentathlon_engines.cli", *words]


def _make_bot(language: str, here: Path) -> str:
    """Write and build the bot of a language; return what is missing, or an empty text."""
    made = ["init", "tuned", "--lang", language, "--folder", language]
    subprocess.run(_cli(*made), cwd=here, env=_environment(here), check=True, capture_output=True)
    manifest = read_manifest(here / language)
    programs = [manifest.build[0]] if manifest.build else []
    programs += [manifest.language] if manifest.language == "java" else []
    programs += ["node"] if language == "javascript" else []
    lacking = [program for program in programs if which(program) is None]
    if lacking:
        return f"no {lacking[0]} on this machine"
    if not manifest.build:
        return ""
    # Compilers keep files that they need in the home of the user who installed them.
    environment = child_environment()
    built = subprocess.run(
        manifest.build, cwd=here / language, env=environment, check=False,
        capture_output=True, text=True,
    )  # fmt: skip
    return "" if built.returncode == 0 else f"its build failed: {built.stderr.strip()[-200:]}"


def _placed(word: str, folder: Path) -> str:
    """Fill in the placeholders that a launcher would fill in."""
    heap = str(heap_mb(Limits().memory_mb))
    filled = word.replace("{python}", sys.executable).replace("{heap_mb}", heap)
    return filled.replace("{bot}", str(folder))


def _measure(name: str, argv: Sequence[str], folder: Path, *, starts: int, turns: int) -> Line:
    """Start a program several times, and let it answer requests after the last start."""
    found, walls = [], []
    for number in range(starts):
        start, asked = _talk(argv, folder, turns=turns if number == starts - 1 else 0)
        found.append(start)
        walls += asked
    return Line(name=name, start=_median(found), turn_us=1e6 * statistics.median(walls))


def _talk(argv: Sequence[str], folder: Path, *, turns: int) -> tuple[Start, list[float]]:
    """Start a program, greet it, ask it `turns` times, and end it; measure until the greeting."""
    greeting, request = _messages()
    began = time.perf_counter()
    with subprocess.Popen(
        argv, cwd=folder, env=_environment(folder), stdin=subprocess.PIPE,
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, bufsize=0,
    ) as process:  # fmt: skip
        if process.stdin is None or process.stdout is None:
            raise RuntimeError("The program has no pipes.")
        pipe = process.stdin.fileno()
        with os.fdopen(os.dup(process.stdout.fileno()), "rb") as reader:
            _ask(pipe, reader, greeting)
            wall_s = time.perf_counter() - began
            cpu_s = _cpu_s(process.pid)
            walls = []
            for _ in range(turns):
                sent = time.perf_counter()
                _ask(pipe, reader, request)
                walls.append(time.perf_counter() - sent)
        process.stdin.close()
        process.kill()
    return Start(cpu_ms=1000 * cpu_s, wall_ms=1000 * wall_s), walls


def _ask(pipe: int, reader: Any, line: bytes) -> None:  # Any: a buffered reader
    os.write(pipe, line)
    if not reader.readline():
        raise RuntimeError("The program ended without an answer.")


def _cpu_s(pid: int) -> float:
    """Return the CPU seconds of a running process over all threads, exact to nanoseconds."""
    tasks = Path(f"/proc/{pid}/task").iterdir()
    return sum(int((task / "schedstat").read_text().split()[0]) for task in tasks) / 1e9


def _ending(argv: Sequence[str], folder: Path, starts: int) -> Start:
    """Run a program to its end several times; return the medians."""
    found = []
    for number in range(starts):
        home = folder / f"{len(argv)}-{number}"
        home.mkdir(exist_ok=True)
        began = time.perf_counter()
        process = subprocess.Popen(
            argv, cwd=home, env=_environment(home),
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        _, _, usage = os.wait4(process.pid, 0)
        wall_s = time.perf_counter() - began
        process.returncode = 0
        cpu_s = usage.ru_utime + usage.ru_stime
        found.append(Start(cpu_ms=1000 * cpu_s, wall_ms=1000 * wall_s))
    return _median(found)


def _median(starts: Sequence[Start]) -> Start:
    return Start(
        cpu_ms=statistics.median(each.cpu_ms for each in starts),
        wall_ms=statistics.median(each.wall_ms for each in starts),
    )


def _messages() -> tuple[bytes, bytes]:
    """Return the greeting and the first request of a match, each as a line."""
    referee = Referee(game=_GAME, seats=2, options=None, seed=7)
    asked = referee.request()
    facts = protocol.MatchFacts(
        game=_GAME.info.key, rules=_GAME.info.version, seats=2,
        options=dict(referee.state.options), limits=Limits(), match="bench",
        dice=dice_of(7, match="bench", seats=2),
    )  # fmt: skip
    greeting = protocol.encode(protocol.hello(facts, seat=asked.seat))
    request = protocol.encode(
        protocol.act(
            ply=asked.ply, events=asked.events, observation=asked.observation,
            legal=asked.legal, clock={"cpu_ms": 0, "wall_ms": 0, "match_cpu_left_ms": 20_000},
        )
    )  # fmt: skip
    return greeting + b"\n", request + b"\n"


def _environment(home: Path) -> dict[str, str]:
    here = {"HOME": str(home), "XDG_CONFIG_HOME": str(home), "LANG": "C.UTF-8"}
    return child_environment(**here, PYTHONPATH=str(ENGINES), PYTHONDONTWRITEBYTECODE="1")


def _print(
    raw: Line,
    empty: Start,
    lines: Sequence[Line],
    cli: Mapping[str, Start],
    missing: Mapping[str, str],
) -> None:
    """Print the table; each row has its ratios to the two yardsticks."""
    say = sys.stdout.write
    say(f"{'start until ready':24}{'CPU ms':>9}{'wall ms':>9}{'x python':>10}")
    say(f"{'µs a turn':>11}{'turns/s':>9}{'x raw':>7}\n")
    for line in (raw, *lines):
        start = line.start
        say(f"{line.name:24}{start.cpu_ms:9.1f}{start.wall_ms:9.1f}")
        say(f"{start.cpu_ms / empty.cpu_ms:10.2f}{line.turn_us:11.0f}")
        say(f"{1e6 / line.turn_us:9.0f}{line.turn_us / raw.turn_us:7.1f}\n")
    say(f"\n{'start to its end':24}{'CPU ms':>9}{'wall ms':>9}{'x python':>10}\n")
    for name, start in {"empty python": empty, **cli}.items():
        shown = name if start is empty else f"pentathlon {' '.join(name.split()[:2])}"
        say(f"{shown:24}{start.cpu_ms:9.1f}{start.wall_ms:9.1f}")
        say(f"{start.cpu_ms / empty.cpu_ms:10.2f}\n")
    for name, lack in missing.items():
        say(f"{name} is not measured: {lack}.\n")
