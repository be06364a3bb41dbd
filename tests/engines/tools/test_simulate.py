"""Simulated figures agree with the published ones, and disagreement is noticed."""

import json
import random
from math import inf
from pathlib import Path

import pytest

from pentathlon_engines import GAMES, Outcome
from pentathlon_engines.match.plain_launcher import PlainLauncher
from pentathlon_engines.tools import playthrough, simulate
from pentathlon_engines.tools.simulate import Figure, SimulatedMatch, play
from pentathlon_engines.tools.turn_cost import measure_turn_cost
from tests.deep import mostly_deep
from tests.engines.card_game import CardGame

MATCHES = {"azure": 24, "tash_kalar": 10}
"""The number of matches in games that take long; others have more."""


@pytest.mark.parametrize("game", mostly_deep(GAMES, keep=["tuned"]))
def test_figures_of_the_rules_page_come_out_again(
    game: str, capsys: pytest.CaptureFixture[str]
) -> None:
    games = MATCHES.get(game, 60)

    status = simulate.main([game, "--games", str(games), "--seed", "5"])

    assert status == 0, capsys.readouterr().out


def test_the_table_shows_both_figures_and_their_distance() -> None:
    table, agree = simulate.compare(GAMES["tuned"], games=30, seed=1)

    assert agree
    assert "Tuned: careful, careful; 30 games, published 1,000" in table
    line = next(line for line in table.splitlines() if line.startswith("actions"))
    assert "14.7 (3 to 49)" in line
    assert "±" in line


def test_a_figure_is_the_mean_over_all_values() -> None:
    figure = Figure()
    for values in ((1, 2, 3), (6,)):
        figure.add(values)

    assert figure.mean == 3
    assert (figure.least, figure.most) == (1, 6)
    assert figure.error == pytest.approx(1.5 / 2**0.5)


@pytest.mark.parametrize(
    ("values", "published", "apart"),
    [
        ([0, 1] * 50, {"share": 0.5}, 0.0),
        ([0, 1] * 50, {"share": 0.4}, 1.414),
        ([0] * 100, {"share": 0.04}, -1.443),
        ([0] * 100, {"share": 1.0}, -inf),
        ([3] * 100, {"mean": 3}, 0.0),
        ([2, 4] * 50, {"mean": 3.04}, -0.247),
        ([2, 4] * 50, {"mean": 3.1}, -0.354),
        ([3.04] * 100, {"mean": 3.0}, 0.0),
    ],
)
def test_distance_counts_the_errors_of_both(
    values: list[float], published: dict[str, float], apart: float
) -> None:
    figure = Figure()
    for value in values:
        figure.add([value])

    assert simulate.errors_apart(figure, published, games=100) == pytest.approx(apart, abs=0.01)


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("actions", (3,)),
        ("legal actions", (27, 25, 9)),
        ("score", (4, 2)),
        ("winning score", (4,)),
        ("draw", (False,)),
        ("seat 0 wins", (True,)),
        ("seat 1 wins", (False,)),
        ("careful wins", (True,)),
        ("random wins", (False,)),
        ("line", (True,)),
        ("stuck", (False,)),
        ("first seat wins", (False,)),
        ("legal add", (27, 9)),
        ("legal jump", ()),
        ("line only", (True,)),
    ],
)
def test_a_match_gives_each_figure_its_values(name: str, values: tuple[float, ...]) -> None:
    match = SimulatedMatch(
        players=("careful", "random"),
        outcome=Outcome((0, 1), "line", (4, 2)),
        widths=(27, 25, 9),
        kinds=("add", "move", "add"),
        first=1,
    )

    assert match.values(name) == values


@pytest.mark.parametrize(
    ("name", "value"),
    [("deaths", True), ("space", True), ("deaths only", False), ("deaths and space only", True)],
)
def test_reasons_that_hold_together_are_told_apart(name: str, *, value: bool) -> None:
    result = {"ranks": [0, 1], "reason": "deaths", "reasons": ["deaths", "space"]}
    outcome = Outcome((0, 1), "deaths")
    match = SimulatedMatch(
        players=("random", "random"), outcome=outcome, widths=(), last={"result": result}
    )

    assert match.values(name) == (value,)


def test_games_with_chance_are_played_to_their_end() -> None:
    match = play(CardGame().start(3), ("random", "careful", "random"), random.Random(1))

    assert match.outcome.reason == "cards"
    assert len(match.widths) == 3


def test_a_careful_player_wins_at_once() -> None:
    state = GAMES["tuned"].load(
        {
            "board": {"a1": "DG", "b2": "G", "a3": "C", "c2": "D"},
            "hands": ["DGC", "DGCC"],
            "rooster": ["add", "add"],
            "to_move": 0,
        }
    )

    match = play(state, ("careful", "random"), random.Random(1))

    assert match.outcome == Outcome((0, 1), "line")
    assert len(match.widths) == 1


FILES = sorted((Path(__file__).parents[1] / "playthroughs").glob("*.txt"))


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_a_match_comes_out_as_written_down(file: Path) -> None:
    written = file.read_text(encoding="utf-8")
    setup = json.loads(written.partition("\n")[0])
    game = GAMES[setup["game"]]

    text = playthrough.playthrough(
        game,
        seed=setup["seed"],
        seats=setup["seats"],
        options=setup["options"],
        every=setup.get("every", 1),
    )

    assert text == written


def test_every_game_is_written_down() -> None:
    games = {file.stem.partition("-")[0] for file in FILES}

    assert games == set(GAMES)


def test_secrets_are_written_down_as_each_seat_sees_them() -> None:
    text = playthrough.playthrough(CardGame(), seed=3, seats=2)

    deal = next(line for line in text.splitlines() if "chance:" in line)
    cards = [int(card) for card in deal.partition(": ")[2].split()]
    assert 'seat 0 sees: {"game":"cards","options":{"loud":false},"seats":2,' in text
    assert f'"hands":[{cards[0]},null]' in text
    assert f'"hands":[null,{cards[1]}]' in text
    assert '"hands":[null,null]' in text


def test_the_command_prints_a_playthrough(capsys: pytest.CaptureFixture[str]) -> None:
    assert playthrough.main(["tuned", "--seed", "1"]) == 0

    printed = capsys.readouterr().out
    assert printed == (FILES[0].parent / "tuned-1.txt").read_text(encoding="utf-8")


def test_turn_costs_more_than_a_bare_round_trip() -> None:
    cost = measure_turn_cost(PlainLauncher(), turns=20, request={"type": "act", "ply": 0})

    assert 0 < cost.raw_us < cost.turn_us
    assert cost.ratio == cost.turn_us / cost.raw_us
