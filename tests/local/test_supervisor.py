"""The supervisor against real processes: restarts, order, and nothing left behind."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from pentathlon.local.servers.processes import ServerFailed
from pentathlon.local.supervisor import Service, Supervisor, _pause_s
from tests.patience import PATIENCE_S

# Runs two services until it is told to stop.
PROGRAM = """
import sys
from pathlib import Path
from pentathlon.local.supervisor import Service, Supervisor

folder = Path(sys.argv[1])
command = ["sh", "-c", f"echo $$ >> '{folder}/pids'; exec sleep 600"]
services = [Service(name="one", command=command), Service(name="two", command=command)]
supervisor = Supervisor(services, logs=folder / "logs", show=lambda name, line: None)
supervisor.start()
(folder / "started").touch()
try:
    supervisor.run()
finally:
    supervisor.stop()
"""


def test_pause_grows_with_every_death_up_to_a_bound() -> None:
    assert [_pause_s(deaths) for deaths in (1, 2, 3, 7, 2000)] == [0.5, 1.0, 2.0, 30.0, 30.0]


def eventually(is_true: Callable[[], bool]) -> bool:
    """Wait for something that another process does."""
    deadline = time.monotonic() + PATIENCE_S
    while not is_true():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.02)
    return True


def tended(supervisor: Supervisor, is_true: Callable[[], bool]) -> bool:
    """Wait for something while the supervisor does its work."""

    def tend_and_ask() -> bool:
        supervisor.tend()
        return is_true()

    return eventually(tend_and_ask)


def is_running(pid: int) -> bool:
    state = Path(f"/proc/{pid}/stat")
    return state.exists() and state.read_text().rpartition(")")[2].split()[0] != "Z"


@contextmanager
def program(folder: Path) -> Iterator[tuple[subprocess.Popen[bytes], list[int]]]:
    path = os.pathsep.join(path for path in sys.path if path)
    process = subprocess.Popen(
        [sys.executable, "-c", PROGRAM, str(folder)], env={**os.environ, "PYTHONPATH": path}
    )
    try:
        assert eventually((folder / "started").exists)
        assert eventually(lambda: len((folder / "pids").read_text().split()) == 2)
        yield process, [int(pid) for pid in (folder / "pids").read_text().split()]
    finally:
        process.kill()
        process.wait()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_signal_stops_every_service(tmp_path: Path, number: signal.Signals) -> None:
    with program(tmp_path) as (process, pids):
        process.send_signal(number)

        assert process.wait(PATIENCE_S) == 0
        assert not any(map(is_running, pids))


def test_killed_supervisor_leaves_no_orphan(tmp_path: Path) -> None:
    with program(tmp_path) as (process, pids):
        process.kill()

        assert eventually(lambda: not any(map(is_running, pids)))


def test_dead_service_is_started_again(tmp_path: Path) -> None:
    starts = tmp_path / "starts"
    shown: list[str] = []
    service = Service(name="fragile", command=["sh", "-c", f"echo x >> {starts}; exit 3"])
    supervisor = quiet(service, tmp_path, show=lambda name, line: shown.append(line))

    with running(supervisor):
        assert tended(supervisor, lambda: starts.exists() and starts.read_text().count("x") >= 2)

    assert "ended with code 3; starting it again in 0.5 s." in shown[0]


def test_dead_service_takes_its_children_along(tmp_path: Path) -> None:
    pid = tmp_path / "pid"
    service = Service(
        name="parent",
        command=["sh", "-c", f"sleep 600 & echo $! > {pid}.new; mv {pid}.new {pid}; exit 1"],
    )
    supervisor = quiet(service, tmp_path)

    with running(supervisor):
        assert eventually(pid.exists)
        child = int(pid.read_text())

        assert tended(supervisor, lambda: not is_running(child))


def test_vital_service_that_cannot_live_ends_everything(tmp_path: Path) -> None:
    command = ["sh", "-c", "echo the disk is full; exit 1"]
    supervisor = quiet(Service(name="web", command=command, vital=True), tmp_path)

    with running(supervisor), pytest.raises(ServerFailed) as failed:
        supervisor.run()

    assert "web ended 3 times in a row (code 1)." in str(failed.value)
    assert "the disk is full" in str(failed.value)


def test_vital_service_that_came_up_is_never_given_up(tmp_path: Path) -> None:
    starts = tmp_path / "starts"
    command = ["sh", "-c", f"echo x >> {starts}; sleep 0.2; exit 1"]
    service = Service(name="web", command=command, vital=True, is_ready=starts.exists)
    supervisor = quiet(service, tmp_path)

    with running(supervisor):
        assert tended(supervisor, lambda: starts.read_text().count("x") >= 4)


def test_logs_of_the_run_before_are_kept(tmp_path: Path) -> None:
    for word in ("first", "second"):
        ready = tmp_path / word
        command = ["sh", "-c", f"echo {word}; touch {ready}; exec sleep 600"]
        with running(quiet(Service(name="web", command=command, is_ready=ready.exists), tmp_path)):
            pass

    assert (tmp_path / "logs" / "web.log").read_text() == "second\n"
    assert (tmp_path / "logs" / "web.before.log").read_text() == "first\n"


def test_service_that_takes_its_time_is_spoken_of(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pentathlon.local.supervisor._SILENCE_S", 0.1)
    shown: list[tuple[str, str]] = []
    service = Service(name="web", command=["sleep", "600"], is_ready=lambda: bool(shown))
    supervisor = quiet(service, tmp_path, show=lambda name, line: shown.append((name, line)))

    with running(supervisor):
        pass

    assert shown[0] == ("web", f"not ready yet; it logs to {tmp_path / 'logs' / 'web.log'}.")


def test_service_that_never_gets_ready_is_reported_with_its_words(tmp_path: Path) -> None:
    command = ["sh", "-c", "echo no such port; exit 2"]
    service = Service(name="web", command=command, is_ready=lambda: False)
    supervisor = quiet(service, tmp_path)

    with pytest.raises(ServerFailed, match=r"(?s)web ended with code 2.*no such port"):
        supervisor.start()


def test_others_wait_for_the_first_service(tmp_path: Path) -> None:
    up = tmp_path / "up"
    first = Service(
        name="broker",
        command=["sh", "-c", f"sleep 0.2; touch {up}; exec sleep 600"],
        is_ready=up.exists,
        is_first=True,
    )
    seen = tmp_path / "seen"
    second = Service(name="worker", command=["sh", "-c", f"ls {up} > {seen}; exec sleep 600"])
    supervisor = quiet(first, tmp_path, second)

    with running(supervisor):
        assert eventually(lambda: seen.exists() and bool(seen.read_text()))


def test_services_stop_in_opposite_order(tmp_path: Path) -> None:
    order = tmp_path / "order"
    supervisor = quiet(recorder("broker", order), tmp_path, recorder("worker", order))

    with running(supervisor):
        assert eventually(lambda: order.exists() and order.read_text().count("up") == 2)

    assert order.read_text().split() == ["up", "up", "worker", "broker"]


def test_stubborn_service_is_killed_in_the_end(tmp_path: Path) -> None:
    started = tmp_path / "started"
    command = ["sh", "-c", f"trap '' TERM; touch {started}; while :; do sleep 0.05; done"]
    supervisor = quiet(Service(name="deaf", command=command, patience_s=0.2), tmp_path)

    with running(supervisor):
        assert eventually(started.exists)
        before = time.monotonic()

    assert time.monotonic() - before < PATIENCE_S


def test_followed_logs_are_shown_with_the_name_of_the_service(tmp_path: Path) -> None:
    shown: list[tuple[str, str]] = []
    service = Service(name="talker", command=["sh", "-c", "echo hello; exec sleep 600"])
    supervisor = Supervisor(
        [service],
        logs=tmp_path / "logs",
        show=lambda name, line: shown.append((name, line)),
        follow=True,
    )

    with running(supervisor):
        assert tended(supervisor, lambda: bool(shown))

    assert shown == [("talker", "hello")]


def recorder(name: str, order: Path) -> Service:
    script = f"trap 'echo {name} >> {order}; exit' TERM; echo up >> {order}; "
    return Service(name=name, command=["sh", "-c", script + "while :; do sleep 0.05; done"])


def quiet(
    service: Service,
    folder: Path,
    *more: Service,
    show: Callable[[str, str], None] = lambda name, line: None,
) -> Supervisor:
    return Supervisor([service, *more], logs=folder / "logs", show=show)


@contextmanager
def running(supervisor: Supervisor) -> Iterator[None]:
    """Start the services and stop them again, with this process's own signal handlers kept."""
    kept = {number: signal.getsignal(number) for number in (1, 2, 15)}
    try:
        supervisor.start()
        yield
    finally:
        supervisor.stop()
        for number, handler in kept.items():
            signal.signal(number, handler)


def test_replaced_service_ends_before_the_new_one_runs(tmp_path: Path) -> None:
    said = tmp_path / "said"

    def service(word: str) -> Service:
        script = f"trap 'echo end {word} >> {said}; exit' TERM; echo {word} >> {said}; "
        return Service(name="one", command=["sh", "-c", f"{script} while :; do sleep .05; done"])

    supervisor = quiet(service("old"), tmp_path)
    with running(supervisor):
        assert eventually(said.exists)
        supervisor.replace(service("new"))
        assert eventually(lambda: "new" in said.read_text())

    assert said.read_text().split()[:4] == ["old", "end", "old", "new"]
