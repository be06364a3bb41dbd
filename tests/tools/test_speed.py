"""`bench engines`: what it counts, and what it makes of the figures."""

import json
import random
import sys
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from pentathlon.env import CHECKOUT
from pentathlon_engines import GAMES
from tools.benchmark.demands import show_demands
from tools.benchmark.speed.command import rates, ratios, report
from tools.benchmark.speed.contestant import Contestant
from tools.benchmark.speed.drivers import driver_of
from tools.benchmark.speed.field import Figures, SpeedEntry, measure, our_entries

OURS: Figures = {
    "moves": 90.0,
    "listed": 600.0,
    "playouts": 5.0,
    "vector": 2.0,
    "pettingzoo": 7.0,
}
FAST: Figures = {
    "moves": 180.0,
    "listed": 1200.0,
    "playouts": 60.0,
    "vector": 2.5,
    "pettingzoo": 9.0,
}


def entry(build: str, game: str) -> SpeedEntry:
    return SpeedEntry(build=build, package=build, game=game, python=Path(sys.executable), path=())


ROWS: list[tuple[SpeedEntry, Figures]] = [
    (entry("pure", "tuned"), OURS),
    (entry("compiled", "tuned"), FAST),
    (entry("chess", "chess"), {"moves": 10.0, "listed": 300.0}),
    (entry("open_spiel", "connect_four"), {"moves": 400.0, "listed": 2400.0}),
]


@pytest.mark.parametrize("key", GAMES)
def test_driven_match_counts_decisions_and_listed_actions(key: str) -> None:
    moves, listed = driver_of("pentathlon", key)(random.Random(1))

    assert 0 < moves <= listed


def test_contestant_measures_every_task() -> None:
    contestant = Contestant("pentathlon", "tuned")

    driven, inside = contestant.driven(0.01), contestant.inside(0.01)
    parts = contestant.parts(0.01)

    assert driven["listed"] > driven["moves"] > driven["matches"] > 0
    assert inside["playouts"] > 0
    learning = contestant.learning(0.01)

    assert learning.keys() == {"vector", "pettingzoo"}
    assert all(times > 0 for times in learning.values())
    assert parts.keys() == {"copy_ns", "legal_ns", "apply_ns"}


def test_contestants_answer_from_their_own_processes() -> None:
    (pure, _) = our_entries(["tuned"], compiled=CHECKOUT)
    said: list[str] = []

    ((measured, figures),) = measure([pure], rounds=1, slice_s=0.01, say=said.append)

    assert measured is pure
    assert figures["moves"] > 0
    assert said == ["Round 1 of 1: tuned, pure"]


def test_ratios_stand_beside_the_others_of_the_run(capsys: pytest.CaptureFixture[str]) -> None:
    found = {name: row[0].measured for name, row in ratios(ROWS).items()}

    assert found == {
        "moves, pure / chess": 9.0,
        "listed, pure / chess": 2.0,
        "listed, compiled / connect_four": 0.5,
        "playouts, compiled / pure": 12.0,
        "moves, compiled / pure": 2.0,
        "vector step, pure / rules": 2.0,
        "pettingzoo step, pure / rules": 7.0,
        "vector step, compiled / rules": 2.5,
        "pettingzoo step, compiled / rules": 9.0,
    }
    assert show_demands("Ratios", ratios(ROWS), as_json=False) == 1
    assert "3 of 8 figures with a limit are MISSED" in capsys.readouterr().out


def test_rates_name_games_and_builds(capsys: pytest.CaptureFixture[str]) -> None:
    show_demands("Rates", rates(ROWS), as_json=False)

    text = capsys.readouterr().out

    assert all(word in text for word in ("tuned, compiled", "connect_four", "1,200"))


def test_json_is_one_document_with_rates_and_ratios(capsys: pytest.CaptureFixture[str]) -> None:
    assert report(ROWS, as_json=True) == 1

    told = json.loads(capsys.readouterr().out)
    assert told["tuned, pure"]["moves/s"]["measured"] == 90.0
    assert told["playouts, compiled / pure"]["tuned"]["measured"] == 12.0


def test_unknown_game_is_refused_with_the_known_ones() -> None:
    with pytest.raises(CommandError, match=r"no game 'go'; the games are azure, "):
        call_command("bench", "engines", "go")
