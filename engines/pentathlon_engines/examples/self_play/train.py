"""Train a small policy by self-play, with no data but the rules, and write a bot that plays it.

A network with one hidden layer gives a preference for each action and a guess of the reward. All
seats play it, many matches at once; what went better than guessed is done more often
(advantage actor-critic). Plain numpy, on one or two cores.

    python -m pentathlon_engines.examples.self_play.train tuned my-player --minutes 20
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from pentathlon_engines.contract.registry import GAMES
from pentathlon_engines.examples.clone.train import Numbers, Policy, write_bot
from pentathlon_engines.rl import VectorEnv

MATCHES: Final = 256
"""The number of matches at once."""
BATCH: Final = 4096
"""The number of decisions in a step of learning."""
ENTROPY: Final = 0.02
"""How much a policy that stays undecided is preferred."""
GUESS: Final = 0.5
"""How much a wrong guess of the reward counts, beside the choice."""


@dataclass(frozen=True, slots=True)
class Experience:
    """Experience of matches that are over, one row each."""

    features: Numbers
    masks: NDArray[np.bool_]
    actions: NDArray[np.int64]
    rewards: Numbers
    """What the seat that decided got at the end."""


class ActorCritic(Policy):
    """A policy with one more output, the guess of the reward."""

    def __init__(self, features: int, actions: int, rng: np.random.Generator) -> None:
        super().__init__(features, actions + 1, rng)

    def chances(self, features: Numbers, masks: NDArray[np.bool_]) -> tuple[Numbers, ...]:
        """Return the hidden layer, the chance of each action, and the guess of the reward."""
        first, bias, second, last = self.weights
        hidden = np.maximum(features @ first + bias, 0)
        out = hidden @ second + last
        logits = np.where(masks, out[:, :-1], np.float32(-1e9))
        chances = np.exp(logits - logits.max(1, keepdims=True))
        chances /= chances.sum(1, keepdims=True)
        return hidden, chances, out[:, -1]

    def improve(self, data: Experience) -> None:
        """Do what went better than guessed more often, and guess better."""
        hidden, chances, guess = self.chances(data.features, data.masks)
        gain = data.rewards - guess
        choice = np.zeros_like(chances)
        choice[np.arange(len(gain)), data.actions] = 1
        surprise = np.log(chances + np.float32(1e-9))
        mean = (chances * surprise).sum(1, keepdims=True)
        error = np.empty((len(gain), chances.shape[1] + 1), np.float32)
        error[:, :-1] = (chances - choice) * gain[:, None]
        error[:, :-1] += ENTROPY * chances * (surprise - mean)
        error[:, -1] = -GUESS * gain
        error /= len(gain)
        self.descend(data.features, hidden, error)


class SelfPlay:
    """Matches of a policy against itself."""

    def __init__(self, game: str, *, seed: int, matches: int = MATCHES) -> None:
        self.env = VectorEnv(game, matches, seed=seed)
        self.rng = np.random.default_rng(seed)
        self.player = ActorCritic(self.env.features.shape[1], self.env.masks.shape[1], self.rng)
        self.decisions = 0
        self._open: list[list[tuple[Any, ...]]] = [[] for _ in range(matches)]
        self._done: list[tuple[Any, ...]] = []

    def learn(self) -> None:
        """Play until enough matches are over, then learn from them once."""
        while len(self._done) < BATCH:
            self._play()
        columns: Sequence[Sequence[Any]] = list(zip(*self._done, strict=True))
        self._done = []
        features, masks, actions, rewards = (np.array(column) for column in columns)
        self.player.improve(Experience(features, masks, actions, rewards.astype(np.float32)))

    def _play(self) -> None:
        env = self.env
        _, chances, _ = self.player.chances(env.features, env.masks)
        drawn = self.rng.random((len(chances), 1), np.float32) * chances.sum(1, keepdims=True)
        actions = (chances.cumsum(1) > drawn).argmax(1)
        seen = zip(env.features.copy(), env.masks.copy(), actions, env.to_move, strict=True)
        for place, decision in enumerate(seen):
            self._open[place].append(decision)
        rewards, ended = env.step(actions)
        self.decisions += len(actions)
        for place in np.flatnonzero(ended).tolist():
            for features, mask, action, seat in self._open[place]:
                self._done.append((features, mask, action, rewards[place, seat]))
            self._open[place] = []


def main() -> None:
    """Train for some minutes and write the bot."""
    asked = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    asked.add_argument("game", choices=list(GAMES))
    asked.add_argument("bot", type=Path, help="the folder to write")
    asked.add_argument("--minutes", type=float, default=20.0)
    asked.add_argument("--seed", type=int, default=1)
    given = asked.parse_args()
    training = SelfPlay(given.game, seed=given.seed)
    began_s, told = time.monotonic(), 0
    while (minutes := (time.monotonic() - began_s) / 60) < given.minutes:
        training.learn()
        if int(minutes) > told:
            told = int(minutes)
            print(f"{told} min: {training.decisions} decisions", flush=True)  # noqa: T201  a tool
    training.player.weights[2:] = [part[..., :-1] for part in training.player.weights[2:]]
    write_bot(given.bot, training.player, game=given.game)
    print(f"Written: {given.bot}")  # noqa: T201  a tool


if __name__ == "__main__":
    main()
