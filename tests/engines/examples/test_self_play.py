"""The example that learns by playing against itself, in small: it learns, and its bot plays."""

import sys
from pathlib import Path

import numpy as np
import pytest

from pentathlon_engines import GAMES
from pentathlon_engines.examples.self_play import train
from pentathlon_engines.examples.self_play.train import ActorCritic, Experience, SelfPlay
from pentathlon_engines.manifest import bot_command, read_manifest
from pentathlon_engines.match.limits import Limits
from pentathlon_engines.match.plain_launcher import PlainLauncher
from pentathlon_engines.model import open_session
from pentathlon_engines.runner import SeatBot, play_match
from tests.engines.test_bots import built_in

PATIENT = Limits(action_cpu_s=5.0, action_wall_s=60.0, match_cpu_s=60.0, startup_wall_s=60.0)


def test_what_went_better_than_guessed_is_done_more_often() -> None:
    rng = np.random.default_rng(1)
    player = ActorCritic(4, 3, rng)
    features = rng.random((300, 4), np.float32)
    masks = np.tile([True, True, False], (300, 1))
    for _ in range(200):
        _, before, guesses = player.look(features, masks)
        actions = rng.integers(2, size=300)
        rewards = np.where(actions == 1, 1, -1).astype(np.float32)
        chosen = before[np.arange(300), actions]
        player.improve(Experience(features, masks, actions, chosen, rewards, rewards - guesses))

    _, chances, _ = player.look(features, masks)
    assert (chances[:, 1] > 0.9).all()
    assert not chances[:, 2].any()


def test_one_batch_moves_a_chance_only_so_far() -> None:
    rng = np.random.default_rng(1)
    player = ActorCritic(4, 3, rng)
    features, masks = rng.random((1, 4), np.float32), np.ones((1, 3), np.bool_)
    _, before, _ = player.look(features, masks)
    row = [np.array([value], np.float32) for value in (before[0, 0], 1, 1)]
    for _ in range(200):
        player.improve(Experience(features, masks, np.array([0]), *row))

    _, after, _ = player.look(features, masks)
    assert 1.1 < after[0, 0] / before[0, 0] < 2.2


def test_the_model_file_computes_what_the_network_does(tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    player = ActorCritic(60, 270, rng)
    train.write_bot(tmp_path / "my-player", player, game="tuned")
    features = rng.random((2, 60), np.float32)
    masks = np.ones((2, 270), np.bool_)

    session = open_session(tmp_path / "my-player/policy.onnx")
    (scores,) = session.run(None, {"features": features})

    _, chances, _ = player.look(features, masks)
    exponents = np.exp(scores)
    assert np.allclose(exponents / exponents.sum(1, keepdims=True), chances, rtol=1e-4)


def test_decisions_of_finished_matches_get_the_reward_of_their_seat(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(train, "BATCH", 200)
    learnt: list[Experience] = []
    monkeypatch.setattr(train, "PART", 10_000)
    monkeypatch.setattr(train, "TRUST", np.float32(1))
    monkeypatch.setattr(ActorCritic, "improve", lambda _, data, rate: learnt.append(data))
    playing = SelfPlay("tuned", seed=2, matches=8)

    playing.learn()

    data, again = learnt
    assert np.array_equal(np.sort(data.chances), np.sort(again.chances))
    assert len(data.actions) >= 200
    assert data.masks[np.arange(len(data.actions)), data.actions].all()
    assert set(np.unique(data.results)) <= {-1, 0, 1}
    # The first two numbers say that the seat that looks is to move.
    assert (data.features[:, :2] == [1, 0]).all()


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
