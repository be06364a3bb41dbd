"""Long walks through sites that are `up`: `manage.py test sites`.

A small round robin stands for the demo, and one ladder for all; `--whole-demo` plays everything.
"""

import re
from pathlib import Path

import pytest

from pentathlon.env import CHECKOUT
from pentathlon.local.demo.plan import plans
from tests.local.demo_sites import (
    PATIENCE_S,
    demand_that_all_was_played,
    last_table,
    wait_for_ladder_matches,
    wait_for_the_end,
)
from tests.local.newcomer import Copyist, commands_of_guides
from tests.local.small_demo import small_plans
from tests.ports import unused_port
from tools.benchmark.own_site import environment_apart, running_up


def test_newcomer_gets_from_the_kit_to_a_rated_match(
    tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    """Every command that a page or a guide prints is copied into a shell and does its work."""
    # The matches of other ladders and reference bots would cost more than all commands.
    is_whole = request.config.getoption("--whole-demo")
    settings = _settings(is_whole=is_whole)
    with running_up(
        "--no-demo",
        "--workers=1",
        port=unused_port(),
        output=tmp_path / "up.out",
        environment=environment_apart(tmp_path / "data", DJANGO_SETTINGS_MODULE=settings),
    ) as running:
        newcomer = Copyist(running.address(), tmp_path / "newcomer")
        newcomer.sign_up("ada")
        first = newcomer.try_everything(commands_of_guides())
        running.interrupt()

    assert (first["kind"], first["rated"], first["state"]) == ("ladder", True, "done")


def test_up_runs_alone_and_plays_its_demo_once(
    tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    """The second start finds the log-ins of the first, and a demo that has been played."""
    data = tmp_path / "data"
    is_whole = request.config.getoption("--whole-demo")
    shown = plans() if is_whole else small_plans()
    program = (CHECKOUT / "manage.py",) if is_whole else ("-m", "tests.local.small_demo")
    # Ladders would go on playing beside the demo.
    ladders = "1" if is_whole else "0"
    end = last_table(shown)

    with running_up(
        "--workers=2",
        port=unused_port(),
        output=tmp_path / "first.out",
        environment=environment_apart(data, PENTATHLON_LADDERS=ladders),
        program=program,
    ) as first:
        first.wait_for(end)
        log_ins = re.findall(r"sign in as.*", first.said())
        address = first.address()
        demand_that_all_was_played(address, first.said(), shown)
        with running_up(
            port=unused_port(),
            output=tmp_path / "another.out",
            environment=environment_apart(data),
        ) as another:
            assert another.process.wait(PATIENCE_S) == 1
        assert first.interrupt() == 0

    assert f"running already on {data}: {address}." in another.said()
    wait_for_the_end(data)
    # The first run had no ladders, so all bots are new to them.
    with running_up(
        "--workers=2",
        port=unused_port(),
        output=tmp_path / "second.out",
        environment=environment_apart(
            data,
            PENTATHLON_REFERENCE_BOTS="0",
            DJANGO_SETTINGS_MODULE=_settings(is_whole=is_whole),
        ),
        program=program,
    ) as second:
        second.wait_for(end)
        wait_for_ladder_matches(second.address(), "tuned")
        assert second.interrupt() == 0

    assert (len(log_ins), re.findall(r"sign in as.*", second.said())) == (4, log_ins)
    assert "beats" not in second.said()


def _settings(*, is_whole: bool) -> str:
    """Return the settings of a site with all ladders, or with one."""
    return "pentathlon.settings" if is_whole else "tests.local.small_ladder"
