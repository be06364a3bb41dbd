"""The example of "Add a game" keeps the contract, and is found by one line of the registry."""

from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import pytest

from pentathlon_engines import GAMES, BadPosition
from pentathlon_engines.contract.registry import PACKAGES
from pentathlon_engines.examples import connect_four
from pentathlon_engines.examples.connect_four import GAME
from pentathlon_engines.examples.connect_four.board import SQUARES, line_in
from pentathlon_engines.manifest import bot_command, built_in_bots, read_manifest
from pentathlon_engines.match.limits import Limits
from pentathlon_engines.match.plain_launcher import PlainLauncher
from pentathlon_engines.record.record import verify_record
from pentathlon_engines.runner import SeatBot, play_match
from tests.engines.contract.checks import CHECKS
from tests.engines.contract.commentary_checks import check_commentary
from tests.engines.contract.picture_checks import check_picture
from tests.engines.contract.setups import Setup

SETUP = Setup(GAME, 2)
MOST_LINES = 400


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__.removeprefix("check_"))
def test_it_keeps_the_contract(check: Callable[[Setup, int], None]) -> None:
    for seed in range(2):
        check(SETUP, seed)


def test_it_is_drawn_told_and_rated() -> None:
    check_picture(SETUP, 1)
    for seed in range(3):
        check_commentary(SETUP, seed)
    state = GAME.start()
    state.playout(Random(3))
    worth = GAME.evaluation()
    assert worth is not None
    assert worth(state, 0) == -worth(state, 1)
    assert len(state.features(0)) == 2 + 2 * 42


def test_it_is_played_between_processes_and_verified(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(PACKAGES, "connect_four", connect_four.__name__)
    folder = built_in_bots()["random"]
    bot = SeatBot(name="random", hash="", command=bot_command(folder, read_manifest(folder)))

    report = play_match(
        game=GAMES["connect_four"],
        options={},
        seats=[bot] * 2,
        seed=5,
        limits=Limits(),
        launcher=PlainLauncher(),
    )

    assert report.record["faults"] == []
    verify_record(report.record)


@pytest.mark.parametrize(
    ("columns", "ranks", "end"),
    [
        ("adadada", (0, 1), "Four discs on a1, a2, a3 and a4: Violet wins"),
        ("gbgcgdae", (1, 0), "Four discs on b1, c1, d1 and e1: Amber wins"),
        ("abbccdcddad", (0, 1), "Four discs on a1, b2, c3 and d4: Violet wins"),
    ],
)
def test_four_in_a_line_win(columns: str, ranks: tuple[int, ...], end: str) -> None:
    state = GAME.start()
    for column in columns:
        state.apply(state.parse(f"drop {column}"))

    assert state.outcome is not None
    assert (state.outcome.ranks, state.outcome.reason) == (ranks, "line")
    assert GAME.commentary().tell_end(state.to_json()) == end


def test_no_line_leads_from_one_column_into_the_next() -> None:
    assert line_in(sum(1 << SQUARES.index(name) for name in ("c5", "c6", "d1", "d2"))) == []


@pytest.mark.parametrize(
    ("board", "named"),
    [
        ({"a2": 0}, "board.a2: there is nothing below it"),
        ({"a1": 1}, "board: 0 and 1 discs"),
        ({"a9": 0}, "board: 'a9' is not a square"),
        ({"a1": 0, "b1": 1}, "to_move: must be 0 here"),
    ],
)
def test_a_position_that_cannot_be_is_refused(board: dict[str, Any], named: str) -> None:
    with pytest.raises(BadPosition, match=f"^{named}"):
        GAME.load({"board": board, "to_move": 1})


def test_it_is_one_small_package() -> None:
    sources = Path(connect_four.__file__).parent.glob("*.py")

    assert sum(len(path.read_text().splitlines()) for path in sources) <= MOST_LINES
