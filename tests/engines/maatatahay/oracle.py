"""The engine of Maatatahay compared with one that was written from the rules page alone.

python -m tests.engines.maatatahay.oracle --matches 2000
"""

import argparse
import json
import random
import sys
from collections import Counter
from typing import Any

from pentathlon_engines import GAMES, State
from tests.engines.maatatahay.by_page import Oracle, beside


def compare_match(seed: int) -> Counter[str]:
    """Play one match on both, compare after every action, and return what has happened.

    Most matches choose at random; of four, one takes relics where it can, and one crowds tiles.
    """
    rng = random.Random(seed)
    oracle, state = Oracle(rng), GAMES["maatatahay"].start()
    state.apply_chance(oracle.setup_text())
    seen: Counter[str] = Counter()
    while True:
        compare_position(oracle, state)
        if oracle.result is not None:
            seen.update(oracle.result["reasons"])
            return seen
        actions = oracle.legal()
        rng.shuffle(actions)
        if seed % 4 > 1:
            actions.sort(key=lambda action: _dislike(oracle, action, seed % 4))
        oracle.do(actions[0])
        state.apply(state.parse(actions[0]))
        seen[actions[0].split()[0] + (" pay" if "pay" in actions[0] else "")] += 1


def compare_position(oracle: Oracle, state: State) -> None:
    """Compare actions, the whole position and what is seen of it."""
    texts = [state.text(action) for action in state.legal_actions()]
    assert texts == oracle.legal()
    position = oracle.position()
    assert state.to_json() == position | oracle.hidden()
    assert state.observation(None) == position | oracle.known()
    for seat in (0, 1):
        legal = {"legal": texts} if seat == position["to_move"] else {}
        assert state.observation(seat) == position | oracle.known() | {"you": seat} | legal
    assert count_crystals(state.to_json()) == 60  # 10.4


def count_crystals(position: dict[str, Any]) -> int:
    """Return all crystals there are: on the map, in storage and supply, and in the bag."""
    places = [
        *position["ground"].values(),
        *position["board"].values(),
        *position["storage"],
        position["supply"],
    ]
    total: int = sum(there["spirit"] + there["energy"] for there in places)
    return total + len(position["bag"])


def _dislike(oracle: Oracle, action: str, kind: int) -> int:
    """Return what a player of a kind avoids: 2 saves for relics, 3 wants few free neighbours."""
    words = action.split()
    if kind == 2:
        return int("pay" not in words) if words[0] == "place" else len(action) > 8
    if words[0] == "place":
        return len([near for near in beside(words[1], "n e s w") if near not in oracle.board])
    return 0


def main() -> int:
    """Compare many matches and print what has happened in them."""
    parser = argparse.ArgumentParser(prog="tests.engines.maatatahay.oracle")
    parser.add_argument("--matches", type=int, default=2000)
    given = parser.parse_args()
    seen: Counter[str] = Counter()
    for seed in range(given.matches):
        seen += compare_match(seed)
    sys.stdout.write(f"{given.matches} matches agree; in them: {json.dumps(seen)}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
