"""`manage.py up` as a person runs it: one process, real services, real bots."""

import re
import time
from collections.abc import Sequence
from io import StringIO
from pathlib import Path
from urllib.request import urlopen

import pytest
from django.core.management import CommandError, call_command
from django.db.utils import ConnectionHandler
from pytest_django.fixtures import Settings
from rich.console import Console

from pentathlon.local.demo import demo as demo_module
from pentathlon.local.demo.demo import Demo
from pentathlon.local.demo.logins import demo_logins
from pentathlon.local.demo.plan import Plan
from pentathlon.local.management.commands import up as command
from tests.local.demo_sites import (
    PATIENCE_S,
    demand_that_all_was_played,
    last_table,
    wait_for_the_end,
)
from tests.local.small_demo import small_plans
from tests.ports import unused_port
from tools.benchmark.newcomer.command import walk
from tools.benchmark.newcomer.person import Newcomer
from tools.benchmark.own_site import environment_apart, running_up


class NoSupervisor:
    """Starts nothing."""

    is_stopping = False

    def __init__(self, *services: object, **options: object) -> None: ...
    def start(self) -> None: ...
    def run(self, **options: object) -> None: ...
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

    call_command("up", "--no-demo", "--no-compiled", f"--port={unused_port()}")

    said = capsys.readouterr().out
    assert re.search(r"sign up at http://\S+/sign-up/\n.*manage.py createsuperuser", said)
    assert "sign in as" not in said


@pytest.mark.parametrize(
    ("option", "sentence"),
    [
        pytest.param(
            "--port=99999", "--port takes a number from 1 to 65535, not 99999.", id="no such port"
        ),
        pytest.param(
            "--host=nowhere.invalid", "--host nowhere.invalid is not an address", id="no such host"
        ),
        pytest.param("--workers=-3", "--workers takes a number from 1, not -3.", id="no workers"),
    ],
)
def test_option_that_cannot_be_meant_is_refused_in_a_sentence(option: str, sentence: str) -> None:
    with pytest.raises(CommandError, match=re.escape(sentence)) as refused:
        call_command("up", option)

    assert refused.value.returncode == 2


@pytest.mark.slow
def test_up_plays_its_demo_once_and_rates_what_a_newcomer_submits(
    tmp_path: Path, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A small round robin stands for the demo, and one ladder for all of them.

    `manage.py test sites` starts `up` twice, and copies every command into a shell.
    """
    shown = small_plans()
    data = tmp_path / "data"
    # pip reads this as "no": three commands import a part of what it would compile.
    monkeypatch.setenv("PIP_NO_COMPILE", "0")
    with running_up(
        "--workers=2",
        port=unused_port(),
        output=tmp_path / "up.out",
        environment=environment_apart(
            data,
            DJANGO_SETTINGS_MODULE="tests.local.small_ladder",
            PENTATHLON_STARVED_SHARE="2",  # a busy machine must hold no slot that a test awaits
        ),
        program=("-m", "tests.local.small_demo"),
    ) as running:
        address = running.address()
        newcomer = Newcomer(address, tmp_path / "newcomer")
        newcomer.sign_up("grace")
        walked = walk(newcomer, lambda step: None)
        running.wait_for(last_table(shown))
        demand_that_all_was_played(address, running.said(), shown)
        with urlopen(f"{address}/readyz") as answer:
            assert answer.status == 200
        settings.DATA_FOLDER = data
        with pytest.raises(CommandError) as refused:
            call_command("up", f"--port={unused_port()}")
        again = demo_told_again(address, data, shown)
        assert running.interrupt() == 0

    # Ended by a rated match on the ladder that the bot has joined automatically.
    verbs = [step.command.split()[1] for step in walked.steps]
    assert verbs == ["install", "login", "init", "submit"]
    assert refused.value.returncode == 1
    assert f"running already on {data}: {address}." in str(refused.value)
    assert len(re.findall(r"sign in as.*", running.said())) == 4
    assert "beats" not in again
    wait_for_the_end(data)


def demo_told_again(address: str, data: Path, shown: Sequence[Plan]) -> str:
    """Return what the next start of `up` tells about a demo that has been played."""
    said = StringIO()
    demo = Demo(address, data=data, logins=demo_logins(data), console=Console(file=said))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(demo_module, "plans", lambda: list(shown))
        demo.start()
        deadline = time.monotonic() + PATIENCE_S
        while not re.search(last_table(shown), said.getvalue()):
            assert time.monotonic() < deadline, said.getvalue()
            time.sleep(0.05)
        demo.stop()
    return said.getvalue()
