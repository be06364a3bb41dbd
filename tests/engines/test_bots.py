"""The built-in bots: they keep the protocol, repeat themselves, and are strong in their order."""

import json
import os
import runpy
import subprocess
import sys
from dataclasses import replace
from itertools import product
from pathlib import Path
from random import Random
from typing import Any

import pytest

from pentathlon_engines import CHANCE, GAMES
from pentathlon_engines.archive.packing import content_hash
from pentathlon_engines.bot import Turn
from pentathlon_engines.contract import registry
from pentathlon_engines.lookahead import is_safe, winning_action
from pentathlon_engines.manifest import bot_command, built_in_bots, read_manifest
from pentathlon_engines.match.events import Event
from pentathlon_engines.match.limits import Limits
from pentathlon_engines.match.plain_launcher import ENGINES, PlainLauncher
from pentathlon_engines.record.record import events_by, verify_record
from pentathlon_engines.record.shape import Record
from pentathlon_engines.runner import MatchReport, SeatBot, play_match
from tests.deep import mostly_deep
from tests.engines.twelve_game import TWELVE

NAMES = sorted(built_in_bots())
LIMITS = Limits(action_cpu_s=5.0, action_wall_s=60.0, match_cpu_s=60.0, startup_wall_s=60.0)
HASTY = Limits(action_cpu_s=5.0, action_wall_s=60.0, match_cpu_s=1.0, startup_wall_s=60.0)
"""Limits with which bots that use all of their time play a long match in a second."""
CLOCK = {"cpu_left_ms": 100, "match_cpu_left_ms": 2000}


def built_in(name: str) -> SeatBot:
    folder = built_in_bots()[name]
    manifest = read_manifest(folder)
    return SeatBot(name=name, hash=content_hash(folder), command=bot_command(folder, manifest))


def play_tuned(*names: str, seed: int = 7, limits: Limits = LIMITS) -> MatchReport:
    return play_game("tuned", *names, seed=seed, limits=limits)


def play_game(key: str, *names: str, seed: int = 7, limits: Limits = LIMITS) -> MatchReport:
    return play_seats(key, [built_in(name) for name in names], seed=seed, limits=limits)


def play_seats(
    key: str, seats: list[SeatBot], *, seed: int = 7, limits: Limits = LIMITS
) -> MatchReport:
    return play_match(
        game=GAMES[key],
        options=None,
        seats=seats,
        seed=seed,
        limits=limits,
        launcher=PlainLauncher(),
    )


def with_iterations(number: int) -> SeatBot:
    """Return `mcts` with a fixed number of simulations for each action."""
    bot = built_in("mcts")
    argv = [*bot.command.argv, "--iterations", str(number)]
    return replace(bot, command=replace(bot.command, argv=argv))


def actions(record: Record) -> list[str]:
    return [Event.of(row).text for row in record["events"]]


def points(first: str, second: str, *, pairs: int) -> float:
    """Return what `first` scored against `second`, each seed played in both seat orders."""
    total = 0.0
    for seed in range(pairs):
        for order in ((first, second), (second, first)):
            ranks = play_tuned(*order, seed=seed).record["outcome"]["ranks"]
            mine, other = ranks if order[0] == first else reversed(ranks)
            total += 1.0 if mine < other else 0.5 if mine == other else 0.0
    return total


def turn_in_twelve(seed: int) -> Turn:
    rng = Random(seed)
    state = TWELVE.start(3)
    while state.to_move == CHANCE:
        state.apply_chance(state.sample_chance(rng))
    observation: dict[str, Any] = state.observation(0)
    legal = observation.pop("legal")
    hello = {"game": "twelve", "rules": 3, "seat": 0, "seats": 3, "options": {}}
    turn = Turn({**hello, "limits": {"match_cpu_s": 20}, "match": "test", "dice": "7"})
    turn.begin(
        {"ply": 2, "events": [], "observation": observation, "legal": legal, "clock": CLOCK}
    )
    return turn


@pytest.mark.parametrize(
    "played",
    mostly_deep(
        product(GAMES, NAMES), keep=[*product(GAMES, ["greedy"]), *product(["tuned"], NAMES)]
    ),
    ids="-".join,
)
def test_built_in_bot_plays_every_game_in_every_seat(played: tuple[str, str]) -> None:
    key, name = played
    names = [name] * GAMES[key].info.default_seats

    report = play_game(key, *names, limits=HASTY)

    assert report.record["faults"] == []
    verify_record(report.record)


@pytest.mark.parametrize("name", [name for name in NAMES if name != "mcts"])
def test_built_in_bot_repeats_itself(name: str) -> None:
    first, second = (play_tuned(name, "random").record for _ in range(2))

    assert actions(first) == actions(second)


def test_mcts_repeats_itself_with_a_number_of_iterations() -> None:
    seats = [with_iterations(20), built_in("random")]

    first, second = (play_seats("azure", seats).record for _ in range(2))

    assert actions(first) == actions(second)


def test_other_seed_gives_other_actions() -> None:
    """Tuned has no chance and the name is the same: only dice differ."""
    assert actions(play_tuned("random", "random", seed=1).record) != actions(
        play_tuned("random", "random", seed=2).record
    )


def test_greedy_beats_random() -> None:
    assert points("greedy", "random", pairs=4) >= 7


def test_mcts_keeps_to_a_short_clock() -> None:
    short = Limits(action_cpu_s=0.06, match_cpu_s=0.3, action_wall_s=60.0, startup_wall_s=60.0)

    report = play_tuned("mcts", "greedy", limits=short)

    assert report.record["faults"] == []


def test_mcts_expects_no_more_decisions_than_players_have() -> None:
    bot = runpy.run_path(str(built_in_bots()["mcts"] / "main.py"))
    rng = Random(4)
    state = GAMES["tash_kalar"].start()
    while state.to_move == CHANCE:
        state.apply_chance(state.sample_chance(rng))

    expected = bot["count_decisions"](state, seat=0, rng=rng)

    # Players of any strength decide about 50 times in a match, random ones 125 times.
    assert 40 < expected < 80


def test_mcts_does_not_run_out_of_time_in_a_long_match() -> None:
    short = Limits(match_cpu_s=0.8, action_wall_s=60.0, startup_wall_s=60.0)

    report = play_game("way_of_the_dragon", "mcts", *["random"] * 4, limits=short)

    assert len(report.record["events"]) > 200
    assert report.record["faults"] == []


@pytest.mark.deep
def test_mcts_keeps_its_clock_beside_programs_that_use_every_core() -> None:
    limits = Limits(action_cpu_s=0.2, match_cpu_s=1.0, action_wall_s=60.0, startup_wall_s=60.0)
    spin = "import os\nwhile os.getppid() != 1: pass"
    hogs = [
        subprocess.Popen([sys.executable, "-S", "-c", spin])
        for _ in range(2 * len(os.sched_getaffinity(0)))
    ]
    try:
        report = play_tuned("mcts", "random", limits=limits)
    finally:
        for hog in hogs:
            hog.kill()
            hog.wait()

    slowest_ms = max(event.cpu_ms for event in events_by(report.record, 0))
    assert report.record["faults"] == []
    assert slowest_ms < 1000 * limits.action_cpu_s
    assert report.usage[0].cpu_s < limits.match_cpu_s


def test_mcts_means_to_use_a_quarter_of_the_match() -> None:
    limits = Limits(match_cpu_s=2.0, action_wall_s=60.0, startup_wall_s=60.0)

    report = play_tuned("mcts", "random", limits=limits)

    assert report.usage[0].cpu_s < 1.0


def test_mcts_notes_its_hopes_for_the_owner() -> None:
    report = play_seats("tuned", [with_iterations(5), built_in("random")])

    assert report.notes[0]
    assert all(text.endswith("expected after 5 simulations") for _, text in report.notes[0])


@pytest.mark.parametrize("name", NAMES)
def test_built_in_bot_copes_with_secrets_and_chance(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(registry, "GAMES", {"twelve": TWELVE})
    choose = runpy.run_path(str(built_in_bots()[name] / "main.py"))["choose"]

    assert {choose(turn_in_twelve(seed)) for seed in range(20)} <= {"stay", "take"}


def test_look_ahead_sees_a_win_and_a_threat() -> None:
    data = {"game": "tuned", "board": {"a1": "D", "b1": "D"}, "hands": ["DGGCC", "DGGCC"]}
    state = GAMES["tuned"].load({**data, "rooster": ["add", "add"], "to_move": 0, "actions": 2})

    win = winning_action(state)

    assert win is not None
    assert state.text(win) == "add donkey c1"
    assert not is_safe(state, 1)
    assert is_safe(GAMES["tuned"].start(), 1)


def test_helper_answers_like_the_page_says(tmp_path: Path) -> None:
    source = "from pentathlon_engines.bot import play\nplay(lambda turn: turn.legal[-1])\n"
    (tmp_path / "main.py").write_text(source)
    hello = {"game": "tuned", "rules": 1, "seat": 0, "seats": 2, "options": {}}
    lines = [
        {"type": "hello", **hello, "limits": {}, "match": "m", "dice": "7", "unknown": 1},
        {"type": "greeting", "unknown": "messages are passed over"},
        {
            "type": "act",
            "ply": 0,
            "events": [],
            "observation": {},
            "legal": ["a", "b"],
            "clock": {},
        },
        {"type": "end", "ranks": [0, 1], "reason": "line"},
    ]

    done = subprocess.run(
        [sys.executable, "-S", str(tmp_path / "main.py")],
        input="".join(json.dumps(line) + "\n" for line in lines),
        env={"PYTHONPATH": str(ENGINES)},
        capture_output=True,
        text=True,
        check=True,
    )

    assert [json.loads(line) for line in done.stdout.splitlines()] == [
        {"type": "ready"},
        {"action": "b"},
    ]


def test_helper_loads_little() -> None:
    program = "import sys, pentathlon_engines.bot; print(*sorted(sys.modules))"

    done = subprocess.run(
        [sys.executable, "-s", "-S", "-c", program],
        env={"PYTHONPATH": str(ENGINES)},
        capture_output=True,
        text=True,
        check=True,
    )

    heavy = {"typing", "dataclasses", "random", "asyncio", "subprocess", "pathlib", "inspect"}
    assert not heavy & set(done.stdout.split())
