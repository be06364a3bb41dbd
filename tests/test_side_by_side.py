"""A run in several processes: what one process would report, and nothing lost with a process."""

import faulthandler
import os
from pathlib import Path
from typing import cast

import pytest

from tests.brokers import own_broker
from tests.side_by_side import SideBySide, by_file, queue_of

pytest_plugins = ["pytester"]

FIRST = """
import os, signal
def test_passes(): print("said")
def test_fails(): assert "left" == "right"
"""
SECOND = """
import pytest
@pytest.fixture(scope="module")
def place(tmp_path_factory): return tmp_path_factory.mktemp("place")
@pytest.mark.parametrize("n", range(3))
def test_shares_what_its_module_made(place, n):
    (place / str(n)).touch()
    assert len(list(place.iterdir())) == n + 1
@pytest.mark.skip(reason="not here")
def test_is_skipped(): pass
"""
DEADLY = """
import os, signal
def test_ends_its_process(): os.kill(os.getpid(), signal.SIGKILL)
"""


def run(pytester: pytest.Pytester, *options: str, **files: str) -> pytest.HookRecorder:
    pytester.makepyfile(**files)
    # Its thread of this test is not in a forked process, which would wait for its end.
    faulthandler.cancel_dump_traceback_later()
    words = ("-p", "no:randomly", "-p", "no:django", "-p", "no:cacheprovider", *options)
    return pytester.inline_run(*words, plugins=[SideBySide(2)])


def test_each_test_is_reported_once_with_its_outcome(pytester: pytest.Pytester) -> None:
    found = run(pytester, test_first=FIRST, test_second=SECOND)

    passed, skipped, failed = found.listoutcomes()
    assert sorted(report.nodeid.rpartition("::")[2] for report in passed) == [
        "test_passes",
        *(f"test_shares_what_its_module_made[{n}]" for n in range(3)),
    ]
    assert [report.nodeid for report in skipped] == ["test_second.py::test_is_skipped"]
    assert [report.nodeid for report in failed] == ["test_first.py::test_fails"]
    assert "'left' == 'right'" in failed[0].longreprtext


def test_process_that_dies_fails_the_test_that_it_ran(pytester: pytest.Pytester) -> None:
    found = run(pytester, test_deadly=DEADLY, test_second=SECOND)

    _, _, failed = found.listoutcomes()
    assert [report.nodeid for report in failed] == ["test_deadly.py::test_ends_its_process"]
    assert "ended with -9" in failed[0].longreprtext


def test_first_failure_ends_the_run_if_wanted(pytester: pytest.Pytester) -> None:
    files = {f"test_{n}": "def test_fails(): assert False" for n in range(30)}

    found = run(pytester, "-x", **files)

    assert 0 < len(found.listoutcomes()[2]) < 30


class Test:
    """As much of a test as the order needs."""

    __test__ = False

    def __init__(self, path: str, *, slow: bool = False) -> None:
        self.path, self._slow = Path(path), slow

    def get_closest_marker(self, name: str) -> bool:
        return self._slow and name == "slow"


def test_tests_of_a_file_stay_together_and_slow_ones_go_first() -> None:
    one, other, two = Test("a"), Test("b", slow=True), Test("a")

    found = cast("list[list[Test]]", by_file(cast("list[pytest.Item]", [one, other, two])))

    assert found == [[other], [one, two]]


def test_number_in_the_queue_is_taken_once() -> None:
    with queue_of(300) as queue:
        taken = [os.read(queue, 2) for _ in range(301)]

    assert len(set(taken)) == 301
    assert taken[-1] == b""


@pytest.mark.parametrize(
    ("shared", "own"),
    [
        ("unix:///run/broker.sock?db=0", "unix:///run/broker.sock?db=3"),
        ("unix:///run/broker.sock", "unix:///run/broker.sock?db=3"),
        ("redis://:secret@broker:6379/0", "redis://:secret@broker:6379/3"),
        ("redis://broker:6379", "redis://broker:6379/3"),
    ],
)
def test_each_process_has_a_database_of_the_broker(shared: str, own: str) -> None:
    assert own_broker(shared, number=3) == own
