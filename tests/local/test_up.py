"""`manage.py up` as a person runs it: one process, real services, real bots."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.request import urlopen

import pytest
from django.core.management import CommandError, call_command
from django.db.utils import ConnectionHandler
from pytest_django.fixtures import Settings

from pentathlon.env import IMPORT_PATH
from pentathlon.local.demo_plan import Plan, plans
from pentathlon.local.management.commands import up as command
from pentathlon_engines.tournament.formats.registry import newest_format
from tests.local.newcomer import Newcomer, commands_of_guides
from tests.local.small_demo import small_plans
from tests.ports import unused_port

ROOT = Path(__file__).resolve().parents[2]
PATIENCE_S = 240.0


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
def up(
    data: Path,
    *options: str,
    output: Path | None = None,
    program: Sequence[str] = ("manage.py",),
    **variables: str,
) -> Iterator[Up]:
    """Run `up` on its own database and broker, away from those of the tests."""
    output = output or data.with_suffix(".out")
    ours = {"DATABASE_URL", "REDIS_URL", "DJANGO_SETTINGS_MODULE"}
    environment = {name: value for name, value in os.environ.items() if name not in ours}
    with output.open("wb") as file:
        process = subprocess.Popen(
            [sys.executable, *program, "up", "--workers=2", f"--port={unused_port()}", *options],
            cwd=ROOT,
            env={
                **environment,
                "PENTATHLON_DATA": str(data),
                "PYTHONPATH": IMPORT_PATH,
                **variables,
            },
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


def wait_for_the_end(data: Path) -> None:
    """Return once no process uses the folder: slots end a moment after their worker."""
    deadline = time.monotonic() + PATIENCE_S
    while left := processes_using(data):
        assert time.monotonic() < deadline, left
        time.sleep(0.05)


def readable(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError:
        return b""


class NoSupervisor:
    """Starts nothing."""

    is_stopping = False

    def __init__(self, *services: object, **options: object) -> None: ...
    def start(self) -> None: ...
    def run(self) -> None: ...
    def stop(self) -> None: ...


def test_without_a_demo_one_is_told_where_to_sign_up(
    tmp_path: Path,
    settings: Settings,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    settings.DATA_FOLDER = tmp_path
    monkeypatch.setattr(command, "Supervisor", NoSupervisor)
    monkeypatch.setattr(command, "prepare_database", lambda: None)
    monkeypatch.setattr(command, "prepare_static_files", lambda: None)
    monkeypatch.setattr(command, "connections", ConnectionHandler({}))

    call_command("up", "--no-demo", f"--port={unused_port()}")

    said = capsys.readouterr().out
    assert re.search(r"sign up at http://\S+/sign-up/\n.*manage.py createsuperuser", said)
    assert "sign in as" not in said


@pytest.mark.slow
def test_newcomer_gets_from_the_kit_to_a_rated_match(
    tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    """Every command that a page or a guide prints is copied into a shell and does its work."""
    # What the other ladders and reference bots would play costs more than all commands.
    is_whole = request.config.getoption("--whole-demo")
    settings = _settings(is_whole=is_whole)
    with up(
        tmp_path / "data", "--no-demo", "--workers=1", DJANGO_SETTINGS_MODULE=settings
    ) as running:
        newcomer = Newcomer(address_of(running), tmp_path / "newcomer")
        newcomer.sign_up("ada")
        first = newcomer.try_everything(commands_of_guides())
        running.interrupt()

    assert (first["kind"], first["rated"], first["state"]) == ("ladder", True, "done")


@pytest.mark.parametrize(
    ("option", "sentence"),
    [
        pytest.param(
            "--port=99999", "--port takes a number from 1 to 65535, not 99999.", id="no such port"
        ),
        pytest.param(
            "--host=nowhere.invalid", "--host nowhere.invalid is no address", id="no such host"
        ),
        pytest.param("--workers=-3", "--workers takes a number from 1, not -3.", id="no workers"),
    ],
)
def test_option_that_cannot_be_meant_is_refused_in_a_sentence(option: str, sentence: str) -> None:
    with pytest.raises(CommandError, match=re.escape(sentence)) as refused:
        call_command("up", option)

    assert refused.value.returncode == 2


@pytest.mark.slow
def test_up_runs_alone_and_plays_its_demo_once(
    tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    """A small round robin stands for the demo; `--whole-demo` plays all of it."""
    is_whole = request.config.getoption("--whole-demo")
    shown = plans() if is_whole else small_plans()
    program = ("manage.py",) if is_whole else ("-m", "tests.local.small_demo")
    # They would play on and on beside the demo.
    ladders = "1" if is_whole else "0"
    last_table = (
        rf"(?:Leaderboard|Places) of {shown[-1].label}:\n(?:.*\n){{{len(shown[-1].bots)}}}"
    )

    with up(tmp_path / "data", program=program, PENTATHLON_LADDERS=ladders) as first:
        first.wait_for(last_table)
        log_ins = re.findall(r"sign in as.*", first.said())
        address = address_of(first)
        with urlopen(f"{address}/api/v1/tournaments/?page_size=100") as answer:
            held = json.load(answer)["results"]
        with up(tmp_path / "data", output=tmp_path / "another") as another:
            assert another.process.wait(PATIENCE_S) == 1
        with urlopen(f"{address}/readyz") as answer:
            assert answer.status == 200
        assert first.interrupt() == 0

    assert f"running already on {tmp_path / 'data'}: {address}." in another.said()
    wait_for_the_end(tmp_path / "data")
    assert all(f"{plan.label}: http://" in first.said() for plan in shown)
    assert Counter(each["format"] for each in held) == Counter(format_of(plan) for plan in shown)
    assert {each["state"] for each in held} == {"closed"}
    # How many matches a bracket and finals need depends on their results.
    told = len(re.findall(r"v1 (?:beats|draws with) ", first.said()))
    assert told == sum(each["matches_done"] for each in held)

    # All bots are new to the ladders, which the first run did without.
    with up(
        tmp_path / "data",
        program=program,
        PENTATHLON_REFERENCE_BOTS="0",
        DJANGO_SETTINGS_MODULE=_settings(is_whole=is_whole),
    ) as second:
        second.wait_for(last_table)
        wait_for_ladder_matches(address_of(second), "tuned")
        assert second.interrupt() == 0

    assert (len(log_ins), re.findall(r"sign in as.*", second.said())) == (4, log_ins)
    assert "beats" not in second.said()


def _settings(*, is_whole: bool) -> str:
    """Return the settings of a site with all ladders, or with one."""
    return "pentathlon.settings" if is_whole else "tests.local.small_ladder"


def wait_for_ladder_matches(address: str, key: str) -> None:
    """Return once bots have been played and rated on a ladder that they joined by themselves."""
    deadline = time.monotonic() + PATIENCE_S
    while not any(each["season"]["matches"] for each in ladders_at(address) if each["key"] == key):
        assert time.monotonic() < deadline, ladders_at(address)
        time.sleep(0.2)


def ladders_at(address: str) -> list[dict[str, Any]]:
    """Return the ladders that are there by now: the reconciler makes them."""
    with urlopen(f"{address}/api/v1/ladders/") as answer:
        found: list[dict[str, Any]] = json.load(answer)["results"]
    return found


def format_of(plan: Plan) -> str:
    return newest_format(plan.format, seats=plan.seats).partition("/")[0]
