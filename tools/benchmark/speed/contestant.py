"""One process that measures slices of work on demand: a request and an answer per line of JSON.

It runs with the Python and the import path of the measured package, so it may import nothing else
at the top. Times are CPU seconds of this process.
"""

import json
import random
import sys
import time
from collections.abc import Callable
from typing import Any

from tools.benchmark.speed.drivers import driver_of

_STATES = 200
_BATCH = 20


class Contestant:
    """Measures one game of one package."""

    def __init__(self, package: str, game: str) -> None:
        self._rng = random.Random(5)
        self._game = game
        self._play = driver_of(package, game)

    def driven(self, slice_s: float) -> dict[str, float]:
        """Play matches from Python; return decisions, listed actions and matches per second."""
        matches = moves = listed = 0
        started = now = time.process_time()
        while now < started + slice_s:
            more_moves, more_listed = self._play(self._rng)
            moves, listed, matches = moves + more_moves, listed + more_listed, matches + 1
            now = time.process_time()
        spent = now - started
        return {"moves": moves / spent, "listed": listed / spent, "matches": matches / spent}

    def inside(self, slice_s: float) -> dict[str, float]:
        """Play matches inside the engine, as a search does after its setup."""
        states, rng = self._states(), self._rng
        starts = [state for state in states[:1] for _ in range(_BATCH)]
        playouts = 0
        started = now = time.process_time()
        while now < started + slice_s:
            for state in starts:
                state.copy().playout(rng)
            playouts += _BATCH
            now = time.process_time()
        return {"playouts": playouts / (now - started)}

    def parts(self, slice_s: float) -> dict[str, float]:
        """Return the nanoseconds of a copy, a list and an action in random positions."""
        states = self._states()
        copies = _per_item(lambda: states, lambda state: state.copy(), slice_s)
        lists = _per_item(lambda: states, lambda state: state.legal_actions(), slice_s)
        picks = [state.random_action(self._rng) for state in states]
        applies = _per_item(
            lambda: list(zip([state.copy() for state in states], picks, strict=True)),
            lambda pair: pair[0].apply_unchecked(pair[1]),
            slice_s,
        )
        return {"copy_ns": copies, "legal_ns": lists, "apply_ns": applies}

    def learning(self, slice_s: float) -> dict[str, float]:
        """Return what environments for learning cost as multiples of the rules alone."""
        from tools.benchmark.speed.learners import learning  # noqa: PLC0415  # ours only

        return learning(self._game, slice_s)

    def _states(self) -> list[Any]:
        """Return positions in which a seat decides, beginning with the first one of a match."""
        from pentathlon_engines import CHANCE, GAMES  # noqa: PLC0415  # pure or compiled

        rng = random.Random(11)
        states: list[Any] = []  # Any: states of whichever build is on the path
        while len(states) < _STATES:
            state = GAMES[self._game].start()
            while state.to_move is not None:
                if state.to_move == CHANCE:
                    state.apply_chance(state.sample_chance(rng))
                    continue
                states.append(state.copy())
                state.apply_unchecked(state.random_action(rng))
        return states


def _per_item(
    prepare: Callable[[], list[Any]], work: Callable[[Any], object], slice_s: float
) -> float:
    """Return the nanoseconds of some work on an item, less those of a call that does nothing."""
    spent = idle = 0.0
    items = 0
    while spent < slice_s / 3:
        batch = prepare()
        started = time.process_time()
        for item in batch:
            work(item)
        middle = time.process_time()
        for item in batch:
            _nothing(item)
        idle += time.process_time() - middle
        spent += middle - started
        items += len(batch)
    return 1e9 * (spent - idle) / items


def _nothing(item: object) -> None:
    """Do nothing, so that only the call costs time."""


def main() -> None:
    """Answer requests until there are no more."""
    contestant = Contestant(*sys.argv[1:])
    for line in sys.stdin:
        task, slice_s = json.loads(line)
        sys.stdout.write(json.dumps(getattr(contestant, task)(slice_s)) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
