"""The worked example of the learning guide, in small: it learns, and its bot plays."""

import json
import runpy
import sys
from pathlib import Path

import numpy as np
import pytest

from pentathlon_engines import GAMES
from pentathlon_engines.dataset.folder import lines_of, pack_lines
from pentathlon_engines.dataset.rows import Source, decision_rows
from pentathlon_engines.examples.clone import train
from pentathlon_engines.manifest import bot_command, read_manifest
from pentathlon_engines.match.limits import Limits
from pentathlon_engines.match.plain_launcher import PlainLauncher
from pentathlon_engines.record.record import verify_record
from pentathlon_engines.runner import SeatBot, play_match
from tests.engines.record.random_records import make_record
from tests.engines.test_bots import built_in

MATCHES = 40
PATIENT = Limits(action_cpu_s=5.0, action_wall_s=60.0, match_cpu_s=60.0, startup_wall_s=60.0)


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with decisions in which everybody chose the last legal action."""
    folder = tmp_path_factory.mktemp("data")
    records = [make_record(GAMES["tuned"], seats=2, seed=seed) for seed in range(MATCHES)]
    rows = [
        {**row, "action": max(row["legal"])}
        for match, record in enumerate(records)
        for row in decision_rows(record, Source(match=match))
    ]
    (folder / "local").mkdir()
    (folder / "local/decisions-00001.ndjson.gz").write_bytes(pack_lines(lines_of(rows)))
    return folder


@pytest.fixture(scope="module")
def bot(data: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the bot of a few steps of training."""
    folder = tmp_path_factory.mktemp("bots") / "my-clone"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "argv", ["train", str(data), str(folder), "--epochs", "6"])
        train.main()
    return folder


def test_the_loss_falls_on_matches_it_has_not_seen(data: Path) -> None:
    decisions = train.read_decisions(data, actions=GAMES["tuned"].info.actions)

    policy, losses = train.train(decisions, epochs=6, seed=1)

    assert losses[-1] < 0.9 * losses[0]
    assert policy.loss(decisions["test"]) < losses[0]


def test_the_bot_computes_what_numpy_does(data: Path, bot: Path) -> None:
    row = next(train.read_rows(data))
    weights = {
        name: np.array(values)
        for name, values in json.loads((bot / "weights.json").read_text()).items()
    }
    hidden = np.maximum(np.array(row["features"]) @ weights["first"] + weights["first_bias"], 0)
    expected = weights["second"] @ hidden + weights["second_bias"]

    score_actions = runpy.run_path(str(bot / "main.py"))["score_actions"]

    found = score_actions(row["features"], row["legal"])
    assert list(found) == row["legal"]
    assert list(found.values()) == pytest.approx(expected[row["legal"]], abs=1e-9)


def test_the_bot_plays_a_legal_match(bot: Path) -> None:
    manifest = read_manifest(bot)
    clone = SeatBot(name="clone", hash="sha256:00", command=bot_command(bot, manifest))

    played = play_match(
        game=GAMES["tuned"],
        options=None,
        seats=[clone, built_in("random")],
        seed=3,
        limits=PATIENT,
        launcher=PlainLauncher(),
    )

    verify_record(played.record)
    assert played.record["faults"] == []
    assert manifest.name == "my-clone"


def test_a_folder_without_decisions_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match="pentathlon dataset"):
        next(train.read_rows(tmp_path))
