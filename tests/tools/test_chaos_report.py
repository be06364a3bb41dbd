"""The report of a run under fire is sound only if nothing was lost, doubled or made up."""

from dataclasses import replace
from io import StringIO
from typing import Any

import pytest
from rich.console import Console

from tools.chaos.audit import Account
from tools.chaos.report import table_of
from tools.chaos.run import Report

ACCOUNT = Account(
    matches=1200,
    lost=0,
    doubled=0,
    run_twice=7,
    without_keys=300,
    attempts={"accepted": 1200, "expired": 7},
    charged={},
    rating_differences=0,
    schedule_differences=0,
    quarantined=0,
)
REPORT = Report(
    seed=7,
    database="postgresql",
    full_disk="imitated",
    faults={"kill worker": 3, "cut line": 2},
    account=ACCOUNT,
    refused={"stale_token": 4},
    requeued=1,
    tournaments={"Storm": 1200},
    table_equal=True,
    results_equal=True,
)


def lines_of(report: Report) -> list[str]:
    """Return the rows as a person reads them, with one space between cells."""
    screen = StringIO()
    Console(file=screen, width=120).print(table_of(report))
    return [" ".join(line.replace("│", " ").split()) for line in screen.getvalue().splitlines()]


def test_report_tells_what_was_done_and_what_came_of_it() -> None:
    lines = lines_of(REPORT)

    assert REPORT.is_sound
    for row in (
        "cut line 2", "kill worker 3", "faults in all 5", "matches, Storm 1,200", "lost 0",
        "attempts expired 7", "late results refused: stale_token 4",
        "final tables and places equal to a quiet run yes",
    ):  # fmt: skip
        assert row in lines


@pytest.mark.parametrize(
    ("harm", "row"),
    [
        ({"lost": 1}, "lost 1"),
        ({"doubled": 2}, "doubled 2"),
        ({"charged": {"crash": 3}}, "seats charged: crash 3"),
        ({"quarantined": 1}, "honest workers in quarantine 1"),
        ({"rating_differences": 1}, "ratings unlike a recompute 1"),
        ({"schedule_differences": 1}, "schedules unlike those made again 1"),
    ],
)
def test_any_harm_makes_a_run_unsound_and_has_its_row(harm: dict[str, Any], row: str) -> None:
    report = replace(REPORT, account=replace(ACCOUNT, **harm))

    assert not report.is_sound
    assert row in lines_of(report)
    assert report.to_json()["sound"] is False


@pytest.mark.parametrize("part", ["table_equal", "results_equal"])
def test_run_that_ends_otherwise_than_a_quiet_one_is_unsound(part: str) -> None:
    report = replace(REPORT, **{part: False})  # type: ignore[arg-type]  # a flag by its name

    assert not report.is_sound
    assert any(line.endswith("to a quiet run no") for line in lines_of(report))
