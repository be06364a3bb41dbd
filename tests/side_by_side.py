"""Run the tests of one collection in several processes, all forked from the one that collected.

Importing and collecting everything takes 15 seconds of CPU time. Done once, it is there in every
process; the file is the unit of work, so what a module prepares is prepared once, too.
"""

import os
import struct
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import groupby
from multiprocessing import get_context
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any

import coverage
import pytest
from celery import current_app
from django.conf import settings
from django.test import override_settings

from pentathlon import connections
from pentathlon.env import export
from tests.brokers import own_broker

PROCESS = pytest.StashKey[str]()
"""The name of a process in a run of several."""

_NUMBER = struct.Struct("H")
_fork = get_context("fork")


class SideBySide:
    """A plugin that hands the files of tests to processes and reports what they tell."""

    def __init__(self, processes: int) -> None:
        self._count = processes

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool | None:
        """Run all tests, unless nothing was collected or the collection failed."""
        if session.testsfailed or session.config.option.collectonly or not session.items:
            return None
        files = by_file(session.items)
        _temporary(session.config).getbasetemp()  # one for all, removed by this process
        with queue_of(len(files)) as queue:
            crew = [_Worker(session, files, queue, number) for number in range(self._count)]
            try:
                self._listen(session, crew, queue)
            finally:
                for worker in crew:
                    worker.end()
        if session.shouldfail:
            raise session.Failed(session.shouldfail)
        return True

    def _listen(self, session: pytest.Session, crew: list["_Worker"], queue: int) -> None:
        open_pipes: dict[object, _Worker] = {worker.pipe: worker for worker in crew}
        while open_pipes:
            for pipe in wait([worker.pipe for worker in open_pipes.values()]):
                if not open_pipes[pipe].report(session):
                    del open_pipes[pipe]
            if session.shouldfail or session.shouldstop:
                while os.read(queue, 1 << 16):  # the others finish what they have begun
                    pass


class _Worker:
    """One process as the first one sees it."""

    def __init__(
        self, session: pytest.Session, files: list[list[pytest.Item]], queue: int, number: int
    ) -> None:
        self.pipe, far_end = _fork.Pipe(duplex=False)
        self._running = ""
        work = _Work(session, files, queue=queue, pipe=far_end, number=number)
        self._process: BaseProcess = _fork.Process(target=work.run)
        self._process.start()
        far_end.close()

    def report(self, session: pytest.Session) -> bool:
        """Pass one message on to the plugins; return False after the last one."""
        hook = session.config.hook
        try:
            name, content = self.pipe.recv()
        except EOFError:
            self._process.join()
            hook.pytest_runtest_logreport(report=self._death())
            return False
        if name == "end":
            return False
        if name == "logstart":
            self._running = content[0]
            hook.pytest_runtest_logstart(nodeid=content[0], location=content[1])
        elif name == "logfinish":
            self._running = ""
            hook.pytest_runtest_logfinish(nodeid=content[0], location=content[1])
        else:
            report = hook.pytest_report_from_serializable(config=session.config, data=content)
            hook.pytest_runtest_logreport(report=report)
        return True

    def end(self) -> None:
        """End the process, if it has not ended by itself."""
        if self._process.is_alive():
            self._process.terminate()
        self._process.join()
        self.pipe.close()

    def _death(self) -> pytest.TestReport:
        where = self._running or "(between two tests)"
        return pytest.TestReport(
            nodeid=where,
            location=(where, None, where),
            keywords={},
            outcome="failed",
            longrepr=f"The process ended with {self._process.exitcode} in {where}.",
            when="call",
        )


class _Work:
    """What one process does after the fork."""

    def __init__(
        self,
        session: pytest.Session,
        files: list[list[pytest.Item]],
        *,
        queue: int,
        pipe: "Connection[Any, Any]",  # Any: the names of hooks with their arguments
        number: int,
    ) -> None:
        self._session = session
        self._files = files
        self._queue = queue
        self._pipe = pipe
        self._number = number

    def run(self) -> None:
        """Run the tests of one file after the other, until none is left."""
        config = self._session.config
        config.stash[PROCESS] = f"p{self._number}"
        _keep_output_apart(config)
        _keep_files_apart(config)
        _take_broker(self._number)
        config.pluginmanager.register(self, "side-by-side-reports")
        with _coverage_of_its_own():
            items = self._items()
            item = next(items, None)
            while item is not None:
                following = next(items, None)
                config.hook.pytest_runtest_protocol(item=item, nextitem=following)
                item = following
        self._pipe.send(("end", None))

    def _items(self) -> Iterator[pytest.Item]:
        while taken := os.read(self._queue, _NUMBER.size):
            yield from self._files[_NUMBER.unpack(taken)[0]]

    def pytest_runtest_logstart(self, nodeid: str, location: object) -> None:
        """Say which test begins."""
        self._pipe.send(("logstart", (nodeid, location)))

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Say how a part of a test went."""
        hook = self._session.config.hook
        data = hook.pytest_report_to_serializable(config=self._session.config, report=report)
        self._pipe.send(("logreport", data))

    def pytest_runtest_logfinish(self, nodeid: str, location: object) -> None:
        """Say that a test has ended."""
        self._pipe.send(("logfinish", (nodeid, location)))


def by_file(items: list[pytest.Item]) -> list[list[pytest.Item]]:
    """Return the tests of each file; first the files with slow ones, so that none ends last."""
    places: dict[Path, list[pytest.Item]] = {}
    for path, group in groupby(items, key=lambda item: item.path):
        places.setdefault(path, []).extend(group)
    return sorted(
        places.values(), key=lambda file: not any(i.get_closest_marker("slow") for i in file)
    )


@contextmanager
def queue_of(count: int) -> Iterator[int]:
    """Give a pipe with the numbers below `count`, from which each is read once."""
    reading, writing = os.pipe()
    os.write(writing, b"".join(_NUMBER.pack(number) for number in range(count)))
    os.close(writing)
    yield reading
    os.close(reading)


def _keep_output_apart(config: pytest.Config) -> None:
    """Let this process capture into files of its own and print nothing."""
    capture: Any = config.pluginmanager.get_plugin("capturemanager")  # Any: pytest's own
    capture.stop_global_capturing()
    capture.start_global_capturing()
    config.pluginmanager.unregister(name="terminalreporter")


def _keep_files_apart(config: pytest.Config) -> None:
    factory = _temporary(config)
    factory._basetemp = factory.getbasetemp() / config.stash[PROCESS]
    factory._basetemp.mkdir()


def _temporary(config: pytest.Config) -> pytest.TempPathFactory:
    """Return what makes temporary folders; pytest-xdist takes it from there, too."""
    factory: pytest.TempPathFactory = config._tmp_path_factory  # type: ignore[attr-defined]  # private
    return factory


def _take_broker(number: int) -> None:
    """Use a numbered database of the broker, as will all that is started from here."""
    url = own_broker(str(settings.REDIS_URL), number=number + 1)
    export("REDIS_URL", url)
    address, _ = connections.broker(url, data=settings.DATA_FOLDER)
    override_settings(
        REDIS_URL=url, CACHES={"default": connections.cache(url)}, CELERY_BROKER_URL=address
    ).enable()
    current_app.conf.update(broker_url=address)


@contextmanager
def _coverage_of_its_own() -> Iterator[None]:
    """Count in a file of this process what runs, if the first process counts."""
    first = coverage.Coverage.current()
    if first is None:
        yield
        return
    first.stop()
    own = coverage.Coverage(data_file=first.config.data_file, data_suffix=True)
    own.start()
    yield
    own.stop()
    own.save()
