"""`manage.py up` as a person runs it: one process, real services, real bots."""

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.request import urlopen

import pytest

from pentathlon.local.demo_plan import plans
from pentathlon_engines.tournament.schedule import count_matches

ROOT = Path(__file__).resolve().parents[2]
PATIENCE_S = 240.0
MATCHES = sum(
    count_matches(len(plan.bots), seats=plan.seats, cycles=plan.cycles) for plan in plans()
)


class Up:
    """A running `up` and what it has said so far."""

    def __init__(self, process: subprocess.Popen[bytes], output: Path) -> None:
        self.process = process
        self._output = output

    def said(self) -> str:
        return self._output.read_text()

    def wait_for(self, pattern: str) -> re.Match[str]:
        """Return the first match of `pattern` in the output."""
        deadline = time.monotonic() + PATIENCE_S
        while not (found := re.search(pattern, self.said())):
            assert self.process.poll() is None, self.said()
            assert time.monotonic() < deadline, self.said()
            time.sleep(0.05)
        return found

    def interrupt(self) -> int:
        self.process.send_signal(signal.SIGINT)
        return self.process.wait(PATIENCE_S)


@contextmanager
def up(data: Path, *options: str) -> Iterator[Up]:
    """Run `up` on its own database and broker, away from those of the tests."""
    ours = {"DATABASE_URL", "REDIS_URL", "DJANGO_SETTINGS_MODULE"}
    environment = {name: value for name, value in os.environ.items() if name not in ours}
    output = data.with_suffix(".out")
    with output.open("wb") as file:
        process = subprocess.Popen(
            [sys.executable, "manage.py", "up", "--workers", "2", *options],
            cwd=ROOT,
            env={**environment, "PENTATHLON_DATA": str(data)},
            stdout=file,
            stderr=subprocess.STDOUT,
        )
    try:
        yield Up(process, output)
    finally:
        process.kill()
        process.wait()


def address_of(running: Up) -> str:
    return running.wait_for(r"Pentathlon is at (http://\S+)/ ")[1]


def processes_using(data: Path) -> list[int]:
    """Return all processes that were told of this data folder."""
    mark = f"PENTATHLON_DATA={data}\0".encode()
    return [
        int(folder.name)
        for folder in Path("/proc").glob("[0-9]*")
        if mark in readable(folder / "environ")
    ]


def readable(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError:
        return b""


@pytest.mark.slow
def test_up_serves_until_it_is_interrupted_and_leaves_nothing(tmp_path: Path) -> None:
    with up(tmp_path / "data", "--no-demo") as running:
        with urlopen(f"{address_of(running)}/readyz") as answer:
            status = answer.status
        running.wait_for(r"sign up at http://\S+/sign-up/\n.*manage.py createsuperuser")
        code = running.interrupt()

    assert (status, code) == (200, 0)
    assert processes_using(tmp_path / "data") == []


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (("--port", "99999"), "--port takes a number from 1 to 65535, not 99999."),
        (("--host", "nowhere.invalid"), "--host nowhere.invalid is no address"),
        (("--workers", "-3"), "--workers takes a number from 1, not -3."),
    ],
)
def test_option_that_cannot_be_meant_is_refused_in_a_sentence(
    tmp_path: Path, options: tuple[str, ...], sentence: str
) -> None:
    with up(tmp_path / "data", *options) as refused:
        code = refused.process.wait(PATIENCE_S)

    assert code == 2
    assert refused.said().splitlines()[-1].startswith(f"CommandError: {sentence}")
    assert "Traceback" not in refused.said()


@pytest.mark.slow
def test_second_up_on_the_same_folder_is_refused(tmp_path: Path) -> None:
    with up(tmp_path / "data", "--no-demo") as running:
        address = address_of(running)
        with up(tmp_path / "data", "--no-demo") as second:
            code = second.process.wait(PATIENCE_S)
            said = (tmp_path / "data.out").read_text()

    assert code == 1
    assert f"running already on {tmp_path / 'data'}: {address}." in said


@pytest.mark.slow
def test_demo_is_played_once_and_found_again(tmp_path: Path) -> None:
    with up(tmp_path / "data") as first:
        first.wait_for(r"Leaderboard of Way of the Dragon:\n(?:.*\n){5}")
        log_ins = re.findall(r"sign in as.*", first.said())
        assert first.interrupt() == 0
        assert len(re.findall(r"v1 (?:beats|draws with) ", first.said())) == MATCHES

    with up(tmp_path / "data") as second:
        second.wait_for(r"Leaderboard of Way of the Dragon:\n(?:.*\n){5}")
        assert second.interrupt() == 0

    assert len(log_ins) == 4
    assert re.findall(r"sign in as.*", second.said()) == log_ins
    assert "beats" not in second.said()
