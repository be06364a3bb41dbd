"""The benchmark of the reference bots: what it demands, and the table that it has written."""

import json
import threading
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from django.core.management.base import CommandError

from pentathlon_engines import GAMES
from pentathlon_engines.desk import match_pool
from pentathlon_engines.manifest import built_in_bots
from tests.engines.cli.interrupting import interrupt_after
from tests.engines.desk.acting import play_in_process
from tools.benchmark import strength
from tools.benchmark.strength import Opponents, Strength, measure, read, write

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
TABLE = replace(
    PAIR, seats=5, clearly=True, demanded=0.5, firsts=0.4, firsts_low=0.3, firsts_high=0.5
)

CHOSEN: dict[str, Any] = {
    "games": [],
    "bot": None,
    "against": None,
    "matches": 10,
    "concurrency": 1,
    "sandbox": False,
    "write": True,
    "json": False,
}
"""The options of the command line, with their values."""


@pytest.mark.parametrize(
    ("found", "is_met"),
    [
        (PAIR, True),
        (replace(PAIR, share=0.69), False),
        (replace(PAIR, faults=1), False),
        (TABLE, True),
        (replace(TABLE, low=0.49), False),
        (replace(TABLE, firsts_low=0.19), False),
    ],
)
def test_bot_must_be_as_strong_as_demanded_and_fail_never(found: Strength, is_met: bool) -> None:
    assert found.is_met is is_met


@pytest.mark.parametrize(
    ("found", "verdict"),
    [
        (PAIR, "met, interval reaches below"),
        (replace(PAIR, low=0.7), "met"),
        (replace(PAIR, share=0.69), "MISSED"),
        (TABLE, "met"),
    ],
)
def test_verdict_tells_whether_the_interval_leaves_a_doubt(found: Strength, verdict: str) -> None:
    assert found.verdict == verdict


def test_interrupt_keeps_what_was_played(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    interrupt_after(4, monkeypatch)
    written: list[Strength] = []
    monkeypatch.setattr(strength, "write", written.append)

    with pytest.raises(CommandError, match=r"Interrupted; .* 4 of azure") as end:
        strength.run({**CHOSEN, "bot": "greedy"})

    assert end.value.returncode == 130
    assert [(row.game, row.matches) for row in written] == [("azure", 4)]
    told = capsys.readouterr()
    assert "azure: greedy v random: 4 of 10 matches" in told.err
    assert "at least 90%" in told.out


def test_every_pairing_is_played_to_its_end(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(match_pool, "play_match", play_in_process)

    with suppress(CommandError):  # all play at random, so any may be weaker than demanded
        strength.run({**CHOSEN, "games": ["tuned"], "matches": 2, "write": False, "json": True})

    found = json.loads(capsys.readouterr().out)
    pairings = [("greedy", "random"), ("mcts", "random"), ("mcts", "greedy")]
    assert [(row["bot"], row["against"]) for row in found] == pairings
    assert [row["matches"] for row in found] == [2, 2, 2]


def test_interrupt_before_the_first_block_tells_of_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    interrupt_after(1, monkeypatch)

    with pytest.raises(CommandError, match="none"):
        strength.run({**CHOSEN, "json": True})


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
    told: list[str] = []

    found = measure(
        GAMES[key],
        Opponents("greedy", "random", 0.9),
        options,
        stop=threading.Event(),
        say=told.append,
    )

    assert found.matches == len(told) == 2
    assert (found.firsts is None) == (found.seats == 2)
    assert found.faults == 0
    assert found.cpu_s > 0
    assert json.dumps(found.demand) == '"at least 90%"'
