"""The languages that a manifest may name, and the commands that start bots in them."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import Final


@dataclass(frozen=True, slots=True, kw_only=True)
class Language:
    """A language and the command that starts a bot in it.

    In `argv`, "{main}" stands for the main file, "{class}" for the name of the class in it, and
    "{heap_mb}" for the largest heap of a run-time system. "{bot}" and "{python}" mean the same as
    in `BotCommand`.
    """

    key: str
    main: str
    """The default main file."""
    argv: tuple[str, ...]
    argv_of_ending: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """The commands that start main files with other endings, such as ".class"."""
    is_built: bool = True
    """Whether a bot in this language may have a build."""
    packages: tuple[str, ...] = ()
    """The packages that its bots can import, besides the kit and the standard library."""
    environment: Mapping[str, str] = field(default_factory=dict)
    """Variables that its bots have besides those of all."""

    def command(self, main: str) -> list[str]:
        """Return the command that starts this main file."""
        path = PurePosixPath(main)
        name_of_class = ".".join(path.with_suffix("").parts)
        argv = self.argv_of_ending.get(path.suffix, self.argv)
        return [word.replace("{main}", main).replace("{class}", name_of_class) for word in argv]


_PYTHON: Final = ("{python}", "-s", "-S", "-B", "-u", "{bot}/{main}")
# On one core, more collector and compiler threads would only wait for each other.
_JAVA: Final = (
    "java", "-XX:+UseSerialGC", "-XX:CICompilerCount=2", "-XX:-UsePerfData", "-Xshare:auto",
    "-Xmx{heap_mb}m",
)  # fmt: skip

LANGUAGES: Final = {
    each.key: each
    for each in (
        Language(key="python", main="main.py", argv=_PYTHON, is_built=False),
        Language(
            key="python-numpy",
            main="main.py",
            argv=_PYTHON,
            is_built=False,
            packages=("numpy", "onnxruntime"),
            # Without the last one, onnxruntime starts a thread that reports to its maker.
            environment={
                "OPENBLAS_NUM_THREADS": "1",
                "OMP_NUM_THREADS": "1",
                "ORT_DISABLE_TELEMETRY": "1",
            },
        ),
        Language(
            key="node",
            main="main.js",
            argv=("node", "--max-old-space-size={heap_mb}", "{bot}/{main}"),
        ),
        Language(
            key="java",
            main="bot.jar",
            argv=(*_JAVA, "-jar", "{bot}/{main}"),
            argv_of_ending={".class": (*_JAVA, "-cp", "{bot}", "{class}")},
        ),
        Language(key="perl", main="main.pl", argv=("perl", "{bot}/{main}")),
    )
}

BUILD_TOOLS: Final = (
    "cc", "gcc", "c++", "g++", "clang", "clang++", "make", "cmake",
    "javac", "rustc", "cargo", "go",
)  # fmt: skip
"""Programs that a build may start with; each worker announces which of them it has."""

_HEAP_SHARE: Final = 0.5
"""The heap's share of the memory limit; the run-time system needs the rest."""


def heap_mb(memory_mb: int) -> int:
    """Return the value of "{heap_mb}" for a memory limit."""
    return max(1, int(_HEAP_SHARE * memory_mb))
