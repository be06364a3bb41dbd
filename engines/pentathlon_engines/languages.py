"""The languages that a bot may name instead of a command, and how a bot in each is started."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True, kw_only=True)
class Language:
    """How bots in one language are started.

    In `argv`, "{main}" stands for the main file, "{heap_mb}" for the memory that a run-time system
    with a heap may fill, and "{bot}" and "{python}" for what `BotCommand` says.
    """

    key: str
    main: str
    """The main file unless the bot names another."""
    argv: tuple[str, ...]
    is_built: bool = True
    """Whether its sources may have to be built."""


LANGUAGES: Final = {
    each.key: each
    for each in (
        Language(
            key="python",
            main="main.py",
            argv=("{python}", "-s", "-S", "-B", "-u", "{bot}/{main}"),
            is_built=False,
        ),
        Language(
            key="node",
            main="main.js",
            argv=("node", "--max-old-space-size={heap_mb}", "{bot}/{main}"),
        ),
        # One collector thread, two compilers: more only wait for each other on one core.
        Language(
            key="java",
            main="bot.jar",
            argv=(
                "java", "-XX:+UseSerialGC", "-XX:CICompilerCount=2", "-XX:-UsePerfData",
                "-Xshare:auto", "-Xmx{heap_mb}m", "-jar", "{bot}/{main}",
            ),
        ),
        Language(key="perl", main="main.pl", argv=("perl", "{bot}/{main}")),
    )
}  # fmt: skip

BUILD_TOOLS: Final = (
    "cc", "gcc", "c++", "g++", "clang", "clang++", "make", "cmake",
    "javac", "rustc", "cargo", "go",
)  # fmt: skip
"""What a build may begin with and not every worker has: a worker says which of them it has."""

_HEAP_SHARE: Final = 0.5
"""Of the memory limit: a run-time system needs the rest for itself."""


def heap_mb(memory_mb: int) -> int:
    """Return what "{heap_mb}" stands for under a memory limit."""
    return max(1, int(_HEAP_SHARE * memory_mb))
