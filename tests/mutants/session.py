"""A plugin of pytest that tries mutants, each in a process forked from the collected session.

Started by `tests.mutants`, which names a file with the work in `MUTANTS`: what it wants is written
there as JSON, and so is what came of it.
"""

from __future__ import annotations

import gc
import json
import os
import signal
import time
from collections import defaultdict
from collections.abc import Callable, Sequence
from functools import partial
from itertools import zip_longest
from pathlib import Path
from types import FunctionType
from typing import Any, Final

import coverage
import pytest

from tests.mutants.mutations import Mutation, list_mutations, mutated_code

_MOST_TEST_S: Final = 40.0
"""How long the tests of one mutant may take, by what they took before; the quickest are run."""
_PATIENCE: Final = 5.0
_LEAST_PATIENCE_S: Final = 30.0
_SURVIVED, _KILLED, _BROKEN = 0, 1, 2

Lines = dict[str, dict[int, list[int]]]
"""By file and line: the numbers of the tests that come there."""


@pytest.hookimpl(tryfirst=True)
def pytest_runtestloop(session: pytest.Session) -> bool:
    """Try all mutants instead of running the tests once."""
    told = Path(os.environ["MUTANTS"])
    wanted = json.loads(told.read_text())
    root, sampled = session.config.rootpath, wanted["sampled"]
    paths = sorted({path for path, _ in sampled})
    listed = {path: list_mutations(root, path) for path in paths}
    seen = told.with_suffix(".lines")
    _in_child(lambda: _see_lines(session, root, paths, seen), for_s=wanted["longest_s"])
    durations, lines = _read_lines(seen)
    results = []
    for path, nth in sampled:
        mutation = listed[path][nth]
        tests = _tests_at(lines.get(path, {}), durations, mutation)
        swap = partial(_swap, root, mutation, nth)
        result = _try(session, swap, tests, durations)
        results.append({"name": mutation.name, "line": mutation.lines[0], "result": result})
        told.with_suffix(".results").write_text(json.dumps(results))
    return True


def _see_lines(session: pytest.Session, root: Path, paths: Sequence[str], seen: Path) -> int:
    """Run all tests once and write down which of them come to which lines."""
    measured = coverage.Coverage(
        data_file=None, config_file=False, include=[str(root / path) for path in paths]
    )
    durations = []
    measured.start()
    for index, (item, after) in enumerate(zip_longest(session.items, session.items[1:])):
        measured.switch_context(str(index))
        started = time.monotonic()
        item.config.hook.pytest_runtest_protocol(item=item, nextitem=after)
        durations.append(time.monotonic() - started)
    measured.stop()
    data = measured.get_data()
    lines = {path: data.contexts_by_lineno(str(root / path)) for path in paths}
    seen.write_text(json.dumps({"durations": durations, "lines": lines}))
    return session.testsfailed


def _run(
    session: pytest.Session, item: pytest.Item, index: int, after: pytest.Item | None = None
) -> None:
    if after is None and index + 1 < len(session.items):
        after = session.items[index + 1]
    item.config.hook.pytest_runtest_protocol(item=item, nextitem=after)


def _read_lines(seen: Path) -> tuple[list[float], Lines]:
    if not seen.exists():
        raise pytest.UsageError("The tests do not pass, or not in time: no mutant was tried.")
    told = json.loads(seen.read_text())
    lines: Lines = defaultdict(dict)
    for path, contexts in told["lines"].items():
        for line, names in contexts.items():
            lines[path][int(line)] = [int(name) for name in names if name]
    return told["durations"], lines


def _tests_at(
    lines: dict[int, list[int]], durations: Sequence[float], mutation: Mutation
) -> list[int]:
    """Return the tests that come to the place of a mutation, the quickest first."""
    there = {index for line in mutation.lines for index in lines.get(line, [])}
    tests = sorted(there, key=lambda index: durations[index])
    left_s = _MOST_TEST_S
    chosen: list[int] = []
    for index in tests:
        left_s -= durations[index]
        if left_s < 0 and chosen:
            break
        chosen.append(index)
    return chosen


def _try(
    session: pytest.Session,
    swap: Callable[[], None],
    tests: Sequence[int],
    durations: Sequence[float],
) -> str:
    if not tests:
        return "not reached"

    def play() -> int:
        swap()
        chosen = [session.items[index] for index in tests]
        for item, after in zip_longest(chosen, chosen[1:]):
            item.config.hook.pytest_runtest_protocol(item=item, nextitem=after)
            if session.testsfailed:
                return _KILLED
        return _SURVIVED

    patience_s = _LEAST_PATIENCE_S + _PATIENCE * sum(durations[index] for index in tests)
    ended = _in_child(play, for_s=patience_s)
    if ended == _BROKEN:
        raise pytest.UsageError("A mutant could not be made: its function is not loaded.")
    return "survived" if ended == _SURVIVED else "hung" if ended is None else "killed"


def _swap(root: Path, mutation: Mutation, nth: int) -> None:
    """Give the functions of a loaded module their mutated code."""
    code = mutated_code(root, mutation, nth)
    place = (code.co_filename, code.co_qualname, code.co_firstlineno)
    swapped = 0
    gc.unfreeze()  # or what the session has frozen is not listed
    for function in gc.get_objects():
        if not isinstance(function, FunctionType):
            continue
        own = function.__code__
        if (own.co_filename, own.co_qualname, own.co_firstlineno) == place:
            function.__code__ = code
            swapped += 1
    if not swapped:
        raise LookupError(mutation.name)


def _in_child(act: Callable[[], int], *, for_s: float) -> int | None:
    """Do something in a forked process; return its exit status, or None if it took too long."""
    child = os.fork()
    if child == 0:
        os.setpgid(0, 0)  # with all that a test starts
        status = _KILLED
        try:
            status = min(act(), _KILLED)
        except LookupError:
            status = _BROKEN
        finally:
            os._exit(status)
    until = time.monotonic() + for_s
    while time.monotonic() < until:
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            return os.waitstatus_to_exitcode(status)
        time.sleep(0.01)
    os.killpg(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return None


def pytest_configure(config: Any) -> None:  # Any: pytest's own has no public name for plugins
    """Leave the terminal to the program that started us."""
    config.option.verbose = -2
