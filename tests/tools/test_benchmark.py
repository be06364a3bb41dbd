"""The benchmark says all it promises; `whole_benchmark.py` measures through a real worker."""

import os
import subprocess
import sys
import time
from collections.abc import Sequence
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from rich.console import Console

from pentathlon.matches.services import claim_matches
from pentathlon_engines.match.plain_launcher import PlainLauncher
from tests.factories import make_user
from tests.workers.playing import bot_files, play_jobs
from tools.benchmark.costs import PARTS, Costs, rows_of
from tools.benchmark.matches import Bench
from tools.benchmark.meter import cost_s
from tools.benchmark.progress import show_progress
from tools.benchmark.rivals import RIVALS, Rival, RivalFailed, measure_rival
from tools.benchmark.stage import Stage


class StageHere(Stage):
    """A stage whose worker is this process."""

    def play(self, ids: Sequence[int]) -> tuple[float, float]:
        files = bot_files()
        jobs = claim_matches(match_ids=ids, worker="here/1")
        assert play_jobs(jobs, launcher=PlainLauncher(), files=files) == 0
        files.close()
        return 0.5, 1.0

    def deliver(self, match_id: int, times: int) -> float:
        return 0.001 * times


def test_progress_is_told_where_there_is_no_terminal() -> None:
    written = StringIO()

    with show_progress(Console(file=written)) as show:
        show("tuned: 0 of 20 matches")

    assert written.getvalue() == "Starting\ntuned: 0 of 20 matches\n"


def make_costs(**figures: float) -> Costs:
    parts = dict.fromkeys(PARTS, 2.0)
    ratios = {"whole_ms": 20.0, "turn_over_raw": 3.0, "sandbox_over_plain": 0.5}
    speeds = {"matches_per_s": 12.5}
    return Costs(
        game="tuned",
        parts_ms=parts,
        plies=[10, 12],
        replay_bytes=[200, 210],
        **{**ratios, **speeds, **figures},
    )


@pytest.mark.django_db
def test_matches_are_measured_part_by_part() -> None:
    nobody = subprocess.Popen(["true"])
    nobody.wait()
    stage = StageHere(worker=nobody, log=Path(os.devnull), owner=make_user())
    said: list[str] = []

    bench = Bench(stage=stage, bot="random", launcher=PlainLauncher())
    costs = bench.measure("tuned", 2, said.append)

    assert said == ["tuned: 0 of 2 matches"]
    assert (costs.game, len(costs.plies)) == ("tuned", 2)
    assert set(costs.parts_ms) == set(PARTS)
    assert (costs.whole_ms, costs.matches_per_s) == (250.0, 2.0)
    assert min(costs.replay_bytes) > 0


def test_unknown_game_is_refused_by_name() -> None:
    with pytest.raises(CommandError, match="There is no game 'chess'"):
        call_command("bench", "match", "chess")


def test_every_part_and_ratio_has_a_row() -> None:
    rows = rows_of([make_costs()], {})

    assert list(rows)[: len(PARTS)] == list(PARTS)
    assert len(rows) == len(PARTS) + 9


@pytest.mark.parametrize(
    ("row", "figures", "is_met"),
    [
        ("sum / whole", {"whole_ms": 15.0}, True),
        ("sum / whole", {"whole_ms": 30.0}, False),
        ("queue and rows / whole", {"whole_ms": 200.0}, True),
        ("queue and rows / whole", {"whole_ms": 30.0}, False),
        ("turn / raw round trip", {"turn_over_raw": 5.1}, False),
        ("sandbox start / plain start", {"sandbox_over_plain": 0.7}, False),
    ],
)
def test_missed_budget_is_seen(row: str, figures: dict[str, float], is_met: bool) -> None:
    (figure,) = rows_of([make_costs(**figures)], {})[row]

    assert figure.is_met is is_met


def test_rivals_stand_beside_the_games() -> None:
    rows = rows_of([make_costs()], {"chess": {"matches_per_s": 12.34, "cpu_ms": 30.0}})

    assert {figure.name: figure.measured for figure in rows["matches per second"]} == {
        "tuned": 12.5,
        "chess": 12.34,
    }
    assert rows["whole match"][-1].measured == 30


def test_game_that_is_played_slower_than_a_rival_misses_its_target() -> None:
    slow, fast = ({RIVALS[0].name: {"matches_per_s": n, "cpu_ms": 1.0}} for n in (12.0, 13.0))

    assert rows_of([make_costs()], slow)["matches per second"][0].is_met
    assert not rows_of([make_costs()], fast)["matches per second"][0].is_met


@pytest.mark.parametrize("rival", RIVALS)
def test_rival_that_does_not_play_is_an_error_with_its_reason(rival: Rival) -> None:
    with pytest.raises(RivalFailed, match=r"No module named '(kaggle_environments|chess)'"):
        measure_rival(rival, Path(sys.executable))


def test_children_are_counted_once_they_have_ended() -> None:
    burn = "import time\nwhile time.process_time() < 0.05: pass"

    spent = cost_s(lambda: subprocess.run([sys.executable, "-S", "-c", burn], check=True))

    assert spent >= 0.05


def test_waiting_costs_nothing_to_speak_of() -> None:
    assert cost_s(lambda: time.sleep(0.2)) < 0.1
