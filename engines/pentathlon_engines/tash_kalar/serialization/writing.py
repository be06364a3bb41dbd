"""Positions of Tash-Kalar as JSON, as on its rules page (16.4); `reading.py` reads them.

Besides the fields of the page there is `progress`, with public facts on which later decisions
depend: whose turn it is, whether a card was discarded in it, the draws granted, whether it is an
extra turn, the cards each seat has taken back, a draw step that waits for a new deck, a being that
waits for a piece, and the effect that is resolving.
"""

from __future__ import annotations

from pentathlon_engines.tash_kalar import constants, events
from pentathlon_engines.tash_kalar.actions import TASK_IDS
from pentathlon_engines.tash_kalar.board import DIRECTIONS, GRID, NAMES, bits
from pentathlon_engines.tash_kalar.cards.catalogue import (
    FROST_SCHOOLS,
    GATEWAY_SCHOOLS,
    IDS,
    PATTERNS,
    PROGRAMS,
)
from pentathlon_engines.tash_kalar.cards.patterns import ORIENTATIONS, RANKS
from pentathlon_engines.tash_kalar.effect import LOWER, SLOTS, UPPER
from pentathlon_engines.tash_kalar.hand import cards_of_kind
from pentathlon_engines.tash_kalar.serialization import etherweave
from pentathlon_engines.tash_kalar.state import TashKalarPosition
from pentathlon_engines.tash_kalar.turns import score

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from pentathlon_engines.tash_kalar.effect import Effect

HALVES = (("upper", UPPER), ("lower", LOWER))
CAPTURES = (None, "own", "enemy")
"""The possible captures of a summoning."""
SHARED = ("legends", "flares")


def describe(state: TashKalarPosition) -> dict[str, Any]:
    """Return a whole position as a JSON object; decks from the top."""
    decks: dict[str, Any] = {
        "beings": [names(deck[::-1]) for deck in state.decks],
        "legends": names(state.legends[::-1]),
        "flares": names(state.flares[::-1]),
    }
    if state.mode == constants.HIGH_FORM:
        decks["tasks"] = [TASK_IDS[task] for task in state.tasks[::-1]]
    heard = min(state.since)
    log = [events.show(entry, secrets_of=events.BOTH) for entry in state.log[heard:]]
    return {
        **_turn(state),
        **_board(state),
        "hands": [hand(state, seat) for seat in (0, 1)],
        "decks": decks,
        "played": _played(state),
        "discards": [sorted(names(bits(pile))) for pile in state.discards],
        **etherweave.discard_fields(state, events.BOTH),
        **_tasks(state),
        "end": _end(state),
        "progress": _progress(state),
        "events": log,
        "since": [since - heard for since in state.since],
        "result": None if state.outcome is None else state.outcome.to_json(),
    }


def show(state: TashKalarPosition, seat: int | None) -> dict[str, Any]:
    """Return a position as a seat or a spectator may see it, without `you` and `legal`.

    A spectator sees the events since the last decision of any seat.
    """
    hands = [hand(state, owner) for owner in (0, 1)]
    own: dict[str, Any] = {}
    pile: dict[str, Any] = {}
    if seat is not None:
        own = {"hand": hands[seat]}
        pile = {"discard": sorted(names(bits(state.discards[seat])))}
    since = max(state.since) if seat is None else state.since[seat]
    heard = () if seat is None else (seat,)
    return {
        **_turn(state),
        **_board(state),
        **own,
        "hand_sizes": [_hand_size(cards) for cards in hands],
        "deck_sizes": _deck_sizes(state),
        "played": _played(state),
        **pile,
        "discard_sizes": [pile.bit_count() for pile in state.discards],
        **etherweave.discard_fields(state, heard),
        **_tasks(state),
        "end": _end(state),
        "progress": _progress(state),
        "events": [events.show(entry, secrets_of=heard) for entry in state.log[since:]],
        "result": None if state.outcome is None else state.outcome.to_json(),
    }


def names(cards: Iterable[int]) -> list[str]:
    """Return the names of some cards, in their order."""
    return [IDS[card] for card in cards]


def squares(mask: int) -> list[str]:
    """Return the names of the squares of a mask."""
    return [NAMES[square] for square in bits(mask)]


def square(place: int) -> str | None:
    """Return the name of a square, None for none."""
    return None if place < 0 else NAMES[place]


def hand(state: TashKalarPosition, seat: int) -> dict[str, Any]:
    """Return a hand as a JSON object."""
    flares = names(bits(cards_of_kind(state.hands[seat], 2)))
    return {
        "beings": sorted(names(bits(cards_of_kind(state.hands[seat], 0)))),
        "legends": sorted(names(bits(cards_of_kind(state.hands[seat], 1)))),
        "flare": flares[0] if flares else None,
    }


def _hand_size(cards: dict[str, Any]) -> dict[str, int]:
    return {
        "beings": len(cards["beings"]),
        "legends": len(cards["legends"]),
        "flare": int(cards["flare"] is not None),
    }


def _deck_sizes(state: TashKalarPosition) -> dict[str, Any]:
    sizes: dict[str, Any] = {
        "beings": [len(deck) for deck in state.decks],
        "legends": len(state.legends),
        "flares": len(state.flares),
    }
    if state.mode == constants.HIGH_FORM:
        sizes["tasks"] = len(state.tasks)
    return sizes


def _turn(state: TashKalarPosition) -> dict[str, Any]:
    """Return the seat to decide, the decision, and the actions of this turn."""
    step = None
    if state.phase == constants.RESOLVING and state.effect is not None:
        step = PROGRAMS[state.effect.program].steps[state.effect.at].shown
    granted = (
        ("counts_double", state.doubled),
        ("extra_turn", state.extra_granted),
        ("possessed_summon", state.possessed),
        ("summon_now", state.directly),
        ("void_summon", state.voids),
        ("war_summon", state.war),
    )
    return {
        "game": "tash_kalar",
        "options": {**state.options, "decks": list(state.options["decks"])},
        "turn": state.turn,
        "to_move": state.to_move,
        "phase": constants.PHASES[state.phase],
        "card": None if state.card < 0 else IDS[state.card],
        "step": step,
        "actions_left": state.actions_left,
        "permissions": [name for name, holds in granted if holds],
    }


def _board(state: TashKalarPosition) -> dict[str, Any]:
    pieces = {}
    for place in bits(state.own(0) | state.own(1)):
        owner, rank = divmod(state.board[place] - 1, constants.RANKS_EACH)
        pieces[NAMES[place]] = {"owner": owner, "rank": RANKS[rank]}
    supply = [
        {
            "common_heroic": max(0, state.two_sided(seat)),
            "legendary": max(0, state.legendaries(seat)),
        }
        for seat in (0, 1)
    ]
    return {
        "board": pieces,
        **_gateway(state),
        **_frozen(state),
        **etherweave.board_fields(state),
        "supply": supply,
        "scores": [score(state, seat) for seat in (0, 1)],
        "counters": {
            "destroyed": dict(zip(RANKS, state.destroyed, strict=True)),
            "summoned": [_summoning(state, summoning) for summoning in state.summoned],
        },
    }


def _gateway(state: TashKalarPosition) -> dict[str, Any]:
    """Return the square of the Gateway, if there can be one (18.2)."""
    if not any(school in GATEWAY_SCHOOLS for school in state.schools):
        return {}
    return {"gateway": square(state.gateway)}


def _is_frosty(state: TashKalarPosition) -> bool:
    return any(school in FROST_SCHOOLS for school in state.schools)


def _frozen(state: TashKalarPosition) -> dict[str, Any]:
    """Return the card in play and the number of pieces out of the game, if possible (18.1)."""
    if not _is_frosty(state):
        return {}
    two_sided, legendary = constants.TWO_SIDED[state.mode], constants.LEGENDARIES[state.mode]
    stock = etherweave.stock_with_held(state)
    removed = [
        {"common_heroic": two_sided - stock[seat], "legendary": legendary - stock[2 + seat]}
        for seat in (0, 1)
    ]
    return {"frozen": None if state.frozen < 0 else IDS[state.frozen], "removed": removed}


def _summoning(state: TashKalarPosition, summoning: int) -> dict[str, Any]:
    card, place = divmod(summoning, GRID)
    counts = {"as_legend": True} if state.raised >> card & 1 else {}
    return {"card": IDS[card], "square": NAMES[place], **counts}


def _played(state: TashKalarPosition) -> dict[str, Any]:
    return {
        "beings": [names(cards) for cards in state.played],
        "legends": names(state.legend_pile),
        "flares": names(state.flare_pile),
    }


def _tasks(state: TashKalarPosition) -> dict[str, Any]:
    if state.mode != constants.HIGH_FORM:
        return {}
    under = state.tasks[: state.under][::-1]
    return {
        "tasks": {
            "current": sorted(TASK_IDS[task] for task in state.current),
            "next": None if state.next_task < 0 else TASK_IDS[state.next_task],
            "claimed": [[TASK_IDS[task] for task in claimed] for claimed in state.claimed],
            "under": [TASK_IDS[task] for task in under],
        }
    }


def _end(state: TashKalarPosition) -> dict[str, Any] | None:
    if state.trigger < 0:
        return None
    return {
        "seat": state.trigger_seat,
        "reason": constants.REASONS[state.trigger],
        "turns_left": state.turns_left,
    }


def _progress(state: TashKalarPosition) -> dict[str, Any]:
    draws = None
    if state.phase == constants.SHUFFLING:
        deck = SHARED[state.new_deck]
        draws = {"deck": deck, "owed": list(state.owed), "drawn": list(state.drawn)}
    summon = None
    if state.square >= 0:
        name = None
        if state.shape >= 0:
            name = ORIENTATIONS[PATTERNS[state.card].shapes[state.shape].name]
        summon = {"square": NAMES[state.square], "orientation": name}
    slowed: dict[str, Any] = {}
    if _is_frosty(state):
        slowed = {"slowed": None if state.slowed < 0 else state.slowed}
    return {
        "active": state.active,
        "discarded": state.discarded,
        "extra_draws": list(state.extra_draws),
        "extra_turn": state.extra_turn,
        "taken": list(state.taken),
        **slowed,
        "draws": draws,
        "summon": summon,
        "effect": None if state.effect is None else _effect(state, state.effect),
        **etherweave.progress_fields(state),
    }


def _effect(state: TashKalarPosition, effect: Effect) -> dict[str, Any]:
    """Return the registers of an effect, which `effect.py` explains."""
    onto = {"onto": CAPTURES[effect.onto]} if _is_frosty(state) else {}
    done = [
        {
            "count": effect.counts[slot],
            "square": square(effect.squares[slot]),
            "piece": square(effect.pieces[slot]),
            "direction": _direction(effect.directions[slot]),
            "ranks": [name for rank, name in enumerate(RANKS) if effect.ranks[slot] >> rank & 1],
        }
        for slot in range(SLOTS)
    ]
    return {
        "being": square(effect.me),
        "summon": square(effect.summon),
        "shape": effect.shape,
        "used": squares(effect.used),
        **onto,
        "halves": [name for name, half in HALVES if effect.halves & half],
        "marked_was_empty": effect.marked_was_empty,
        "discard_was_empty": effect.discard_was_empty,
        "at": effect.at,
        "done": done,
        "times": effect.times,
        "pool": squares(effect.pool),
        "chosen": squares(effect.chosen),
        "runner": square(effect.runner),
        "direction": _direction(effect.direction),
        "lock": None if effect.lock < 0 else RANKS[effect.lock],
        "moved_self": effect.moved_self,
        "captures": effect.captures,
        "picked": square(effect.picked),
        **etherweave.effect_fields(state, effect),
    }


def _direction(direction: int) -> str | None:
    return None if direction < 0 else DIRECTIONS[direction]
