"""Observations of Tash-Kalar as numbers. They contain past events only through their results."""

from __future__ import annotations

from typing import Any, Final

from pentathlon_engines.encoding.features import Features
from pentathlon_engines.tash_kalar.actions import TASK_IDS
from pentathlon_engines.tash_kalar.board import DIRECTIONS, NAMES, RULES, SQUARES
from pentathlon_engines.tash_kalar.cards.catalogue import (
    EXPANSIONS,
    FIRST_FLARE,
    FIRST_LEGEND,
    FROZEN_CARDS,
    IDS,
    SCHOOL_CARDS,
    SCHOOLS,
    WARP_SCHOOLS,
)
from pentathlon_engines.tash_kalar.cards.patterns import RANKS
from pentathlon_engines.tash_kalar.constants import MODES, PHASES, TWO_SIDED
from pentathlon_engines.tash_kalar.serialization.fields import CAPTURES, UNSEEN

_BOARD: Final = tuple(NAMES[square] for square in SQUARES)
_SCHOOLS: Final = (*SCHOOLS, *EXPANSIONS)
_BEINGS: Final = IDS[:FIRST_LEGEND]
_LEGENDS: Final = IDS[FIRST_LEGEND:FIRST_FLARE]
_FROZEN: Final = tuple(IDS[card] for card in FROZEN_CARDS)
_FLARES: Final = IDS[FIRST_FLARE:]
_WOVEN: Final = tuple(IDS[card] for school in WARP_SCHOOLS for card in SCHOOL_CARDS[school])
_GOAL: Final[int] = max(RULES["goal"].values())
_DECKS: Final[dict[str, int]] = RULES["deck_sizes"]
_PERMISSIONS: Final = (
    "counts_double",
    "extra_turn",
    "possessed_summon",
    "summon_now",
    "void_summon",
    "war_summon",
)
_ACTIONS: Final = 4
_HAND: Final = 5
_DESTROYED: Final = 4
_STEPS: Final = 4
_TIMES: Final = 8
_NOTHING: Final[dict[str, Any]] = {}
_NO_TASKS: Final[dict[str, Any]] = {
    "current": [],
    "next": None,
    "claimed": [[], []],
    "under": [],
}


def features(view: dict[str, Any], seats: int) -> list[float]:
    """Return the numbers of an observation."""
    found = Features(you=view["you"], seats=seats)
    _add_turn(found, view)
    for square in _BOARD:
        piece = view["board"].get(square, _NOTHING)
        found.seat(piece.get("owner"))
        found.choice(piece.get("rank"), RANKS)
    found.choice(view.get("gateway"), _BOARD)
    found.choice(view.get("frozen"), _FROZEN)
    for supply in found.by_seat(view["supply"]):
        found.number(supply["common_heroic"], most=max(TWO_SIDED))
        found.number(supply["legendary"], most=RULES["supply"][MODES[0]]["legendary"])
    found.numbers((max(0, score) for score in found.by_seat(view["scores"])), most=_GOAL)
    _add_pending(found, view)
    _add_cards(found, view)
    _add_tasks(found, view.get("tasks", _NO_TASKS))
    _add_effect(found, view)
    return found.values


def _add_pending(found: Features, view: dict[str, Any]) -> None:
    """Add the Etherweave's features: a pending card, the last discard and the last warps."""
    on_card = view.get("on_card") or _NOTHING
    found.choice(view.get("pending"), _WOVEN)
    found.seat(on_card.get("owner"))
    found.choice(on_card.get("rank"), RANKS)
    found.choice(view.get("last_discard"), (*_WOVEN, UNSEEN))
    found.marks(view["progress"].get("warped", []), _WOVEN)


def _add_turn(found: Features, view: dict[str, Any]) -> None:
    """Add modes and schools, the seat to decide and its phase, and the actions of this turn."""
    options, progress = view["options"], view["progress"]
    found.choice(options["mode"], MODES)
    for school in found.by_seat(options["decks"]):
        found.choice(school, _SCHOOLS)
    found.seat(view["to_move"])
    found.seat(progress["active"])
    found.choice(view["phase"], PHASES)
    found.number(view["turn"], most=RULES["turn_cap"])
    found.number(view["actions_left"], most=_ACTIONS)
    found.marks(view["permissions"], _PERMISSIONS)
    found.flag(progress["discarded"])
    found.flag(progress["extra_turn"])
    found.seat(progress.get("slowed"))
    found.numbers(progress["extra_draws"], most=2)
    counters = view["counters"]
    found.numbers((counters["destroyed"][rank] for rank in RANKS), most=_DESTROYED)
    found.marks([summoned["square"] for summoned in counters["summoned"]], _BOARD)
    end = view["end"] or _NOTHING
    found.seat(end.get("seat"))
    found.number(end.get("turns_left"), most=RULES["final_turns"])


def _add_cards(found: Features, view: dict[str, Any]) -> None:
    hand, played, decks = view["hand"], view["played"], view["deck_sizes"]
    found.marks(hand["beings"], _BEINGS)
    found.marks(hand["legends"], _LEGENDS)
    found.choice(hand["flare"], _FLARES)
    found.marks(view["discard"], _BEINGS)
    for beings in found.by_seat(played["beings"]):
        found.marks(beings, _BEINGS)
    found.marks(played["legends"], _LEGENDS)
    found.marks(played["flares"], _FLARES)
    for sizes in found.by_seat(view["hand_sizes"]):
        found.numbers((sizes[kind] for kind in ("beings", "legends", "flare")), most=_HAND)
    found.numbers(found.by_seat(decks["beings"]), most=_DECKS["beings"])
    found.numbers(found.by_seat(view["discard_sizes"]), most=_DECKS["beings"])
    found.numbers((decks["legends"], decks["flares"]), most=_DECKS["legends"])
    found.number(decks.get("tasks"), most=_DECKS["tasks"])


def _add_tasks(found: Features, tasks: dict[str, Any]) -> None:
    found.marks(tasks["current"], TASK_IDS)
    found.choice(tasks["next"], TASK_IDS)
    for claimed in found.by_seat(tasks["claimed"]):
        found.marks(claimed, TASK_IDS)
    found.marks(tasks["under"], TASK_IDS)


def _add_effect(found: Features, view: dict[str, Any]) -> None:
    """Add the card being resolved, its step, and the squares that its effect remembers."""
    effect = view["progress"]["effect"] or _NOTHING
    summon = view["progress"]["summon"] or _NOTHING
    found.choice(view["card"], IDS)
    found.choice(view["step"], range(_STEPS))
    found.number(effect.get("times"), most=_TIMES)
    found.number(effect.get("own_moves"), most=_TIMES)
    found.choice(effect.get("warp"), _WOVEN)
    found.choice(effect.get("direction"), DIRECTIONS)
    found.choice(effect.get("lock"), RANKS)
    found.choice(summon.get("square", effect.get("summon")), _BOARD)
    found.choice(effect.get("onto"), CAPTURES)
    for name in ("being", "runner", "picked"):
        found.choice(effect.get(name), _BOARD)
    for name in ("used", "pool", "chosen"):
        found.marks(effect.get(name, []), _BOARD)
