"""Train a small policy on a dataset and write a bot that plays it.

The policy is a network with one hidden layer: features of a decision in, a preference for each
action out, all but the legal ones masked. It learns to choose as the bots of the dataset did
(behaviour cloning); a winner's choices count more. Plain numpy, some minutes on one core.

    python -m pentathlon_engines.examples.clone.train tuned-data my-clone
"""

from __future__ import annotations

import argparse
import gzip
import json
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from pentathlon_engines.contract.registry import GAMES

Numbers = NDArray[np.float32]

HIDDEN: Final = 64
EPOCHS: Final = 30
BATCH: Final = 256
RATE: Final = 2e-3
DECAY: Final = 1e-4
LOSER: Final = 0.3
"""The weight of a decision of a seat that beat nobody; a winner's weighs 1."""
DIGITS: Final = 4
"""The number of decimals of a weight in the bot's file."""


@dataclass(frozen=True, slots=True)
class Decisions:
    """Decisions as arrays, one row each."""

    features: Numbers
    mask: Numbers
    """0 where an action is legal, else a large negative number."""
    action: NDArray[np.int64]
    weight: Numbers

    def __len__(self) -> int:
        return len(self.action)


class Policy:
    """A network with one hidden layer, and the running means of its optimizer (Adam)."""

    def __init__(
        self, features: int, actions: int, rng: np.random.Generator, *, hidden: int = HIDDEN
    ) -> None:
        self.weights: list[Numbers] = [
            rng.normal(0, features**-0.5, (features, hidden)).astype(np.float32),
            np.zeros(hidden, np.float32),
            rng.normal(0, 0.01, (hidden, actions)).astype(np.float32),
            np.zeros(actions, np.float32),
        ]
        self._means = [np.zeros_like(each) for each in self.weights]
        self._squares = [np.zeros_like(each) for each in self.weights]
        self._steps = 0

    def loss(self, data: Decisions) -> float:
        """Return the mean surprise at the choices, in nats."""
        _, chances = self._forward(data)
        surprise = -np.log(chances[np.arange(len(data)), data.action] + 1e-9)
        return float((surprise * data.weight).sum() / data.weight.sum())

    def accuracy(self, data: Decisions) -> float:
        """Return how often the most preferred action is the one that was chosen."""
        _, chances = self._forward(data)
        return float((chances.argmax(1) == data.action).mean())

    def learn(self, data: Decisions) -> None:
        """Do one step down the gradient of the loss."""
        hidden, error = self._forward(data)
        error[np.arange(len(data)), data.action] -= 1
        error *= data.weight[:, None] / data.weight.sum()
        self.descend(data.features, hidden, error)

    def descend(
        self, features: Numbers, hidden: Numbers, error: Numbers, *, rate: float = RATE
    ) -> None:
        """Change the weights so that the outputs come nearer to what they should be."""
        first, _, second, _ = self.weights
        back = (error @ second.T) * (hidden > 0)
        slopes = [features.T @ back, back.sum(0), hidden.T @ error, error.sum(0)]
        slopes[0] += DECAY * first
        slopes[2] += DECAY * second
        self._steps += 1
        for number, slope in enumerate(slopes):
            mean, square = self._means[number], self._squares[number]
            np.add(mean, 0.1 * (slope - mean), out=mean)
            np.add(square, 0.001 * (slope**2 - square), out=square)
            spread = np.sqrt(square / (1 - 0.999**self._steps)) + 1e-8
            self.weights[number] -= rate * mean / (1 - 0.9**self._steps) / spread

    def _forward(self, data: Decisions) -> tuple[Numbers, Numbers]:
        first, bias, second, last = self.weights
        hidden = np.maximum(data.features @ first + bias, 0)
        logits = hidden @ second + last + data.mask
        chances = np.exp(logits - logits.max(1, keepdims=True))
        return hidden, chances / chances.sum(1, keepdims=True)


def read_rows(folder: Path) -> Iterator[dict[str, Any]]:  # Any: JSON
    """Yield the decisions of all datasets below a folder."""
    files = sorted(folder.rglob("decisions-*.ndjson.gz"))
    if not files:
        raise SystemExit(f"No decisions-*.ndjson.gz in {folder}: pentathlon dataset --help")
    for path in files:
        with gzip.open(path, "rt", encoding="utf-8") as lines:
            yield from map(json.loads, lines)


def read_decisions(folder: Path, *, actions: int) -> dict[str, Decisions]:
    """Return the decisions of a folder by split, without faults and choices of a single action."""
    rows: dict[str, list[dict[str, Any]]] = {
        "train": [],
        "validation": [],
        "test": [],
    }  # Any: JSON
    for row in read_rows(folder):
        if len(row["legal"]) > 1 and not row["fault"]:
            rows[row["split"]].append(row)
    return {split: _as_arrays(found, actions) for split, found in rows.items()}


def train(data: dict[str, Decisions], *, epochs: int, seed: int) -> tuple[Policy, list[float]]:
    """Return the policy that was best on the validation split, and its losses by epoch."""
    rng = np.random.default_rng(seed)
    training, validation = data["train"], data["validation"]
    policy = Policy(training.features.shape[1], training.mask.shape[1], rng)
    losses = [policy.loss(validation)]
    best = [each.copy() for each in policy.weights]
    for epoch in range(1, epochs + 1):
        order = rng.permutation(len(training))
        for start in range(0, len(order), BATCH):
            policy.learn(_pick(training, order[start : start + BATCH]))
        losses.append(policy.loss(validation))
        if losses[-1] == min(losses):
            best = [each.copy() for each in policy.weights]
        print(f"epoch {epoch}: validation loss {losses[-1]:.4f}", flush=True)  # noqa: T201  a tool
    policy.weights = best
    return policy, losses


def write_bot(folder: Path, policy: Policy, *, game: str) -> None:
    """Write a bot that plays the policy; it needs no numpy."""
    source = Path(__file__).with_name("bot")
    shutil.copytree(
        source, folder, ignore=shutil.ignore_patterns("__pycache__"), dirs_exist_ok=True
    )
    manifest = folder / "bot.toml"
    manifest.write_text(manifest.read_text().replace("GAME", game).replace("NAME", folder.name))
    names = ("first", "first_bias", "second", "second_bias")
    # Store the second layer by action, because the bot computes legal actions only.
    first, bias, second, last = policy.weights
    weights = dict(zip(names, (first, bias, second.T, last), strict=True))
    rounded = {
        name: np.round(each.astype(np.float64), DIGITS).tolist() for name, each in weights.items()
    }
    (folder / "weights.json").write_text(json.dumps(rounded, separators=(",", ":")))


def main() -> None:
    """Train on a folder, say how good the policy is on the test split, and write the bot."""
    asked = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    asked.add_argument("data", type=Path, help="what `pentathlon dataset` wrote")
    asked.add_argument("bot", type=Path, help="the folder to write")
    asked.add_argument("--game", default="tuned", choices=list(GAMES))
    asked.add_argument("--epochs", type=int, default=EPOCHS)
    asked.add_argument("--seed", type=int, default=1)
    given = asked.parse_args()
    data = read_decisions(given.data, actions=GAMES[given.game].info.actions)
    for split, decisions in data.items():
        print(f"{split}: {len(decisions)} decisions")  # noqa: T201  a tool
    policy, losses = train(data, epochs=given.epochs, seed=given.seed)
    test = data["test"]
    print(  # noqa: T201  a tool
        f"validation loss {losses[0]:.4f} -> {min(losses):.4f}; "
        f"test: loss {policy.loss(test):.4f}, same choice {policy.accuracy(test):.1%}"
    )
    write_bot(given.bot, policy, game=given.game)
    print(f"Written: {given.bot}")  # noqa: T201  a tool


def _as_arrays(rows: list[dict[str, Any]], actions: int) -> Decisions:  # Any: JSON
    if not rows:
        raise SystemExit("A split is empty: generate more matches.")
    mask = np.full((len(rows), actions), -1e9, np.float32)
    for number, row in enumerate(rows):
        mask[number, row["legal"]] = 0
    return Decisions(
        features=np.array([row["features"] for row in rows], np.float32),
        mask=mask,
        action=np.array([row["action"] for row in rows]),
        weight=np.array([LOSER + (1 - LOSER) * row["share"] for row in rows], np.float32),
    )


def _pick(data: Decisions, rows: NDArray[np.int64]) -> Decisions:
    return Decisions(data.features[rows], data.mask[rows], data.action[rows], data.weight[rows])


if __name__ == "__main__":
    main()
