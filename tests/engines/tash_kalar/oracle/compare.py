"""The engine of Tash-Kalar compared with one that was written from the rules page alone.

    python -m tests.engines.tash_kalar.oracle --matches 1000
    python -m tests.engines.tash_kalar.oracle --matches 100 --turns 20 --decks nethervoid

Half of the matches begin with the deal, the others on crowded boards, where the rare cases live.
"""

import argparse
import copy
import json
import random
import sys
from collections import Counter
from collections.abc import Sequence
from itertools import permutations
from typing import Any

from pentathlon_engines import CHANCE, GAMES, State
from tests.engines.tash_kalar.crowds import crowded
from tests.engines.tash_kalar.oracle import turns
from tests.engines.tash_kalar.oracle.cards import DECKS, SCHOOLS, cards_of, kind_of
from tests.engines.tash_kalar.oracle.flow import Oracle
from tests.engines.tash_kalar.oracle.views import masked, observation

MODES = ("high_form", "deathmatch_duel")

PROGRESS = {"discarded", "extra_draws", "extra_turn", "slowed", "taken", "warped"}
"""The parts of a turn's progress that the rules name; the others are registers of the engine."""


BASE_PAIRS = [*map(list, permutations(SCHOOLS, 2)), ["drawn", "drawn"]]


def pairs_of(schools: Sequence[str]) -> list[list[str]]:
    """Return the pairs of schools of which at least one is among these."""
    pairs = [list(pair) for pair in permutations(DECKS, 2) if {*pair} & {*schools}]
    return [*pairs, *([school, "drawn"] for school in schools)]


def compare_match(seed: int, pairs: Sequence[list[str]]) -> Counter[str]:
    """Play one match on both, compare after every event, and count what was done in it.

    All pairs in both modes, from the deal and from the middle, take `4 * len(pairs)` seeds.
    """
    rng = random.Random(seed)
    options = {"mode": MODES[seed % 2], "decks": pairs[seed // 2 % len(pairs)]}
    if seed // (2 * len(pairs)) % 2 and "drawn" not in options["decks"]:
        state = crowded(options, rng)
        oracle = Oracle(options, copy.deepcopy(state.to_json()))
    else:
        state, oracle = GAMES["tash_kalar"].start(options=options), Oracle(options)
    seen: Counter[str] = Counter()
    while True:
        if oracle.phase not in ("draw", "deal"):
            compare_position(oracle, state)
        if oracle.result is not None:
            return seen + Counter([f"end {oracle.result['reason']}"])
        text = state.sample_chance(rng) if state.to_move == CHANCE else choose(oracle, rng)
        advance(oracle, state, text)
        if rng.random() < (0.3 if oracle.phase == "effect" else 0.05):
            state = reloaded(state)
        seen += Counter([named(text)])


def compare_turn(card: str, seed: int) -> bool:
    """Use one card on both in a position made for it; say whether it could be used."""
    rng = random.Random(f"{card} {seed}")
    state = turns.prepared(card, rng)
    oracle = turns.beginning(state)
    compare_position(oracle, state)
    texts = turns.uses(card, oracle.listed)
    if not texts:
        return False
    advance(oracle, state, rng.choice(turns.of_one_kind(texts, rng)))
    compare_position(oracle, state)
    while oracle.phase in ("effect", "shortage") or "summon_now" in oracle.permissions:
        advance(oracle, state, turns.answer(oracle, rng))
        compare_position(oracle, state)
    return True


def advance(oracle: Oracle, state: State, text: str) -> None:
    """Do the same on both, and compare what each seat is told of it."""
    by = oracle.to_move
    assert by == state.to_move
    assert by is not None
    for seat in (None, 0, 1):
        assert state.event_for(seat, text) == masked(text, by, seat)
    oracle.do(text)
    if by == CHANCE:
        state.apply_chance(text)
    else:
        state.apply(state.parse(text))


def reloaded(state: State) -> State:
    """Return the position as read from its JSON; what a seat sees of it can be read as well."""
    game, seat = GAMES["tash_kalar"], state.to_move
    if seat not in (None, CHANCE):
        seen = game.load(json.loads(json.dumps(state.observation(seat))))
        assert seen.observation(seat) == state.observation(seat)
        assert seen.legal_actions() == state.legal_actions()
    return game.load(json.loads(json.dumps(state.to_json())))


def choose(oracle: Oracle, rng: random.Random) -> str:
    """Draw an action; half of the time one that reaches effects, legends before all."""
    actions = oracle.listed
    if rng.random() < 0.5:
        wanted = [text for text in actions if text.startswith(("summon", "flare", "claim"))]
        legends = [text for text in wanted if {*text.split()} & {*cards_of("legends")}]
        actions = legends or wanted or [text for text in actions if text != "pass"]
    return rng.choice(actions)


def named(text: str) -> str:
    """Return what an action is counted as."""
    words = text.split()
    return " ".join(words[:2]) if words[0] in ("summon", "claim", "opt") else words[0]


def compare_position(oracle: Oracle, state: State) -> None:
    """Compare actions, what is seen by all, and the hidden cards."""
    assert [state.text(action) for action in state.legal_actions()] == oracle.listed
    for seat in (None, 0, 1):
        view = state.observation(seat)
        view["progress"] = {
            name: view["progress"][name] for name in PROGRESS & {*view["progress"]}
        }
        same(view, observation(oracle, seat))
    hidden = state.to_json()
    assert hidden["decks"] == oracle.decks | ({"tasks": oracle.row.deck} if oracle.is_high else {})
    assert hidden["hands"] == [observation(oracle, seat)["hand"] for seat in (0, 1)]
    assert hidden["discards"] == [sorted(pile) for pile in oracle.discards]
    assert (state.outcome.to_json() if state.outcome else None) == oracle.result
    check_counts(hidden)


def check_counts(position: dict[str, Any]) -> None:
    """17.1: no card and no piece is lost or found."""
    hands, decks, played = (position[part] for part in ("hands", "decks", "played"))
    schools = position["options"]["decks"]
    kind = kind_of(position["card"]) if position["card"] else ""
    own = position["progress"]["active"] if kind == "being" else None
    for seat in (0, 1):
        parts = (hands[seat]["beings"], decks["beings"][seat], position["discards"][seat])
        in_play = int(bool(position.get("frozen")) and schools[seat] == "everfrost")
        resolved = seat == own and position["card"] != position.get("pending")
        assert sum(map(len, parts)) + resolved + in_play == 18
    legends = (hands[0]["legends"], hands[1]["legends"], decks["legends"], played["legends"])
    assert sum(map(len, legends)) + (kind == "legend") == 12
    flares = sum(hand["flare"] is not None for hand in hands)
    assert flares + len(decks["flares"]) + len(played["flares"]) + (kind == "flare") == 12
    if "tasks" in position:
        row = position["tasks"]
        shown = len(row["current"]) + (row["next"] is not None)
        assert shown + len(decks["tasks"]) + sum(map(len, row["claimed"])) == 24
    supply = position["supply"]
    assert all(min(piece.values()) >= 0 for piece in supply)


def same(seen: dict[str, Any], expected: dict[str, Any]) -> None:
    """Compare what is seen field by field."""
    for field in sorted(seen.keys() | expected.keys()):
        assert seen.get(field) == expected.get(field), (
            f"{field} in {seen['phase']}: {seen.get(field)}, not {expected.get(field)}"
        )


def main() -> int:
    """Compare many matches and print what was done in them."""
    parser = argparse.ArgumentParser(prog="tests.engines.tash_kalar.oracle")
    parser.add_argument("--matches", type=int, default=1000)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--turns", type=int, default=0, help="single turns for each card first")
    parser.add_argument(
        "--decks",
        nargs="+",
        choices=DECKS,
        default=list(DECKS),
        metavar="DECK",
        help=f"schools of which one plays in each match: {', '.join(DECKS)}",
    )
    given = parser.parse_args()
    pairs, cards = pairs_of(given.decks), turns.cards_in(given.decks)
    used = sum(compare_turn(card, seed) for card in cards for seed in range(given.turns))
    seen: Counter[str] = Counter()
    for seed in range(given.first, given.first + given.matches):
        try:
            seen += compare_match(seed, pairs)
        except BaseException:
            sys.stderr.write(f"match {seed} differs\n")
            raise
    sys.stdout.write(f"{given.matches} matches agree; in them: {json.dumps(seen, indent=0)}\n")
    if used:
        sys.stdout.write(f"{used} single turns agree\n")
    return 0
