"""The parts of `python3 manage.py test`: names, and the commands behind them."""

import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from pentathlon.env import CHECKOUT

_TOOLS = Path(sys.executable).parent
_TEST_FOLDERS = (
    "engines",
    "pentathlon",
    "api",
    "workers",
    "tools",
    "local",
    "e2e",
    "k8s",
    "browser",
)
_OWN_FILES = {
    "hostile": "tests/workers/sandbox/hostile_matrix.py",
    "languages": "tests/e2e/language_matrix.py",
    "rehearsal": "tests/rehearsal/one_server.py tests/rehearsal/units.py tests/rehearsal/pods.py",
    "storm": "tests/tools/storm.py",
    "benchmark": "tests/tools/whole_benchmark.py",
    "survival": "tests/e2e/survival.py",
    "sites": "tests/local/whole_sites.py",
    "upgrades": "tests/pentathlon/upgrades.py",
}
"""Parts with files of their own: long versions of what the usual run proves, too."""
_WHOLE = ("compiled", "deep", "mutants", "sqlite")
"""Parts that choose their tests themselves."""
_ON_REQUEST = ("browser", "compiled", "deep", "mutants", *_OWN_FILES)
"""Parts that need Chromium, a C compiler or much time, so the usual run leaves them out."""
_ON_SQLITE = (
    *(f"tests/pentathlon/{app}" for app in ("core", "accounts", "bots", "matches")),
    *("tests/pentathlon/matches/replays", "tests/pentathlon/ratings"),
    "tests/pentathlon/insight/rivalry/test_services.py",
    "tests/pentathlon/tournaments/test_killed.py",
)
"""Tests of what must hold on the database of a single machine, too."""
_MATCHES_ON_SQLITE = (
    *(
        f"tests/pentathlon/matches/{subject}"
        for subject in (
            "test_attempts.py",
            "test_capacity.py",
            "test_claims.py",
            "test_leases.py",
            "test_services.py",
        )
    ),
    "tests/pentathlon/matches/replays/test_life_of_a_match.py",
    "tests/pentathlon/ratings/test_services.py",
    "tests/pentathlon/tournaments/test_killed.py",
)
"""Those of these tests that follow the life of a match; the usual run includes them."""
NOT_HERE: Final = 77
"""The exit code of a part that this machine lacks the programs for, as automake has it."""
LEFT_OUT = (
    "Left out: `manage.py test deep` (all tests at full length and width), `sqlite` (except "
    "for matches), `browser`, `hostile`, `languages`, `rehearsal`, `storm`, `benchmark`, "
    "`survival`, `sites`, `upgrades`, `compiled`, `mutants`."
)
"""What the run of everything leaves out, and how to ask for it, in one line."""
_FEWEST_PROCESSES, _MOST_PROCESSES = 2, 4
"""Bounds for pytest's processes: each imports and collects everything anew. There is one more than
there are cores, as tests wait for the database and for processes that they have started."""


class UnknownPart(Exception):
    """A part, folder or file that does not exist."""

    code = "unknown_part"

    def __init__(self, name: str) -> None:
        super().__init__(f"There is no part {name!r}. Parts: {', '.join(part_names())}.")


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """One line of the summary: a command that must succeed."""

    name: str
    command: tuple[str, ...]
    on_sqlite: bool = False
    """Whether it gets a database of its own in a file, instead of the run's server."""
    is_beside: bool = False
    """Whether it runs while the tests do, and says what it has to say when it has ended."""


def part_names() -> list[str]:
    """Return the names that can be chosen, in the order in which they run."""
    return [*_checks(), "layout", "sqlite", *dict.fromkeys((*_TEST_FOLDERS, *_ON_REQUEST))]


def choose(names: Sequence[str], *, pytest_arguments: Sequence[str]) -> list[Part]:
    """Return the parts to run; all of them, side by side, if none is named."""
    checks = _checks()
    chosen = [Part(name=name, command=checks[name]) for name in names or checks if name in checks]
    if not names:
        # Migrating takes as long as half of these tests, and another test has `up` migrate a file.
        quick = ("--no-migrations", *pytest_arguments)
        sqlite = _sqlite_tests(_MATCHES_ON_SQLITE, quick)
        beside = [replace(part, is_beside=True) for part in (*chosen, sqlite)]
        return [_whole_suite(pytest_arguments), *beside]
    if "compiled" in names:
        chosen.append(_compiled_tests(pytest_arguments))
    if "mutants" in names:
        command = (sys.executable, "-m", "tests.mutants", *pytest_arguments)
        chosen.append(Part(name="mutants", command=command))
    if "deep" in names:
        chosen.append(_deep_tests(pytest_arguments))
    if "sqlite" in names:
        chosen.append(_sqlite_tests((*_ON_SQLITE, *_spread(2)), pytest_arguments))
    rest = [name for name in names if name not in (*checks, *_WHOLE)]
    targets = [target for name in rest for target in _targets(name)]
    if targets:
        chosen.append(_some_tests(targets, pytest_arguments))
    return chosen


def _checks() -> dict[str, tuple[str, ...]]:
    return {
        "format": (_tool("ruff"), "format", "--check", "."),
        "lint": (_tool("ruff"), "check", "."),
        "types": (_tool("mypy"),),
        "imports": (_tool("lint-imports"),),
        "migrations": (sys.executable, "manage.py", "makemigrations", "--check", "--dry-run"),
    }


def _tool(name: str) -> str:
    return str(_TOOLS / name)


def _targets(name: str) -> list[str]:
    tests = CHECKOUT / "tests"
    if name == "layout":
        return [str(path.relative_to(CHECKOUT)) for path in sorted(tests.glob("test_*.py"))]
    if name in _OWN_FILES:
        return _OWN_FILES[name].split()
    if name in (*_TEST_FOLDERS, *_ON_REQUEST):
        return [f"tests/{name}"]
    path = name.partition("::")[0]
    if (tests / path).exists():
        return [f"tests/{name}"]
    if (CHECKOUT / path).exists():
        return [name]
    raise UnknownPart(name)


def _whole_suite(pytest_arguments: Sequence[str]) -> Part:
    return Part(name="tests", command=(*_pytest(), *_spread(_processes()), *pytest_arguments))


def _processes() -> int:
    return max(_FEWEST_PROCESSES, min(_MOST_PROCESSES, 1 + (os.cpu_count() or 1)))


def _spread(processes: int) -> tuple[str, ...]:
    return ("-n", str(processes), "--dist", "worksteal")


def _some_tests(targets: Sequence[str], pytest_arguments: Sequence[str]) -> Part:
    return Part(name="tests", command=(*_pytest(), *targets, *pytest_arguments))


def _deep_tests(pytest_arguments: Sequence[str]) -> Part:
    """Return all tests in their long and wide versions."""
    command = (*_pytest(), "--deep", *_spread(_processes()), *pytest_arguments)
    return Part(name="deep", command=command)


def _sqlite_tests(targets: Sequence[str], pytest_arguments: Sequence[str]) -> Part:
    # The kind of database makes no difference to the other tests.
    chosen = ("-m", "django_db")
    command = (*_pytest(), *targets, *chosen, *pytest_arguments)
    return Part(name="sqlite", command=command, on_sqlite=True)


def _compiled_tests(pytest_arguments: Sequence[str]) -> Part:
    command = (
        sys.executable,
        "-m",
        "pentathlon.local.environment.compiled_build",
        *pytest_arguments,
    )
    return Part(name="compiled", command=command)


def _pytest() -> tuple[str, ...]:
    return (sys.executable, "-m", "pytest", "--durations=10", "--durations-min=1")
