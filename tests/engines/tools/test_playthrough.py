"""Matches that were written down once must come out the same forever."""

import json
from pathlib import Path

import pytest

from pentathlon_engines import GAMES
from pentathlon_engines.tools import playthrough
from tests.engines.card_game import CardGame

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
