"""A part of `bench` measures in a process of its own, with the sizes that were asked for."""

import json
from typing import Any

import pytest

from tools.benchmark import part
from tools.benchmark.demands import Demand
from tools.benchmark.load.stage import read_options
from tools.benchmark.part import BenchPart, SizeOption

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
    facts = {"json": False, "matches": 48, "part": "wire"}
    monkeypatch.setattr("sys.argv", ["wire", json.dumps(facts)])

    options = read_options("matches")

    assert (options.matches, options.json) == (48, False)
