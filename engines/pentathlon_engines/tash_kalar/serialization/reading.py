"""Positions of Tash-Kalar from JSON: a whole state, a bare example, or an observation.

Missing fields take their usual values; missing decks have all cards that lie nowhere else. The
board may hold more pieces than exist, so that examples can show what they need. At the end the
position is written again, so that data which differ from it are refused.
"""

from __future__ import annotations

from pentathlon_engines.contract import kinds, position
from pentathlon_engines.contract.kinds import refuse
from pentathlon_engines.tash_kalar import constants, events, hidden, legality, tasks, turns
from pentathlon_engines.tash_kalar.board import GRID, bits, mask
from pentathlon_engines.tash_kalar.cards import catalogue
from pentathlon_engines.tash_kalar.cards.catalogue import (
    BOUND_CARDS,
    CARDS,
    FIRST_LEGEND,
    FLARE_CARDS,
    FROST_CARDS,
    IDS,
    LEGEND_CARDS,
    SCHOOL_CARDS,
)
from pentathlon_engines.tash_kalar.cards.patterns import LEGENDARY, ORIENTATIONS
from pentathlon_engines.tash_kalar.constants import DEATHMATCH, PHASES, RANKS_EACH
from pentathlon_engines.tash_kalar.effect import Effect
from pentathlon_engines.tash_kalar.etherweave import weaver
from pentathlon_engines.tash_kalar.hand import cards_of_kind
from pentathlon_engines.tash_kalar.serialization import fields
from pentathlon_engines.tash_kalar.serialization.fields import UNSEEN

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any, Final

    from pentathlon_engines.tash_kalar.state import TashKalarPosition

_SEATS: Final = 2
_PHASE: Final = kinds.OneOf(PHASES)
_DRAWN: Final = (constants.DRAWING, constants.DEALING)
_SEAT: Final = kinds.Integer(0, 1)
_EFFECT: Final = "progress.effect"


def among(field: str, card: int, cards: Sequence[int]) -> int:
    """Return a card if it is one of some."""
    if card not in cards:
        refuse(field, f"{IDS[card]!r} is not a card that can be there")
    return card


def _all_among(field: str, given: list[int] | None, cards: Sequence[int]) -> list[int]:
    return [among(field, card, cards) for card in given or ()]


def read_cards(
    state: TashKalarPosition, values: dict[str, Any], read_progress: Callable[[], None]
) -> None:
    """Read hands, piles and decks; then the pending card, which depends on the played card."""
    played = values["played"] or {}
    beings = played.get("beings") or [[], []]
    state.played = [
        _all_among("played.beings", beings[seat], _school(state, seat)) for seat in range(_SEATS)
    ]
    state.legend_pile = _all_among("played.legends", played.get("legends"), LEGEND_CARDS)
    state.flare_pile = _all_among("played.flares", played.get("flares"), FLARE_CARDS)
    read_progress()
    if values["hand"] is None:
        _read_all_cards(state, values)
    else:
        _read_seen(state, values)
    _check_pending(state)
    _read_last_discard(state, values["last_discard"])
    for seat in range(_SEATS):
        _check_school(state, seat)
    _check_shared(state, LEGEND_CARDS, [*state.legends, *state.legend_pile], "legends")
    _check_shared(state, FLARE_CARDS, [*state.flares, *state.flare_pile], "flares")


def _read_all_cards(state: TashKalarPosition, values: dict[str, Any]) -> None:
    """Read the hands of both seats; omitted decks contain all other cards."""
    for seat, hand in enumerate(values["hands"] or [{}, {}]):
        state.set_hand(seat, mask(_read_hand(state, f"hands[{seat}]", hand, seat)))
    piles = values["discards"] or [-1, -1]
    decks = values["decks"] or {}
    beings = decks.get("beings") or [-1, -1]
    for seat in range(_SEATS):
        pile = state.played[seat]
        if piles[seat] != -1:
            pile = _all_among("discards", piles[seat], _school(state, seat))
        state.discards[seat] = mask(pile)
        state.decks[seat] = _deck(
            "decks.beings", beings[seat], _left(state, seat), _school(state, seat)
        )
    held = [*state.legend_pile, *state.flare_pile]
    state.legends = _deck("decks.legends", decks.get("legends"), _open(state, held), LEGEND_CARDS)
    state.flares = _deck("decks.flares", decks.get("flares"), _open(state, held), FLARE_CARDS)


def _read_seen(state: TashKalarPosition, values: dict[str, Any]) -> None:
    """Read the cards that a seat sees, and deal the rest in any possible way."""
    you = values["you"]
    for name in ("hand_sizes", "discard_sizes"):
        if values[name] is None:
            refuse(name, "is missing")
    other = 1 - you
    state.set_hand(you, mask(_read_hand(state, "hand", values["hand"], you)))
    state.discards[you] = mask(_all_among("discard", values["discard"], _school(state, you)))
    state.decks[you] = _left(state, you)
    numbers, size = list(values["hand_sizes"][other].values()), values["discard_sizes"][other]
    state.taken[other] = max(state.taken[other], len(state.played[other]) - size)
    if not hidden.deal(state, other, numbers, size, None):
        refuse("hand_sizes", "there are not that many cards")


def _read_hand(state: TashKalarPosition, field: str, hand: dict[str, Any], seat: int) -> list[int]:
    flare = hand.get("flare")
    return [
        *_all_among(f"{field}.beings", hand.get("beings"), _school(state, seat)),
        *_all_among(f"{field}.legends", hand.get("legends"), LEGEND_CARDS),
        *_all_among(f"{field}.flare", None if flare in (None, -1) else [flare], FLARE_CARDS),
    ]


def _school(state: TashKalarPosition, seat: int) -> tuple[int, ...]:
    return SCHOOL_CARDS[state.schools[seat]]


def _left(state: TashKalarPosition, seat: int) -> list[int]:
    """Return the cards of a school that are not in hand, pile or play, lowest on top."""
    seen = mask(state.hands[seat]) | state.discards[seat]
    if state.frozen >= 0:
        seen |= 1 << state.frozen
    if state.card >= 0 and seat == state.active:
        seen |= 1 << state.card
    return [card for card in SCHOOL_CARDS[state.schools[seat]] if not seen >> card & 1][::-1]


def _open(state: TashKalarPosition, piles: list[int]) -> list[int]:
    """Return the shared cards that are nowhere else, lowest on top."""
    seen = mask([*state.hands[0], *state.hands[1], *piles])
    if state.card >= 0:
        seen |= 1 << state.card
    return [card for card in range(len(IDS) - 1, FIRST_LEGEND - 1, -1) if not seen >> card & 1]


def _deck(
    field: str, given: list[int] | int | None, left: list[int], cards: Sequence[int]
) -> list[int]:
    """Return a deck, top card last; an omitted deck gets all possible cards of `left`."""
    if not isinstance(given, list):
        return [card for card in left if card in cards]
    return _all_among(field, given, cards)[::-1]


def _check_pending(state: TashKalarPosition) -> None:
    """Refuse a pending card that is in no hand, and a piece on a card that cannot hold one."""
    if state.pending & ~mask(state.hands[weaver(state)]):
        refuse("pending", "the card must be in the hand of its seat")
    played = 1 << state.card if state.card >= 0 else 0
    # While the card is lifting a piece, there is no piece on it yet.
    holds = BOUND_CARDS & (state.pending ^ played)
    if state.on_card and not holds:
        refuse("on_card", "there is no card that a piece can lie on")


def _read_last_discard(state: TashKalarPosition, name: str | None) -> None:
    """Read the most recent discard, which must lie in the pile."""
    seat = weaver(state)
    if seat < 0 or name is None:
        return
    lying = state.discards[seat]
    unseen = [card for card in bits(lying) if card not in state.played[seat]]
    cards = unseen if name == UNSEEN else [CARDS.get(name, -1)]
    if not cards or cards[0] < 0 or not lying >> cards[0] & 1:
        refuse("last_discard", f"{name!r} does not lie in the discard pile")
    state.latest = cards[0]


def _check_school(state: TashKalarPosition, seat: int) -> None:
    """Refuse cards of a school that occur twice, or nowhere (17.1)."""
    pile, hand = state.discards[seat], cards_of_kind(state.hands[seat], 0)
    cards = [*state.decks[seat]]
    lying = mask(cards)
    played = state.card >= 0 and seat == state.active and not state.pending >> state.card & 1
    if played and state.card < FIRST_LEGEND:
        cards.append(state.card)
        lying |= 1 << state.card
    if FROST_CARDS & mask(SCHOOL_CARDS[state.schools[seat]]) and state.frozen >= 0:
        cards.append(state.frozen)
        lying |= 1 << state.frozen
    together = pile | hand | lying
    count = pile.bit_count() + hand.bit_count() + len(cards)
    if count != together.bit_count() or together != mask(SCHOOL_CARDS[state.schools[seat]]):
        refuse("hands", f"the school of seat {seat} has cards twice, or lacks some")


def _check_shared(
    state: TashKalarPosition, whole: tuple[int, ...], lying: list[int], name: str
) -> None:
    cards = list(lying)
    every = mask(whole)
    if state.card in whole:
        cards.append(state.card)
    first, second = (mask(hand) & every for hand in state.hands)
    together = first | second | mask(cards)
    count = first.bit_count() + second.bit_count() + len(cards)
    if count != together.bit_count() or together != every:
        refuse("hands", f"{name} occur twice, or some are missing")


def read_tasks(state: TashKalarPosition, values: dict[str, Any]) -> None:
    """Read the row of tasks, the claims, and the deck of tasks."""
    if state.mode == DEATHMATCH:
        return
    row = values["tasks"] or {}
    state.claimed = row.get("claimed") or [[], []]
    under = row.get("under") or []
    gone = [*state.claimed[0], *state.claimed[1], *under]
    state.current = sorted(row["current"] if row.get("current") else _first_tasks(gone))
    if row.get("next") is not None:
        state.next_task = row["next"]
    deck = (values["decks"] or {}).get("tasks")
    state.under = len(under)
    if deck is None:
        # All remaining tasks lie above those known at the bottom.
        seen = {*gone, *state.current, state.next_task}
        left = [task for task in range(tasks.TASKS) if task not in seen]
        state.tasks = [*under[::-1], *left[::-1]]
    else:
        state.tasks = deck[::-1]
    if not row:
        turns.turn_up(state)
    whole = [*state.claimed[0], *state.claimed[1], *state.current, *state.tasks]
    whole += [state.next_task] if state.next_task >= 0 else []
    if sorted(whole) != list(range(tasks.TASKS)):
        refuse("tasks", "some tasks occur twice, or are missing")


def _first_tasks(gone: list[int]) -> list[int]:
    """Return the first tasks that can be the current ones."""
    turned: list[int] = []
    for task in range(tasks.TASKS):
        fits = not tasks.IS_ADVANCED[task] and tasks.is_mixed([*turned, task])
        if fits and task not in gone and len(turned) < tasks.CURRENT:
            turned.append(task)
    return turned


def read(state: TashKalarPosition, data: dict[str, Any]) -> None:
    """Load the position of `data` into a fresh state, or raise `BadPosition`."""
    phase = _PHASE.read("phase", data.get("phase"))
    is_drawn = phase in (*_DRAWN, constants.SHUFFLING)
    decides = "null" if phase == constants.OVER else "-1" if is_drawn else "a seat"
    position.read_mover(state, data, phase=PHASES[phase], decides=decides)
    if phase in _DRAWN:
        if phase != state.phase:
            refuse("phase", f"must be {PHASES[state.phase]!r} with these decks")
    else:
        if any(school not in catalogue.SCHOOL_CARDS for school in state.schools):
            refuse("options", "decks must be drawn before anything else happens")
        state.phase = phase
        _set_usual(state)
        values = fields.POSITION.read(state, data)
        values["you"] = None if values["hand"] is None else _SEAT.read("you", data.get("you"))
        progress = fields.PROGRESS.read(state, values["progress"] or {}, inside="progress")
        _read_turn(state, values)
        _read_board(state, values)
        _read_pending(state, values)
        read_cards(state, values, lambda: _read_progress(state, progress))
        read_tasks(state, values)
        _read_scores(state, values["scores"])
        _read_events(state, values)
        _check_course(state)
    position.check_written(state, data, typed=fields.POSITION.typed)


def _set_usual(state: TashKalarPosition) -> None:
    """Set what a position of this phase usually has."""
    state.turn = 2
    state.active = state.to_move if state.to_move in (0, 1) else 0
    if state.phase == constants.MAIN:
        state.actions_left = constants.TURN_ACTIONS
    elif state.phase == constants.SETTING_UP:
        state.actions_left = constants.FIRST_ACTIONS
        state.active = 1 - state.active


def _read_turn(state: TashKalarPosition, values: dict[str, Any]) -> None:
    """Read what the seats may do, and the final turns."""
    for number, attribute in enumerate(fields.PERMISSIONS.values()):
        setattr(state, attribute, (values["permissions"] or 0) >> number & 1 == 1)
    if (state.voids or state.doubled) and weaver(state) != state.active:
        refuse("permissions", "are those of another school")
    end = values["end"]
    if end is not None:
        state.trigger, state.trigger_seat = end["reason"], end["seat"]
        state.turns_left = end["turns_left"]


def _read_board(state: TashKalarPosition, values: dict[str, Any]) -> None:
    """Read the pieces, and the counters of this turn."""
    for square, piece in (values["board"] or {}).items():
        state.put(square, piece["owner"], piece["rank"])
    gateway = -1 if values["gateway"] is None else values["gateway"]
    if gateway >= 0:
        _check_gateway(state, gateway)
        state.gateway = gateway
    frozen = values["frozen"]
    if frozen is not None and frozen >= 0:
        state.frozen = among("frozen", frozen, catalogue.FROZEN_CARDS)
    stock = state.stock[:]
    for seat, removed in enumerate(values["removed"] or ()):
        for part, name in ((seat, "common_heroic"), (2 + seat, "legendary")):
            stock[part] -= removed[name]
            if stock[part] < 0:
                refuse(f"removed[{seat}].{name}", "there are not so many")
    state.stock = stock
    counters = values["counters"] or {}
    for rank, number in (counters.get("destroyed") or {}).items():
        state.destroyed[rank] = number
    for summoning in counters.get("summoned") or ():
        card, square = summoning["card"], summoning["square"]
        if (
            card is None
            or square is None
            or not (0 <= card < catalogue.FIRST_FLARE and square >= 0)
        ):
            refuse("counters.summoned", "must be objects with card and square")
        state.summoned.append(card * GRID + square)
        if summoning["as_legend"] and any(
            step.op == "count_as_legend" for step in catalogue.PROGRAMS[card].steps
        ):
            state.raised |= 1 << card


def _check_gateway(state: TashKalarPosition, square: int) -> None:
    """Refuse a Gateway that is no non-legendary piece of a seat that may have one."""
    pieces = 0
    for seat, school in enumerate(state.schools):
        if school in catalogue.GATEWAY_SCHOOLS:
            pieces |= state.own(seat) & ~state.of_rank(seat, LEGENDARY)
    if not pieces >> square & 1:
        refuse("gateway", "has no common or heroic of a seat that may have a Gateway")


def _read_pending(state: TashKalarPosition, values: dict[str, Any]) -> None:
    """Read the pending card and the piece on it; a later check looks for it in the hand."""
    card, piece = values["pending"], values["on_card"]
    if card is not None and card >= 0:
        state.pending = 1 << _warp_card(state, "pending", card)
    if piece is not None:
        state.on_card = 1 + RANKS_EACH * piece["owner"] + piece["rank"]
        state.set_aside(state.on_card, 1)


def _warp_card(state: TashKalarPosition, field: str, card: int) -> int:
    """Return a card, which must have a warp effect and be in the match."""
    seat = weaver(state)
    among(field, card, catalogue.SCHOOL_CARDS[state.schools[seat]] if seat >= 0 else ())
    if not catalogue.WARP_CARDS >> card & 1:
        refuse(field, f"{catalogue.IDS[card]} has no warp effect")
    return card


def _read_progress(state: TashKalarPosition, values: dict[str, Any]) -> None:
    """Read the facts on which later decisions depend; omitted ones have not happened."""
    if values["slowed"] is not None:
        state.slowed = values["slowed"]
        if state.slowed >= 0 and state.schools[1 - state.slowed] not in catalogue.FROST_SCHOOLS:
            refuse("progress.slowed", "must be a seat against which the Everfrost plays")
    for card in values["warped"] or ():
        state.warped |= 1 << _warp_card(state, "progress.warped", card)
    if state.phase == constants.SHUFFLING:
        fields.DRAWS.read(state, values["draws"], inside="progress.draws")
        if not (state.flare_pile if state.new_deck else state.legend_pile):
            refuse("progress.draws.deck", "its discard pile is empty")
    if state.phase == constants.SHORTAGE:
        _read_summon(state, values["summon"] or {})
    if state.phase == constants.RESOLVING:
        _read_effect(state, values["effect"])


def _read_summon(state: TashKalarPosition, data: dict[str, Any]) -> None:
    if not 0 <= state.card < catalogue.FIRST_FLARE:
        refuse("card", "must be a being in phase 'shortage'")
    square, name = data.get("square"), data.get("orientation")
    pattern = catalogue.PATTERNS[state.card]
    if square is None or square < 0 or (name is None) == pattern.refs:
        refuse("progress.summon", "must have a square, and the orientation if one is chosen")
    state.square = square
    if name is not None:
        places = [at for at, shape in enumerate(pattern.shapes) if shape.name == name]
        if not places or not pattern.shapes[places[0]].valid >> square & 1:
            refuse("progress.summon.orientation", f"{ORIENTATIONS[name]} does not fit there")
        state.shape = places[0]


def _read_effect(state: TashKalarPosition, data: Any) -> None:  # JSON
    """Read the registers; their consistency is checked when they are used."""
    if state.card < 0:
        refuse("card", "must be there in phase 'effect'")
    effect = state.effect = Effect(state.card, -1, 0)
    effect.begin_records()
    values = fields.EFFECT.read(effect, data, inside=_EFFECT)
    if values["warp"] is not None:
        effect.program = _warp_card(state, f"{_EFFECT}.warp", values["warp"])
        if effect.program != state.card and catalogue.BOUND_CARDS >> effect.program & 1:
            refuse(f"{_EFFECT}.warp", f"{catalogue.IDS[effect.program]} cannot be copied")
    # Effects of flares, frozen effects and warp effects belong to no summoned being.
    acts = state.card < catalogue.FIRST_FLARE and effect.at < catalogue.PROGRAMS[state.card].free
    if values["warp"] is not None:
        acts = values["warp"] != state.card
    if (effect.summon < 0) == acts:
        refuse(f"{_EFFECT}.summon", "must be a square for beings, and only for them")
    pattern = catalogue.PATTERNS[state.card] if acts else None
    if effect.shape >= (len(pattern.shapes) if pattern and pattern.shapes else 1):
        refuse(f"{_EFFECT}.shape", "does not exist")
    if pattern and pattern.refs and not pattern.shapes[effect.shape].valid >> effect.summon & 1:
        refuse(f"{_EFFECT}.shape", "does not fit on the board there")
    effect.onto = 0 if values["onto"] is None else 1 + values["onto"]
    for slot, done in enumerate(values["done"]):
        effect.counts[slot], effect.ranks[slot] = done["count"], done["ranks"]
        effect.squares[slot], effect.pieces[slot] = done["square"], done["piece"]
        effect.directions[slot] = done["direction"]
    _check_step(effect)
    _check_pieces(state, effect)


def _check_step(effect: Effect) -> None:
    """Refuse registers that do not belong to the current step."""
    program = catalogue.PROGRAMS[effect.program]
    steps, free = program.steps, program.free
    if effect.at >= len(steps) or steps[effect.at].is_automatic:
        refuse(f"{_EFFECT}.at", "must be a step with a decision")
    effect.stop = free if effect.at < free else len(steps)
    effect.entered = True
    if effect.lock >= 0 and not steps[effect.at].rank_lock:
        refuse(f"{_EFFECT}.lock", "is there only where the first piece gives the rank")
    if effect.own_moves > effect.times:
        refuse(f"{_EFFECT}.own_moves", f"must be at most {effect.times}")


def _check_pieces(state: TashKalarPosition, effect: Effect) -> None:
    """Refuse registers that name missing pieces or steps that were not done."""
    pieces = state.own(0) | state.own(1)
    places = (effect.me, effect.runner, effect.picked, *effect.pieces)
    named = mask(place for place in places if place >= 0)
    if (effect.used | effect.pool | named) & ~pieces:
        refuse(_EFFECT, "names a piece where there is none")
    step = catalogue.PROGRAMS[effect.program].steps[effect.at]
    needed = [
        step.same_as,
        step.square_of,
        *(place.number for place in step.selector.places if place.needs_square),
    ]
    if any(slot >= 0 and effect.squares[slot] < 0 for slot in needed):
        refuse(f"{_EFFECT}.done", "an earlier step has no square")
    if step.same_as >= 0 and effect.directions[step.same_as] < 0:
        refuse(f"{_EFFECT}.done", "an earlier step has no direction")


def _read_scores(state: TashKalarPosition, scores: list[int] | None) -> None:
    """Read the score of the Deathmatch Duel, or compute that of the High Form."""
    if state.mode == constants.HIGH_FORM:
        state.points = [sum(tasks.POINTS[task] for task in claimed) for claimed in state.claimed]
        return
    for seat, score in enumerate(scores or ()):
        cost = constants.PENDING_POINTS if state.pending & mask(state.hands[seat]) else 0
        if score < -cost:
            refuse(f"scores[{seat}]", f"must be {-cost} or more")
        state.points[seat] = score + cost


def _read_events(state: TashKalarPosition, values: dict[str, Any]) -> None:
    for event in values["events"] or ():
        if not isinstance(event, list) or len(event) != 2:  # noqa: PLR2004  # seat and text
            refuse("events", "must be lists of seat and text")
        seat = kinds.checked_integer("events", event[0], low=-1, high=1)
        entry = events.read(seat, event[1]) if isinstance(event[1], str) else None
        if entry is None:
            refuse("events", f"{event} is not an event")
        state.log.append(entry)
    if values["since"] is not None:
        state.since = values["since"]
        if max(state.since) > len(state.log):
            refuse("since", f"must be at most {len(state.log)}")


def _check_course(state: TashKalarPosition) -> None:
    """Refuse a position in which no seat could continue."""
    pending = state.effect is not None
    if pending != (state.phase == constants.RESOLVING):
        refuse("progress.effect", "must be there in phase 'effect', and only then")
    if state.phase == constants.OVER:
        _end_it(state)
        return
    if state.phase == constants.MAIN and not state.actions_left:
        refuse("actions_left", "must be 1 or more in phase 'main'")
    if state.phase == constants.TURN_END and state.actions_left:
        refuse("actions_left", "must be 0 in phase 'turn_end'")
    if state.phase == constants.SHUFFLING:
        return
    if state.to_move != (
        1 - state.active if state.phase == constants.SETTING_UP else state.active
    ):
        refuse("to_move", "must be the seat whose turn it is")
    before = state.to_json()
    if not legality.legal_now(state) or state.to_json() != before:
        refuse("phase", f"nothing is to be decided in phase {PHASES[state.phase]!r}")


def _end_it(state: TashKalarPosition) -> None:
    is_cap = state.turn >= constants.TURN_CAP
    reason = constants.BY_CAP if is_cap else state.trigger
    if reason < 0 or (state.turns_left and not is_cap):
        refuse("phase", "must not be 'over' before the last turn")
    if state.trigger >= 0 and not state.turns_left:
        reason = state.trigger
    state.outcome = turns.ending(state, reason)
