"""Learn by self-play what positions are worth, with no data but the rules, and write a bot.

A network with one hidden layer guesses the reward of a seat from what it sees after an action. All
seats take the action with the best guess, more or less, many matches at once; then each guess is
corrected by what followed (TD(lambda) on afterstates). Plain numpy, on one core.

    python -m pentathlon_engines.examples.self_play.train tuned my-player --minutes 20
"""

from __future__ import annotations

import argparse
import shutil
import time
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from pentathlon_engines.contract.registry import GAMES
from pentathlon_engines.examples.clone.train import Numbers, Policy
from pentathlon_engines.examples.onnx_file import write_model
from pentathlon_engines.rl import VectorEnv

HIDDEN: Final = 32
MATCHES: Final = 64
"""The number of matches at once."""
BATCH: Final = 2048
"""The number of decisions that are played before the network learns from them."""
PART: Final = 128
"""The number of decisions in a step of learning."""
RATE: Final = 1e-3
CURIOSITY: Final = 0.05
"""By how much, of rewards from -1 to 1, a guess may be off when an action is chosen."""
TRUST: Final = 0.9
"""How much the end of a match counts, beside the guesses on the way to it."""


class Worth(Policy):
    """A network whose only output is the guess of the reward."""

    def __init__(self, features: int, rng: np.random.Generator) -> None:
        super().__init__(features, 1, rng, hidden=HIDDEN)

    def guess(self, features: Numbers) -> Numbers:
        """Return the guess for each row."""
        return self._look(features)[1]

    def improve(self, features: Numbers, results: Numbers, rate: float = RATE) -> None:
        """Guess nearer to what followed."""
        hidden, guesses = self._look(features)
        error = (guesses - results)[:, None] / np.float32(len(results))
        self.descend(features, hidden, error, rate=rate)

    def _look(self, features: Numbers) -> tuple[Numbers, Numbers]:
        first, bias, second, last = self.weights
        hidden = np.maximum(features @ first + bias, 0)
        return hidden, (hidden @ second + last)[:, 0]


class SelfPlay:
    """Matches of a network against itself."""

    def __init__(self, game: str, *, seed: int, matches: int = MATCHES) -> None:
        self.env = VectorEnv(game, matches, seed=seed)
        self.rng = np.random.default_rng(seed)
        self.player = Worth(self.env.features.shape[1], self.rng)
        self.decisions = 0
        self._open: list[list[tuple[Numbers, int, float]]] = [[] for _ in range(matches)]
        self._done: list[tuple[Numbers, float]] = []

    def learn(self, rate: float = RATE) -> None:
        """Play until enough matches are over, then learn from them once."""
        while len(self._done) < BATCH:
            self._play()
        rows, followed = zip(*self._done, strict=True)
        features, results = np.array(rows), np.array(followed, np.float32)
        self._done = []
        order = self.rng.permutation(len(results))
        for start in range(0, len(order), PART):
            part = order[start : start + PART]
            self.player.improve(features[part], results[part], rate)

    def _play(self) -> None:
        env = self.env
        seen, seats = env.foresee(), env.to_move.tolist()
        guesses = self.player.guess(seen)
        liked = guesses + self.rng.gumbel(0, CURIOSITY, len(guesses))
        actions, first = [], 0
        for place, legal in enumerate(env.legal):
            best = first + int(liked[first : first + len(legal)].argmax())
            actions.append(legal[best - first])
            row = seen[best].copy()  # not a view of all rows
            self._open[place].append((row, seats[place], float(guesses[best])))
            first += len(legal)
        rewards, ended = env.step(actions)
        self.decisions += len(actions)
        for place in np.flatnonzero(ended).tolist():
            self._close(place, rewards[place])

    def _close(self, place: int, results: NDArray[np.float64]) -> None:
        """Go through a match backwards, so that each decision gets what followed for its seat."""
        for row, seat, guess in reversed(self._open[place]):
            self._done.append((row, results[seat]))
            results[seat] = TRUST * results[seat] + (1 - TRUST) * guess
        self._open[place] = []


def train(game: str, *, minutes: float, seed: int) -> Worth:
    """Return a network that has played for some minutes, in ever smaller steps."""
    training = SelfPlay(game, seed=seed)
    began_s, told = time.monotonic(), 0
    while (passed := (time.monotonic() - began_s) / 60) < minutes:
        training.learn(RATE * (1 - passed / minutes))
        if int(passed) > told:
            told = int(passed)
            print(f"{told} min: {training.decisions} decisions", flush=True)  # noqa: T201  a tool
    return training.player


def write_bot(folder: Path, player: Worth, *, game: str) -> None:
    """Write a bot that plays by the network, with its weights as an ONNX model."""
    source = Path(__file__).with_name("bot")
    unwanted = shutil.ignore_patterns("__pycache__")
    shutil.copytree(source, folder, ignore=unwanted, dirs_exist_ok=True)
    manifest = folder / "bot.toml"
    manifest.write_text(manifest.read_text().replace("GAME", game).replace("NAME", folder.name))
    first, bias, second, last = player.weights
    (folder / "worth.onnx").write_bytes(write_model([(first, bias), (second, last)]))


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
