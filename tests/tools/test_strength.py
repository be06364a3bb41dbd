"""The benchmark of the reference bots: what it demands, and the table that it has written."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from pentathlon_engines import GAMES
from pentathlon_engines.manifest import built_in_bots
from tools.benchmark.strength import Strength, measure, read, write

PAIR = Strength(
    game="tuned",
    seats=2,
    bot="mcts",
    against="greedy",
    matches=40,
    share=0.75,
    low=0.6,
    high=0.9,
    demanded=0.7,
    clearly=False,
    faults=0,
    cpu_s=2.0,
    most_cpu_s=3.0,
    slowest_ms=300,
)


@pytest.mark.parametrize(
    ("found", "is_met"),
    [
        (PAIR, True),
        (replace(PAIR, share=0.69), False),
        (replace(PAIR, faults=1), False),
        (replace(PAIR, seats=5, clearly=True, demanded=0.5), True),
        (replace(PAIR, seats=5, clearly=True, demanded=0.5, low=0.49), False),
    ],
)
def test_bot_must_be_as_strong_as_demanded_and_fail_never(found: Strength, is_met: bool) -> None:
    assert found.is_met is is_met


def test_new_line_takes_the_place_of_the_one_for_its_pairing(tmp_path: Path) -> None:
    path = tmp_path / "strength.json"
    path.write_text('{"rows": []}')
    write(replace(PAIR, game="way_of_the_dragon", seats=5), path)
    write(PAIR, path)

    write(replace(PAIR, share=0.8), path)

    rows = read(path)["rows"]
    assert [(row["game"], row["share"]) for row in rows] == [
        ("tuned", 0.8),
        ("way_of_the_dragon", 0.75),
    ]
    assert rows[0]["demand"] == "at least 70%"


def test_table_of_the_docs_tells_of_bots_and_games_that_exist() -> None:
    rows = read()["rows"]

    assert rows
    for row in rows:
        assert {row["bot"], row["against"]} <= set(built_in_bots())
        assert row["seats"] == GAMES[row["game"]].info.seats[1]
        assert 0 <= row["low"] <= row["share"] <= row["high"] <= 1
        assert row["matches"] > 0
        assert row["met"] in (True, False)


@pytest.mark.parametrize("key", ["tuned", "way_of_the_dragon"])
def test_pairing_is_played_by_real_bots(key: str) -> None:
    options = {"matches": 2, "concurrency": 1, "sandbox": False}

    found = measure(GAMES[key], "greedy", "random", 0.9, options)

    assert found.matches == 2
    assert found.faults == 0
    assert found.cpu_s > 0
    assert json.dumps(found.demand) == '"at least 90%"'
