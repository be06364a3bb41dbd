"""`manage.py up` as a person runs it: one process, real services, real bots."""

import re
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
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
from pentathlon.local.demo.people import demo_logins
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
from tools.benchmark.own_site import Up, environment_apart, running_up


class NoSupervisor:
    """Starts nothing."""

    is_stopping = False

    def __init__(self, *services: object, **options: object) -> None: ...
    def start(self) -> None: ...
    def run(self, **options: object) -> None: ...
    def stop(self) -> None: ...


@pytest.mark.parametrize("everybody", [True, False])
def test_without_a_demo_one_is_told_where_to_sign_up_and_who_organises(
    everybody: bool,
    tmp_path: Path,
    settings: Settings,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    settings.DATA_FOLDER = tmp_path
    settings.ORGANISERS_ARE_EVERYBODY = everybody
    monkeypatch.setattr(command, "Supervisor", NoSupervisor)
    monkeypatch.setattr(command, "prepare_database", lambda: None)
    monkeypatch.setattr(command, "prepare_static_files", lambda: None)
    monkeypatch.setattr(command, "connections", ConnectionHandler({}))

    call_command("up", "--no-demo", "--no-compiled", f"--port={unused_port()}")

    said = capsys.readouterr().out
    assert re.search(r"sign up at http://\S+/sign-up/\n.*\n.*manage.py createsuperuser", said)
    assert ("may enter bots and organise tournaments" in said) is everybody
    assert ("staff make organisers: http" in said) is not everybody
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
def test_up_plays_its_demo_once_and_runs_alone(tmp_path: Path, settings: Settings) -> None:
    """A small round robin stands for the demo; `manage.py test sites` starts `up` twice."""
    shown = small_plans()
    data = tmp_path / "data"
    # With ladders, bots would never stop playing.
    with small_up(tmp_path, "--workers=1", PENTATHLON_LADDERS="0") as running:
        address = running.address()
        running.wait_for(last_table(shown))
        demand_that_all_was_played(address, running.said(), shown)
        with urlopen(f"{address}/readyz") as answer:
            assert answer.status == 200
        settings.DATA_FOLDER = data
        with pytest.raises(CommandError) as refused:
            call_command("up", f"--port={unused_port()}")
        again = demo_told_again(address, data, shown)
        assert running.interrupt() == 0

    assert refused.value.returncode == 1
    assert f"running already on {data}: {address}." in str(refused.value)
    assert len(re.findall(r"sign in as.*", running.said())) == 4
    assert "beats" not in again
    wait_for_the_end(data)


@pytest.mark.deep
def test_newcomer_beside_the_demo_gets_to_a_rated_match(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One ladder stands for all; `manage.py test sites` copies every command into a shell."""
    # pip reads this as "no": three commands import a part of what it would compile.
    monkeypatch.setenv("PIP_NO_COMPILE", "0")
    own = {"DJANGO_SETTINGS_MODULE": "tests.local.small_ladder"}
    with small_up(tmp_path, "--workers=2", **own) as running:
        newcomer = Newcomer(running.address(), tmp_path / "newcomer")
        newcomer.sign_up("grace")
        *steps, _ = walk(newcomer, lambda step: None)
        running.wait_for(last_table(small_plans()))

    # `submit` ends with a rated match on the ladder that the bot has joined automatically.
    verbs = [step.name.split()[1] for step in steps]
    assert verbs == ["install", "login", "init", "submit"]


@contextmanager
def small_up(folder: Path, *options: str, **variables: str) -> Iterator[Up]:
    """Run `up` with a small demo and its data in a folder."""
    # A busy machine must not hold back a slot for which a test waits.
    own = {"PENTATHLON_STARVED_SHARE": "2", "DJANGO_SETTINGS_MODULE": "tests.cheap_passwords"}
    environment = environment_apart(folder / "data", **own | variables)
    with running_up(
        *options,
        port=unused_port(),
        output=folder / "up.out",
        environment=environment,
        program=("-m", "tests.local.small_demo"),
    ) as running:
        yield running


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
