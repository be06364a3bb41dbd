"""The example that learns by playing against itself, in small: it learns, and its bot plays."""

import sys
from pathlib import Path

import numpy as np
import pytest

from pentathlon_engines import GAMES
from pentathlon_engines.examples.self_play import train
from pentathlon_engines.examples.self_play.train import SelfPlay, Worth
from pentathlon_engines.manifest import bot_command, read_manifest
from pentathlon_engines.match.limits import Limits
from pentathlon_engines.match.plain_launcher import PlainLauncher
from pentathlon_engines.model import open_session
from pentathlon_engines.runner import SeatBot, play_match
from tests.engines.test_bots import built_in

PATIENT = Limits(action_cpu_s=5.0, action_wall_s=60.0, match_cpu_s=60.0, startup_wall_s=60.0)


def test_guesses_come_nearer_to_what_followed() -> None:
    rng = np.random.default_rng(1)
    player = Worth(4, rng)
    features = rng.random((300, 4), np.float32)
    results = np.where(features[:, 1] > 0.5, 1, -1).astype(np.float32)
    for _ in range(300):
        player.improve(features, results)

    assert (np.sign(player.guess(features)) == results).mean() > 0.9


def test_decisions_of_finished_matches_get_what_followed_for_their_seat(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(train, "BATCH", 200)
    monkeypatch.setattr(train, "PART", 10_000)
    monkeypatch.setattr(train, "TRUST", 1.0)
    learnt = []
    monkeypatch.setattr(Worth, "improve", lambda *given: learnt.append(given[1:3]))
    playing = SelfPlay("tuned", seed=2, matches=8)

    playing.learn()

    ((features, results),) = learnt
    assert len(features) == len(results) >= 200
    assert set(np.unique(results)) <= {-1, 0, 1}
    # The first two numbers say that the other seat is to move, or none.
    assert set(map(tuple, features[:, :2].tolist())) == {(0, 1), (0, 0)}
    # Whoever made the last action of a match has not lost it by a line.
    assert (results[features[:, 1] == 0] >= 0).all()


def test_the_model_file_computes_what_the_network_does(tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    player = Worth(60, rng)
    train.write_bot(tmp_path / "my-player", player, game="tuned")
    features = rng.random((2, 60), np.float32)

    session = open_session(tmp_path / "my-player/worth.onnx")
    (worths,) = session.run(None, {"features": features})

    assert np.allclose(worths[:, 0], player.guess(features), rtol=1e-4)


def test_the_bot_that_was_written_plays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(train, "BATCH", 200)
    folder = tmp_path / "my-player"
    monkeypatch.setattr(sys, "argv", ["train", "tuned", str(folder), "--minutes", "0.01"])
    train.main()
    player = SeatBot(name="p", hash="sha256:0", command=bot_command(folder, read_manifest(folder)))

    played = play_match(
        game=GAMES["tuned"],
        options=None,
        seats=[player, built_in("random")],
        seed=3,
        limits=PATIENT,
        launcher=PlainLauncher(),
    )

    assert played.record["faults"] == []
    assert played.record["outcome"]["ranks"][0] == 0
