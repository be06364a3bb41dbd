"""Measure the size of a game for its bots, in the matches of its playthroughs.

    python -m pentathlon_engines.tools.match_sizes tests/engines/playthroughs/tuned-*.txt

It plays each match again from the first line of its file and prints the figures in the form of the
game's `match_sizes.json`.
"""

import json
import random
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from statistics import median_low
from typing import Any

from pentathlon_engines.contract.game import CHANCE, State
from pentathlon_engines.contract.registry import GAMES

Setup = dict[str, Any]  # Any: the first line of a playthrough, JSON


def read_setup(file: Path) -> Setup:
    """Return the first line of a playthrough."""
    with file.open(encoding="utf-8") as lines:
        setup: Setup = json.loads(lines.readline())
    return setup


def decisions(setup: Setup) -> Iterator[tuple[State, str | None]]:
    """Yield each position of a match with the text of the next event, or None at the end."""
    state = GAMES[setup["game"]].start(setup["seats"], setup["options"])
    rng = random.Random(setup["seed"])
    while state.to_move is not None:
        if state.to_move == CHANCE:
            text = state.sample_chance(rng)
            yield state, text
            state.apply_chance(text)
        else:
            # Draw actions as in `playthrough.py`, or the match would be another one.
            actions = state.legal_actions()
            action = actions[int(rng.random() * len(actions))]
            yield state, state.text(action)
            state.apply_unchecked(action)
    yield state, None


def measure(matches: Iterable[Iterable[tuple[State, str | None]]]) -> dict[str, Any]:
    """Return the figures of some matches: least, median and most."""
    widths: list[int] = []
    sizes: list[int] = []
    plies: list[int] = []
    requests: list[int] = []
    for match in matches:
        before = len(widths)
        length = 0
        for state, text in match:
            length += text is not None
            if state.to_move is None or state.to_move == CHANCE:
                continue
            seen = state.observation(state.to_move)
            widths.append(len(seen.pop("legal")))
            sizes.append(len(json.dumps(seen, separators=(",", ":"))))
        plies.append(length)
        requests.append(len(widths) - before)
    return {
        "matches": len(plies),
        "plies": _range(plies),
        "requests": _range(requests),
        "legal_actions": _range(widths),
        "observation_bytes": _range(sizes),
    }


def _range(values: list[int]) -> list[int]:
    return [min(values), median_low(values), max(values)]


def main(arguments: list[str] | None = None) -> int:
    """Print the figures of the matches of some files."""
    files = [Path(name) for name in (sys.argv[1:] if arguments is None else arguments)]
    figures = measure(decisions(read_setup(file)) for file in files)
    sys.stdout.write(json.dumps(figures) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
