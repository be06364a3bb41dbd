"""Tournaments and a ladder while all that they run on is killed: `python3 manage.py test storm`.

The usual run has each of these ends alone: a killed worker and a killed reconciler in
tests/workers/test_worker_process.py, a broker and a database that go away there and in
tests/e2e/test_outages.py, processes killed within their steps in the `test_killed.py` of
tests/pentathlon.
"""

import json
import subprocess
import sys
from typing import Any

import pytest

from pentathlon.env import CHECKOUT
from tools.chaos.document import size_for
from tools.chaos.strikes import STRIKES, plan


def chaos(*options: str) -> dict[str, Any]:
    """Run the command as an operator does; return what it found."""
    ended = subprocess.run(
        [sys.executable, "manage.py", "chaos", "--json", *options],
        cwd=CHECKOUT, capture_output=True, text=True, timeout=600, check=False,
    )  # fmt: skip
    assert ended.returncode == 0, ended.stdout + ended.stderr
    found: dict[str, Any] = json.loads(ended.stdout)
    return found


SHORT_STORM = 4
SEED = 8708
"""The seed of a short storm that ends a worker, a reconciler, the broker and the database."""


@pytest.mark.slow
def test_tournament_under_fire_loses_and_doubles_nothing(request: pytest.FixtureRequest) -> None:
    faults = request.config.getoption("--storm")
    matches = size_for(3 * faults).matches
    found = chaos(
        f"--matches={matches}", f"--faults={faults}", f"--seed={SEED}", "--database=postgres"
    )

    assert sum(found["faults"].values()) == faults
    assert found["tournaments"]["round robin"] == matches
    assert min(found["tournaments"].values()) >= 8
    assert [name for name in found["tournaments"] if "ladder" in name] == [
        "Tuned ladder, season 1, division 1",
        "Tuned ladder, season 2, division 1",
    ]
    assert found["matches"] == found["attempts"]["accepted"] == sum(found["tournaments"].values())
    assert (found["lost"], found["doubled"], found["rating_differences"]) == (0, 0, 0)
    assert found["schedule_differences"] == 0
    assert (found["charged"], found["quarantined"]) == ({}, 0)
    assert found["without_keys"] > 0
    assert found["table_equal"]
    assert found["results_equal"]


def test_short_storm_hits_what_the_platform_stands_on() -> None:
    drawn = [strike.name for strike in plan(SEED, SHORT_STORM, STRIKES)]

    assert len(drawn) == SHORT_STORM
    assert {"worker killed", "reconciler killed", "broker killed", "database crashed"} == {*drawn}
