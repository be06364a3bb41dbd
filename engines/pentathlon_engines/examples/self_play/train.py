"""Train a policy by self-play, with no data but the rules, and write a bot that plays it.

A network with one hidden layer gives a preference for each action and a guess of the reward. All
seats play it, many matches at once; what went better than guessed is done more often, a little at
a time (proximal policy optimization). Plain numpy, on one core.

    python -m pentathlon_engines.examples.self_play.train tuned my-player --minutes 20
"""

from __future__ import annotations

import argparse
import shutil
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from pentathlon_engines.contract.registry import GAMES
from pentathlon_engines.examples.clone.train import Numbers, Policy
from pentathlon_engines.examples.onnx_file import write_model
from pentathlon_engines.rl import VectorEnv

HIDDEN: Final = 128
MATCHES: Final = 256
"""The number of matches at once."""
BATCH: Final = 8192
"""The number of decisions that are played before the network learns from them."""
PART: Final = 512
"""The number of decisions in a step of learning."""
EPOCHS: Final = 2
RATE: Final = 1e-3
CLIP: Final = 0.2
"""How far a chance may move, as a share of itself, by the decisions of one batch."""
TRUST: Final = 0.95
"""How much the end of a match counts, beside the guesses on the way to it."""
ENTROPY: Final = 0.01
"""How much a policy that stays undecided is preferred."""
GUESS: Final = 0.5
"""How much a wrong guess of the reward counts, beside the choice."""


@dataclass(frozen=True, slots=True)
class Experience:
    """Decisions of matches that are over, one row each."""

    features: Numbers
    masks: NDArray[np.bool_]
    actions: NDArray[np.int64]
    chances: Numbers
    """How likely each action was when it was chosen."""
    results: Numbers
    """What followed for the seat: its reward, and guesses of it on the way."""
    gains: Numbers
    """By how much that was better than guessed."""

    def pick(self, rows: NDArray[np.int64]) -> Experience:
        """Return some of the rows."""
        return Experience(*(getattr(self, name)[rows] for name in self.__slots__))


class ActorCritic(Policy):
    """A policy with one more output, the guess of the reward."""

    def __init__(self, features: int, actions: int, rng: np.random.Generator) -> None:
        super().__init__(features, actions + 1, rng, hidden=HIDDEN)

    def look(self, features: Numbers, masks: NDArray[np.bool_]) -> tuple[Numbers, ...]:
        """Return the hidden layer, the chance of each action, and the guess of the reward."""
        first, bias, second, last = self.weights
        hidden = np.maximum(features @ first + bias, 0)
        out = hidden @ second + last
        logits = np.where(masks, out[:, :-1], np.float32(-1e9))
        chances = np.exp(logits - logits.max(1, keepdims=True))
        chances /= chances.sum(1, keepdims=True)
        return hidden, chances, out[:, -1]

    def improve(self, data: Experience, rate: float = RATE) -> None:
        """Do what went better than guessed more often, and guess better."""
        hidden, chances, guess = self.look(data.features, data.masks)
        rows = np.arange(len(guess))
        ratio = chances[rows, data.actions] / data.chances
        far = np.where(data.gains > 0, ratio > 1 + CLIP, ratio < 1 - CLIP)
        push = np.where(far, np.float32(0), data.gains * ratio)[:, None]
        surprise = np.log(chances + np.float32(1e-9))
        mean = (chances * surprise).sum(1, keepdims=True)
        error = np.empty((len(guess), chances.shape[1] + 1), np.float32)
        error[:, :-1] = chances * (push + ENTROPY * (surprise - mean))
        error[rows, data.actions] -= push[:, 0]
        error[:, -1] = GUESS * (guess - data.results)
        error /= len(guess)
        self.descend(data.features, hidden, error, rate=rate)


class SelfPlay:
    """Matches of a policy against itself."""

    def __init__(self, game: str, *, seed: int, matches: int = MATCHES) -> None:
        self.env = VectorEnv(game, matches, seed=seed)
        self.rng = np.random.default_rng(seed)
        self.player = ActorCritic(self.env.features.shape[1], self.env.masks.shape[1], self.rng)
        self.decisions = 0
        self._open: list[list[tuple[Any, ...]]] = [[] for _ in range(matches)]
        self._done: list[tuple[Any, ...]] = []

    def learn(self, rate: float = RATE) -> None:
        """Play until enough matches are over, then learn from them."""
        while len(self._done) < BATCH:
            self._play()
        features, masks, actions, chances, results, gains = map(
            np.array, zip(*self._done, strict=True)
        )
        self._done = []
        gains = (gains - gains.mean()) / (gains.std() + 1e-6)
        data = Experience(features, masks, actions, chances, results, gains)
        for _ in range(EPOCHS):
            order = self.rng.permutation(len(actions))
            for start in range(0, len(order), PART):
                self.player.improve(data.pick(order[start : start + PART]), rate)

    def _play(self) -> None:
        env = self.env
        _, chances, guesses = self.player.look(env.features, env.masks)
        drawn = self.rng.random((len(chances), 1), np.float32) * chances.sum(1, keepdims=True)
        actions = (chances.cumsum(1) > drawn).argmax(1)
        chosen = chances[np.arange(len(actions)), actions]
        seen = zip(env.features.copy(), env.masks.copy(), actions, chosen, strict=True)
        for place, row in enumerate(seen):
            self._open[place].append((row, env.to_move[place], guesses[place]))
        rewards, ended = env.step(actions)
        self.decisions += len(actions)
        for place in np.flatnonzero(ended).tolist():
            self._close(place, rewards[place].astype(np.float32))

    def _close(self, place: int, results: Numbers) -> None:
        """Go through a match backwards, so that each decision gets what followed for its seat."""
        for row, seat, guess in reversed(self._open[place]):
            result = results[seat]
            self._done.append((*row, result, result - guess))
            results[seat] = TRUST * result + (1 - TRUST) * guess
        self._open[place] = []


def train(game: str, *, minutes: float, seed: int) -> ActorCritic:
    """Return a policy that has played for some minutes, in ever smaller steps."""
    training = SelfPlay(game, seed=seed)
    began_s, told = time.monotonic(), 0
    while (passed := (time.monotonic() - began_s) / 60) < minutes:
        training.learn(RATE * (1 - passed / minutes))
        if int(passed) > told:
            told = int(passed)
            print(f"{told} min: {training.decisions} decisions", flush=True)  # noqa: T201  a tool
    return training.player


def write_bot(folder: Path, player: ActorCritic, *, game: str) -> None:
    """Write a bot that plays the policy, with its weights as an ONNX model."""
    source = Path(__file__).with_name("bot")
    unwanted = shutil.ignore_patterns("__pycache__")
    shutil.copytree(source, folder, ignore=unwanted, dirs_exist_ok=True)
    manifest = folder / "bot.toml"
    manifest.write_text(manifest.read_text().replace("GAME", game).replace("NAME", folder.name))
    first, bias, second, last = player.weights
    # The bot needs no guess of the reward.
    layers = [(first, bias), (second[:, :-1], last[:-1])]
    (folder / "policy.onnx").write_bytes(write_model(layers))


def main() -> None:
    """Train for some minutes and write the bot."""
    asked = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    asked.add_argument("game", choices=list(GAMES))
    asked.add_argument("bot", type=Path, help="the folder to write")
    asked.add_argument("--minutes", type=float, default=20.0)
    asked.add_argument("--seed", type=int, default=1)
    given = asked.parse_args()
    player = train(given.game, minutes=given.minutes, seed=given.seed)
    write_bot(given.bot, player, game=given.game)
    print(f"Written: {given.bot}")  # noqa: T201  a tool


if __name__ == "__main__":
    main()
