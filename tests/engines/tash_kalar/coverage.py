"""Which branches of the effects of Tash-Kalar a seeded corpus reaches.

    python -m tests.engines.tash_kalar.coverage --tries 400

Each card is played again and again on crowded boards. A branch is what a step can do: its
condition holds or not, it is done, declined, stopped, done as often as it may be, each option and
each verb of a choice, captures of each kind, shots and sweeps that hit nothing. Ends with status
1 if a branch stays unreached.
"""

import argparse
import random
import sys
from collections.abc import Iterator
from typing import Any, Self

from pentathlon_engines import GAMES, State
from pentathlon_engines.tash_kalar import interpreter
from pentathlon_engines.tash_kalar.actions import DO_MOVE, OTHER_OF, PASS, SQUARE_OF, VERB_OF, WARP
from pentathlon_engines.tash_kalar.cards import program as words
from pentathlon_engines.tash_kalar.cards.catalogue import (
    EXPANSIONS,
    FIRST_FLARE,
    FIRST_LEGEND,
    FROST_SCHOOLS,
    FROZEN_CARDS,
    IDS,
    PROGRAMS,
    SCHOOL_CARDS,
    WARP_SCHOOLS,
)
from pentathlon_engines.tash_kalar.cards.patterns import COMMON, RANKS
from pentathlon_engines.tash_kalar.cards.program import (
    DestroyStep,
    FreezeStep,
    GroupStep,
    MoveStep,
    PlaceStep,
    ShotStep,
    Step,
)
from pentathlon_engines.tash_kalar.constants import MODES, RESOLVING, SHORTAGE
from pentathlon_engines.tash_kalar.effect import Effect
from pentathlon_engines.tash_kalar.selection import select
from pentathlon_engines.tash_kalar.state import TashKalarPosition
from tests.engines.tash_kalar.crowds import crowd, random_gateway, woven_fields
from tests.engines.tash_kalar.oracle.cards import SQUARES, layings

Branch = tuple[int, str]
"""The index of a step in the program, and what the step did."""

_CAN_BE_EQUAL = (words.COMBAT, words.BUDGET_AND, words.BUDGET_OR, words.BY_PIECE)
_MANY = 4


class Watch:
    """Notes which branches of an effect are taken, in place of parts of the interpreter."""

    PARTS = ("enter", "run_automatic", "resolve", "leads_on", "perform")

    def __init__(self) -> None:
        self.reached: set[Branch] = set()
        self._real: dict[str, Any] = {name: getattr(interpreter, name) for name in self.PARTS}

    def __enter__(self) -> Self:
        for name in self.PARTS:
            setattr(interpreter, name, getattr(self, name))
        return self

    def __exit__(self, *exc: object) -> None:
        for name, part in self._real.items():
            setattr(interpreter, name, part)

    def enter(self, state: TashKalarPosition, effect: Effect, step: Step) -> bool:
        entered: bool = self._real["enter"](state, effect, step)
        if step.conditions:
            self._note(state, effect.at, "condition met" if entered else "condition not met")
        return entered

    def run_automatic(self, state: TashKalarPosition, effect: Effect, step: Step) -> None:
        found = select(state, effect, step.selector) if step.op in _SWEEPS else 1
        if step.op == "change_side":
            found = state.two_sided(1 - state.active)
        self._note(state, effect.at, "done" if found else "nothing there")
        self._real["run_automatic"](state, effect, step)

    def resolve(self, state: TashKalarPosition, action: int) -> None:
        if action == PASS and state.effect is not None:
            self._note(state, state.effect.at, "declined")
        self._real["resolve"](state, action)

    def leads_on(self, state: TashKalarPosition, effect: Effect, step: Step, action: int) -> bool:
        leads: bool = self._real["leads_on"](state, effect, step, action)
        if not leads:
            self._note(state, effect.at, "cut by the link")
        return leads

    def _note(self, state: TashKalarPosition, at: int, what: str) -> None:
        """Note a branch, unless it is one of another card's warp effect that is copied."""
        if state.effect is not None and state.effect.program == state.card:
            self.reached.add((at, what))

    def perform(self, state: TashKalarPosition, effect: Effect, step: Step, action: int) -> bool:
        at, before, frozen = effect.at, state.board[:], state.frozen
        self._note(state, at, VERB_OF[action])
        stopped: bool = self._real["perform"](state, effect, step, action)
        if stopped:
            self._note(state, at, "stopped")
        if effect.times == step.most and step.most > 1:
            self._note(state, at, "as often as may be")
        if effect.lock >= 0:
            self._note(state, at, f"locked to {RANKS[effect.lock]}")
        if step.op == "freeze" and frozen >= 0:
            self._note(state, at, "kept the old one" if frozen == state.frozen else "replaced it")
        self._watch(state, at, step, action, before)
        return stopped

    def _watch(
        self, state: TashKalarPosition, at: int, step: Step, action: int, before: list[int]
    ) -> None:
        """Note what a move captured, whose it was, which rank it had, and what a shot hit."""
        square, to = SQUARE_OF[action], OTHER_OF[action]
        if VERB_OF[action] == DO_MOVE:
            captured = before[to] - 1
            self._note(state, at, "captured" if captured >= 0 else "onto empty")
            if captured >= 0 and captured % 3 == (before[square] - 1) % 3:
                self._note(state, at, "captured an equal")
            if step.by_rank:
                self._note(state, at, f"run of {RANKS[(before[square] - 1) % 3]}")
        if isinstance(step, DestroyStep) and step.for_good:
            self._note(state, at, f"took a {RANKS[(before[square] - 1) % 3]}")
        if step.op == "shoot":
            self._note(state, at, "missed" if before == state.board else "hit")
        if step.op == "place" and isinstance(step, PlaceStep) and step.rank < 0:
            self._note(state, at, f"placed {RANKS[(state.board[square] - 1) % 3]}")


_SWEEPS = ("destroy_all", "force_upgrade", "change_side")


def branches(card: int) -> set[Branch]:
    """Return the branches that the effect of a card has."""
    found: set[Branch] = set()
    impossible = set(_IMPOSSIBLE.get(IDS[card], set()))
    for at, step in enumerate(PROGRAMS[card].steps):
        found |= {(at, what) for what in _branches(step)}
        for start in step.options:
            option = PROGRAMS[card].steps[start]
            if not option.is_automatic and option.least == 0:
                found.add((at, "declined"))
                impossible |= {(start, "declined")} if option.most == 1 else set()
    return found - impossible


def _branches(step: Step) -> Iterator[str]:
    if step.conditions:
        yield from ("condition met", "condition not met")
    if step.op == "choose_one":
        return
    if step.is_automatic:
        yield "done"
        if step.op in _SWEEPS:
            yield "nothing there"
        return
    yield from _VERBS[step.op]
    if step.least == 0 and step.most_of < 0:
        yield "declined"
    if 1 < step.most < words.UNLIMITED:
        yield "as often as may be"
    yield from ("cut by the link",) if step.linked else ()
    yield from (f"locked to {RANKS[at]}" for at, most in enumerate(step.rank_lock) if most)
    yield from _branches_of_kind(step)


def _branches_of_kind(step: Step) -> Iterator[str]:
    if isinstance(step, MoveStep):
        yield from _branches_of_moves(step)
    if isinstance(step, ShotStep):
        yield from ("hit", "missed") if step.least else ("hit",)
    if isinstance(step, GroupStep):
        yield "downgrade" if step.downgrades else "destroy"
    if step.op == "place" and isinstance(step, PlaceStep) and step.rank < 0:
        yield from (f"placed {rank}" for rank in RANKS)
    if isinstance(step, FreezeStep):
        yield from ("replaced it",) if step.from_discard else ("replaced it", "kept the old one")
    if isinstance(step, DestroyStep):
        yield from ("stopped",) if step.stop_rank >= 0 else ()
        yield from (f"took a {rank}" for rank in RANKS if step.for_good)


def _branches_of_moves(step: MoveStep) -> Iterator[str]:
    if step.stop or step.kind == words.BUDGET_OR:
        yield "stopped"
    if step.kind != words.ONTO_LEGENDARY:
        yield "onto empty"
    only_commons = step.selector.ranks == 1 << COMMON
    if step.kind != words.ONTO_EMPTY and not (step.kind == words.STANDARD and only_commons):
        yield "captured"
    if step.kind in _CAN_BE_EQUAL:
        yield "captured an equal"
    yield from (f"run of {rank}" for rank in RANKS if step.by_rank)


_VERBS = {
    "moves": ("move",),
    "leaps": ("leap",),
    "destroy": ("destroy",),
    "upgrade": ("upgrade",),
    "downgrade": ("downgrade",),
    "convert": ("convert",),
    "place": ("place",),
    "shoot": ("dir",),
    "per_square": ("destroy", "upgrade", "place"),
    "group": (),
    "pick": ("pick",),
    "recover": ("take",),
    "throw_flare": ("opt",),
    "freeze": ("keep",),
    "mirror": ("pick",),
    "pick_square": ("pick",),
    "swap": ("pick",),
    "lift": ("pickup",),
    "leap_from_card": ("leap",),
    "copy_warp": ("warp",),
    "throw": ("throw",),
    "take_back": ("opt",),
}
_IMPOSSIBLE: dict[str, set[Branch]] = {
    "bomb": {(0, "nothing there")},
    "champion": {(1, "nothing there")},
    "angel_of_death": {(1, "nothing there")},
    "storm_elemental": {(1, "as often as may be"), (2, "nothing there")},
    "titan": {(0, "nothing there")},
    "demon_of_sloth": {(0, "nothing there")},
    "snow_fox": {(0, "captured")},
    "glacier_giant": {(2, "nothing there")},
    "ice_wyvern": {(1, "nothing there")},
    "polarity_queen": {(1, "condition not met")},
    "antimatter_spirit": {(2, "cut by the link")},
    "singularity": {(1, "condition not met")},
}
"""Branches that cannot be reached: the being that destroys itself is there, and so is a piece just
picked or placed; the most that a run may have is counted by its rank; Titan has a piece beside
him; when an effect begins there is a Gateway; a common makes standard moves onto empty squares
only; four pieces in a pattern can always move in opposite directions; some square is always empty;
a linked part that was offered can be done."""


def position(card: int, rng: random.Random) -> TashKalarPosition:
    """Return a crowded board on which a card can be played by seat 0."""
    name = IDS[card]
    schools = [school for school, cards in SCHOOL_CARDS.items() if card in cards] or ["highland"]
    other = "sylvan" if schools[0] != "sylvan" else "northern_imperial"
    board = _match(name, rng) if card < FIRST_FLARE else _few(rng)
    if card >= FIRST_FLARE and rng.random() < 0.3:
        free = [there for there in SQUARES if there not in board]
        board |= {there: {"owner": 1, "rank": "heroic"} for there in rng.sample(free, 5)}
    else:
        crowd(board, 1, rng)
    if card < FIRST_FLARE and rng.random() < 0.6:
        crowd(board, 0, rng)
    kind = "beings" if card < FIRST_LEGEND else "legends"
    hand: dict[str, Any] = {kind: [name]} if card < FIRST_FLARE else {"flare": name}
    own = [IDS[at] for at in SCHOOL_CARDS[schools[0]] if at != card]
    frozen = _frozen(card, rng) if schools[0] in FROST_SCHOOLS else {}
    if frozen.get("frozen") == name:
        hand = {"beings": sorted((own.pop(), own.pop()))}
    if frozen.get("frozen") in own:
        own.remove(str(frozen["frozen"]))
    if schools[0] in EXPANSIONS and card < FIRST_LEGEND:
        hand["flare"] = rng.choice(("flare_01", None))
    pile = sorted(rng.sample(own, rng.choice((0, 2, 9))))
    woven = woven_fields(hand, pile, rng) if schools[0] in WARP_SCHOOLS else {}
    state = GAMES["tash_kalar"].load(
        {
            "options": {"mode": rng.choice(MODES), "decks": [schools[0], other]},
            "to_move": 0,
            "phase": "main",
            "turn": 3,
            "actions_left": rng.choice((1, 2)),
            "board": board,
            **random_gateway(board, [schools[0]], rng),
            **frozen,
            "hands": [hand, {}],
            "discards": [pile, []],
            "played": {"beings": [pile, []]},
            **woven,
        }
    )
    assert isinstance(state, TashKalarPosition)
    return state


def _frozen(card: int, rng: random.Random) -> dict[str, str | None]:
    """Return the field of the card in play, often this one itself: then it can be thawed."""
    others = [IDS[at] for at in FROZEN_CARDS if at != card]
    itself = [IDS[card]] * len(others) if card in FROZEN_CARDS else []
    return {"frozen": rng.choice([None, *others, *itself])}


def _match(card: str, rng: random.Random) -> dict[str, dict[str, Any]]:
    """Return the pieces of a match, some of them of higher rank than they must be."""
    needs = rng.choice(layings(card)).needs
    board = {there: {"owner": 0, "rank": rank} for there, rank in needs.items()}
    raised = rng.choice(("common", "heroic", "legendary"))
    for there in rng.sample(list(board), rng.randrange(len(board) + 1)):
        legends = sum(piece["rank"] == "legendary" for piece in board.values())
        if raised == "heroic" or (raised == "legendary" and legends < 2):
            board[there]["rank"] = raised
    return board


def _few(rng: random.Random) -> dict[str, dict[str, Any]]:
    """Return a few own pieces, as one has when a flare burns."""
    return {
        there: {"owner": 0, "rank": rng.choice(("common", "heroic"))}
        for there in rng.sample(SQUARES, rng.randrange(1, 5))
    }


def play(card: int, rng: random.Random) -> set[Branch]:
    """Play a card once and return the branches that its effect took; none if it cannot be."""
    state = position(card, rng)
    start = (f"summon {IDS[card]} ", f"warp {IDS[card]}") if card < FIRST_FLARE else ("flare",)
    if state.frozen == card:
        start = ("thaw",)
    ways = [action for action in state.legal_actions() if state.text(action).startswith(start)]
    if len(ways) > 1 and VERB_OF[ways[-1]] == WARP:
        ways = rng.choice((ways[:-1], ways[-1:]))
    if not ways:
        return set()
    declining = rng.choice((0.1, 0.6))
    with Watch() as watch:
        state.apply(rng.choice(ways))
        while state.phase in (SHORTAGE, RESOLVING):
            state.apply(_choose(state, rng, declining))
    return watch.reached


def _choose(state: State, rng: random.Random, declining: float) -> int:
    """Choose any action, but `pass` as often as said."""
    actions = state.legal_actions()
    others = [action for action in actions if action != PASS]
    return PASS if others != actions and rng.random() < declining else rng.choice(others)


def unreached(card: int, tries: int) -> tuple[set[Branch], int]:
    """Play a card until all its branches are reached; return those left, and how often it was."""
    left, rng = branches(card), random.Random(f"coverage:{IDS[card]}")
    played = 0
    for _ in range(tries):
        reached = play(card, rng)
        played += bool(reached) or not left
        left -= reached
        if not left and played:
            break
    return left, played


def report(tries: int) -> tuple[list[str], int]:
    """Return a line for each card, and how many branches were not reached."""
    lines, missing, total = [], 0, 0
    for card, name in enumerate(IDS):
        left, played = unreached(card, tries)
        total += len(branches(card))
        missing += len(left)
        named = "; ".join(f"step {at}: {what}" for at, what in sorted(left))
        lines.append(f"{name:<22}{len(branches(card)):>4} branches {played:>5} plays  {named}")
    lines.append(f"{len(IDS)} cards, {total} branches, {missing} not reached")
    return lines, missing


def main() -> int:
    """Print the coverage; return 1 if a branch was not reached."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tries", type=int, default=400, help="per card, at most")
    lines, missing = report(parser.parse_args().tries)
    sys.stdout.write("\n".join([*lines, ""]))
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
