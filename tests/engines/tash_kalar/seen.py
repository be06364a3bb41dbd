"""Observations of Tash-Kalar as numbers. They contain past events only through their results."""

from __future__ import annotations

from typing import Any, Final

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
from tests.engines.seen import Features

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
_NO_TASKS: Final[dict[str, Any]] = {"current": [], "next": None, "claimed": [[], []], "under": []}


def features(view: dict[str, Any], seats: int) -> list[float]:
    """Return the numbers of an observation."""
    encoded = Features(you=view["you"], seats=seats)
    _add_turn(encoded, view)
    for square in _BOARD:
        piece = view["board"].get(square, _NOTHING)
        encoded.seat(piece.get("owner"))
        encoded.choice(piece.get("rank"), RANKS)
    encoded.choice(view.get("gateway"), _BOARD)
    encoded.choice(view.get("frozen"), _FROZEN)
    for supply in encoded.by_seat(view["supply"]):
        encoded.number(supply["common_heroic"], most=max(TWO_SIDED))
        encoded.number(supply["legendary"], most=RULES["supply"][MODES[0]]["legendary"])
    encoded.numbers((max(0, score) for score in encoded.by_seat(view["scores"])), most=_GOAL)
    _add_pending(encoded, view)
    _add_cards(encoded, view)
    _add_tasks(encoded, view.get("tasks", _NO_TASKS))
    _add_effect(encoded, view)
    return encoded.values


def _add_pending(encoded: Features, view: dict[str, Any]) -> None:
    """Add the Etherweave's features: a pending card, the last discard and the last warps."""
    on_card = view.get("on_card") or _NOTHING
    encoded.choice(view.get("pending"), _WOVEN)
    encoded.seat(on_card.get("owner"))
    encoded.choice(on_card.get("rank"), RANKS)
    encoded.choice(view.get("last_discard"), (*_WOVEN, UNSEEN))
    encoded.marks(view["progress"].get("warped", []), _WOVEN)


def _add_turn(encoded: Features, view: dict[str, Any]) -> None:
    """Add modes and schools, the seat to decide and its phase, and the actions of this turn."""
    options, progress = view["options"], view["progress"]
    encoded.choice(options["mode"], MODES)
    for school in encoded.by_seat(options["decks"]):
        encoded.choice(school, _SCHOOLS)
    encoded.seat(view["to_move"])
    encoded.seat(progress["active"])
    encoded.choice(view["phase"], PHASES)
    encoded.number(view["turn"], most=RULES["turn_cap"])
    encoded.number(view["actions_left"], most=_ACTIONS)
    encoded.marks(view["permissions"], _PERMISSIONS)
    encoded.flag(progress["discarded"])
    encoded.flag(progress["extra_turn"])
    encoded.seat(progress.get("slowed"))
    encoded.numbers(progress["extra_draws"], most=2)
    counters = view["counters"]
    encoded.numbers((counters["destroyed"][rank] for rank in RANKS), most=_DESTROYED)
    encoded.marks([summoned["square"] for summoned in counters["summoned"]], _BOARD)
    end = view["end"] or _NOTHING
    encoded.seat(end.get("seat"))
    encoded.number(end.get("turns_left"), most=RULES["final_turns"])


def _add_cards(encoded: Features, view: dict[str, Any]) -> None:
    hand, played, decks = view["hand"], view["played"], view["deck_sizes"]
    encoded.marks(hand["beings"], _BEINGS)
    encoded.marks(hand["legends"], _LEGENDS)
    encoded.choice(hand["flare"], _FLARES)
    encoded.marks(view["discard"], _BEINGS)
    for beings in encoded.by_seat(played["beings"]):
        encoded.marks(beings, _BEINGS)
    encoded.marks(played["legends"], _LEGENDS)
    encoded.marks(played["flares"], _FLARES)
    for sizes in encoded.by_seat(view["hand_sizes"]):
        encoded.numbers((sizes[kind] for kind in ("beings", "legends", "flare")), most=_HAND)
    encoded.numbers(encoded.by_seat(decks["beings"]), most=_DECKS["beings"])
    encoded.numbers(encoded.by_seat(view["discard_sizes"]), most=_DECKS["beings"])
    encoded.numbers((decks["legends"], decks["flares"]), most=_DECKS["legends"])
    encoded.number(decks.get("tasks"), most=_DECKS["tasks"])


def _add_tasks(encoded: Features, tasks: dict[str, Any]) -> None:
    encoded.marks(tasks["current"], TASK_IDS)
    encoded.choice(tasks["next"], TASK_IDS)
    for claimed in encoded.by_seat(tasks["claimed"]):
        encoded.marks(claimed, TASK_IDS)
    encoded.marks(tasks["under"], TASK_IDS)


def _add_effect(encoded: Features, view: dict[str, Any]) -> None:
    """Add the card being resolved, its step, and the squares that its effect remembers."""
    effect = view["progress"]["effect"] or _NOTHING
    summon = view["progress"]["summon"] or _NOTHING
    encoded.choice(view["card"], IDS)
    encoded.choice(view["step"], range(_STEPS))
    encoded.number(effect.get("times"), most=_TIMES)
    encoded.number(effect.get("own_moves"), most=_TIMES)
    encoded.choice(effect.get("warp"), _WOVEN)
    encoded.choice(effect.get("direction"), DIRECTIONS)
    encoded.choice(effect.get("lock"), RANKS)
    encoded.choice(summon.get("square", effect.get("summon")), _BOARD)
    encoded.choice(effect.get("onto"), CAPTURES)
    for name in ("being", "runner", "picked"):
        encoded.choice(effect.get(name), _BOARD)
    for name in ("used", "pool", "chosen"):
        encoded.marks(effect.get(name, []), _BOARD)
