"""`pentathlon compare` as people and continuous integration use it."""

from pathlib import Path

import pytest

from pentathlon_engines.cli.output.sprt import Comparison, show_comparison
from pentathlon_engines.strength.sprt import Sprt, SprtDecision
from tests.engines.cli.interrupting import interrupt_after
from tests.engines.commands import Run, write_bot

pytestmark = pytest.mark.usefixtures("_in_process")

TUNED = ("--game", "tuned", "--seed", "5")


def test_better_bot_ends_with_0(run: Run) -> None:
    found = run("compare", "random", "first", *TUNED, "--concurrency", "2")

    assert found.code == 0
    assert found.out.startswith("random is better than first\nscore: 100.0% (")
    assert "log likelihood ratio: +2.9" in found.out
    assert "normalized Elo" not in found.out


def test_worse_bot_ends_with_1(run: Run) -> None:
    found = run("compare", "first", "random", *TUNED, "--json")

    assert found.code == 1
    assert (found.data["decision"], found.data["counts"][1:]) == ("not_better", [0, 0, 0, 0])
    assert found.data["ratio"] < found.data["bounds"][0]
    assert (found.data["matches"], found.data["interrupted"]) == (2 * found.data["blocks"], False)


def test_equal_bots_end_undecided_with_1(run: Run) -> None:
    found = run("compare", "random", "greedy", *TUNED, "--max-games", "48", "--json")

    assert found.code == 1
    assert (found.data["decision"], found.data["blocks"]) == ("undecided", 24)
    assert found.data["low"] < 0.5 < found.data["high"]
    assert found.data["normalized_elo"] is not None


def test_undecided_test_is_told_in_a_sentence(capsys: pytest.CaptureFixture[str]) -> None:
    found = Comparison(
        new="mine",
        old="theirs",
        test=Sprt(null=0.5, alternative=0.55),
        decision=SprtDecision.UNDECIDED,
        counts=(1, 0, 1, 0, 1),
    )

    show_comparison(found)

    told = capsys.readouterr().out
    assert told.startswith("It is undecided whether mine is better than theirs\nscore: ")


def test_hypotheses_may_be_leads_in_elo(run: Run) -> None:
    found = run("compare", "random", "first", *TUNED, "--elo0", "0", "--elo1", "100", "--json")

    assert found.data["null"] == 0.5
    assert found.data["alternative"] == pytest.approx(0.64, abs=0.001)


def test_repeated_matches_are_told(run: Run) -> None:
    found = run("compare", "random", "first", *TUNED)

    # The bot `first` fails at once, so in one of its two seats nothing happens at all.
    assert "repeat earlier ones" in found.err


def test_interrupted_test_goes_on_from_its_records(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    command = ("compare", "random", "first", *TUNED, "--records", "test")
    with monkeypatch.context() as patch:
        interrupt_after(5, patch)
        stopped = run(*command)
    resumed = run(*command, "--json")

    assert stopped.code == 130
    assert "Interrupted after 5 matches: the same command continues." in stopped.err
    assert (resumed.code, resumed.data["decision"]) == (0, "better")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["random", "greedy"], "name one with --game"),
        (["random", "random", "--game", "tuned"], "have the same files"),
        (["random", "mine", "--game", "azure"], "Both play tuned"),
        (["random", "mine", "--null", "0.5", "--elo0", "0"], "give only one of them"),
        (["random", "mine", "--elo0", "20", "--elo1", "5"], "--alternative or --elo1: The altern"),
        (["random", "mine", "--null", "0.6"], "--alternative or --elo1: "),
        (["random", "nobody"], "no built-in bot of that name"),
    ],
)
def test_wrong_use_ends_with_2(
    run: Run, tmp_path: Path, arguments: list[str], message: str
) -> None:
    write_bot(tmp_path / "mine", "mine")

    refused = run("compare", *arguments)

    assert (refused.code, refused.out) == (2, "")
    assert message in refused.err
    assert "Try: " in refused.err
