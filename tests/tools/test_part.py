"""A part of `bench` measures in a process of its own, with the sizes that were asked for."""

from __future__ import annotations

import json
import math
from typing import Any, Self

import pytest

from tools.benchmark import part
from tools.benchmark.demands import Demand, show_demands
from tools.benchmark.load.stage import read_options
from tools.benchmark.part import BenchPart, SizeOption
from tools.benchmark.progress import show_progress

GIVEN: dict[str, Any] = {"part": "growth", "here": None, "json": True, "database": None}


def _part(measured: float) -> BenchPart:
    return BenchPart(
        HELP="costs",
        measure=lambda options, say: [Demand(name="x", measured=measured, most=options["bots"])],
        sizes=(SizeOption("bots", 100, 10, "bots"),),
    )


@pytest.mark.parametrize(
    ("options", "bots", "kinds"),
    [
        ({"bots": None, "quick": False}, 100, ("sqlite", "postgres")),
        ({"bots": None, "quick": True}, 10, ("sqlite", "postgres")),
        ({"bots": 3, "quick": True, "database": "sqlite"}, 3, ["sqlite"]),
    ],
)
def test_child_gets_the_sizes(
    options: dict[str, Any], bots: int, kinds: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    runs: list[tuple[object, str, list[str]]] = []
    monkeypatch.setattr(
        part,
        "run_on",
        lambda kinds, module, arguments, **_: runs.append((kinds, module, arguments)),
    )

    _part(1.0).run({**GIVEN, **options})

    ((databases, module, arguments),) = runs
    assert (databases, module) == (kinds, "django")
    assert arguments[:-1] == ["bench", "growth", "--here"]
    assert json.loads(arguments[-1])["bots"] == bots


@pytest.mark.parametrize(("measured", "status"), [(2.0, 0), (4.0, 1)])
def test_child_ends_as_its_figures_say(
    measured: float, status: int, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as end:
        _part(measured).run({**GIVEN, "here": json.dumps({"bots": 3, "json": True})})

    assert end.value.code == status
    assert json.loads(capsys.readouterr().out)["x"]["measured"]["measured"] == measured


def test_module_that_measures_by_itself_reads_its_options(monkeypatch: pytest.MonkeyPatch) -> None:
    facts = {"json": False, "matches": 48, "part": "nodes"}
    monkeypatch.setattr("sys.argv", ["nodes", json.dumps(facts)])

    options = read_options("matches")

    assert (options.matches, options.json) == (48, False)


@pytest.mark.parametrize(
    ("bounds", "measured", "is_met", "said"),
    [
        ({}, 7.0, True, ""),
        ({"least": 5.0}, 5.0, True, "≥ 5"),
        ({"least": 5.0}, 4.9, False, "≥ 5"),
        ({"most": 5.0}, 5.0, True, "≤ 5"),
        ({"most": 5.0}, 5.1, False, "≤ 5"),
        ({"least": 0.9, "most": 1.1}, 1.0, True, "0.9 to 1.1"),
        ({"least": 0.9, "most": 1.1}, 1.2, False, "0.9 to 1.1"),
        ({"least": 0.9, "most": 1.1}, math.nan, False, "0.9 to 1.1"),
    ],
)
def test_figure_is_met_within_its_bounds(
    bounds: dict[str, Any], measured: float, is_met: bool, said: str
) -> None:
    demand = Demand(name="turns", measured=measured, **bounds)

    assert (demand.is_met, demand.bounds) == (is_met, said)


def test_one_missed_demand_fails_all(capsys: pytest.CaptureFixture[str]) -> None:
    good, bad = (Demand(name=name, measured=2.0, most=most) for name, most in (("a", 3), ("b", 1)))

    assert show_demands("Costs", [good], as_json=False) == 0
    assert show_demands("Costs", [good, bad, Demand(name="c", measured=9.0)], as_json=False) == 1

    printed = capsys.readouterr().out
    assert "all 1 figures with a limit are met" in printed
    assert "1 of 2 figures with a limit are MISSED" in printed


def test_rows_of_figures_share_columns_and_are_judged_one_by_one(
    capsys: pytest.CaptureFixture[str],
) -> None:
    rows = {
        "claims": [Demand(name="ms", measured=2.0), Demand(name="ratio", measured=1.4, most=1.3)],
        "pages": [Demand(name="ratio", measured=1.2, most=1.3)],
    }

    assert show_demands("Growth", rows, as_json=False) == 1

    printed = capsys.readouterr().out
    assert "1.4 MISSED" in printed
    assert "≤ 1.3" in printed
    assert "Growth: 1 of 2 figures with a limit are MISSED." in printed


def test_script_gets_the_figures_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    show_demands("Costs", [Demand(name="a", measured=2.0, most=3)], as_json=True)

    told = json.loads(capsys.readouterr().out)

    assert (told["a"]["measured"]["measured"], told["a"]["measured"]["most"]) == (2.0, 3)


class Screen:
    """A terminal with a status line, or a log."""

    def __init__(self, *, is_terminal: bool) -> None:
        self.is_terminal = is_terminal
        self.lines: list[str] = []
        self.shown: list[str] = []

    def print(self, text: str) -> None:
        self.lines.append(text)

    def status(self, text: str) -> Screen:
        self.shown.append(text)
        return self

    def update(self, text: str) -> None:
        self.shown.append(text)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.shown.append("")


@pytest.mark.parametrize("is_terminal", [True, False])
def test_log_shows_each_step_on_a_line_of_its_own(is_terminal: bool) -> None:
    screen: Any = Screen(is_terminal=is_terminal)  # Any: what a console does of it

    with show_progress(screen) as say:
        say("Playing")

    assert screen.lines == ([] if is_terminal else ["Starting", "Playing"])
    assert screen.shown == (["Starting", "Playing", ""] if is_terminal else [])
