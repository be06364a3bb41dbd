"""Positions of Tash-Kalar as JSON, as on its rules page (16.4); `reading.py` reads them.

Besides the fields of the page there is `progress`, with public facts on which later decisions
depend: whose turn it is, whether a card was discarded in it, the draws granted, whether it is an
extra turn, the cards each seat has taken back, a draw step that waits for a new deck, a being that
waits for a piece, and the effect that is resolving.
"""

from __future__ import annotations

from pentathlon_engines.contract import kinds, position
from pentathlon_engines.contract.kinds import (
    Flag,
    Integer,
    Kind,
    ListOf,
    MapOf,
    Object,
    OneOf,
    Optional,
    PartialObject,
    SetOf,
)
from pentathlon_engines.contract.position import (
    ABSENT,
    TO_SEATS,
    TO_VIEWERS,
    TO_WHOLE,
    Field,
    Fields,
)
from pentathlon_engines.tash_kalar import constants, events
from pentathlon_engines.tash_kalar.actions import TASK_IDS
from pentathlon_engines.tash_kalar.board import DIRECTIONS, GRID, NAMES, bits
from pentathlon_engines.tash_kalar.cards.catalogue import (
    FROST_SCHOOLS,
    GATEWAY_SCHOOLS,
    IDS,
    PATTERNS,
    PROGRAMS,
    WARP_CARDS,
)
from pentathlon_engines.tash_kalar.cards.patterns import LEGENDARY, ORIENTATIONS, RANKS
from pentathlon_engines.tash_kalar.constants import HIGH_FORM, PHASES, RANKS_EACH
from pentathlon_engines.tash_kalar.effect import SLOTS
from pentathlon_engines.tash_kalar.etherweave import weaver
from pentathlon_engines.tash_kalar.hand import cards_of_kind
from pentathlon_engines.tash_kalar.turns import score

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any, Final

    from pentathlon_engines.tash_kalar.effect import Effect
    from pentathlon_engines.tash_kalar.state import TashKalarPosition

UNSEEN: Final = "being"
"""The text for a seat that may not see which card was discarded."""
CAPTURES: Final = ("own", "enemy")
"""The possible captures of a summoning."""
PERMISSIONS: Final = {
    "counts_double": "doubled",
    "extra_turn": "extra_granted",
    "possessed_summon": "possessed",
    "summon_now": "directly",
    "void_summon": "voids",
    "war_summon": "war",
}
"""The attribute behind each permission."""
_SEATS: Final = 2


def names(cards: Iterable[int]) -> list[str]:
    """Return the names of some cards, in their order."""
    return [IDS[card] for card in cards]


def squares(mask: int) -> list[str]:
    """Return the names of the squares of a mask."""
    return [NAMES[square] for square in bits(mask)]


def hand(state: TashKalarPosition, seat: int) -> dict[str, Any]:
    """Return a hand as a JSON object."""
    flares = names(bits(cards_of_kind(state.hands[seat], 2)))
    return {
        "beings": sorted(names(bits(cards_of_kind(state.hands[seat], 0)))),
        "legends": sorted(names(bits(cards_of_kind(state.hands[seat], 1)))),
        "flare": flares[0] if flares else None,
    }


def has_school(state: TashKalarPosition, schools: tuple[str, ...]) -> bool:
    """Return whether a seat plays one of some schools."""
    return state.schools[0] in schools or state.schools[1] in schools


class _Squares(SetOf):
    """Squares by name; the state has their mask."""

    def show(self, value: int) -> list[str]:
        """Return the names."""
        return squares(value)


def _hand_sizes(state: TashKalarPosition) -> list[dict[str, int]]:
    sizes = []
    for cards in state.hands:
        beings, legends, flares = [cards_of_kind(cards, kind).bit_count() for kind in range(3)]
        sizes.append({"beings": beings, "legends": legends, "flare": flares})
    return sizes


def _decks(state: TashKalarPosition) -> dict[str, Any]:
    """Return the decks from the top."""
    decks: dict[str, Any] = {
        "beings": [names(deck[::-1]) for deck in state.decks],
        "legends": names(state.legends[::-1]),
        "flares": names(state.flares[::-1]),
    }
    if state.mode == HIGH_FORM:
        decks["tasks"] = [TASK_IDS[task] for task in state.tasks[::-1]]
    return decks


def _deck_sizes(state: TashKalarPosition) -> dict[str, Any]:
    beings = [len(deck) for deck in state.decks]
    sizes = {"beings": beings, "legends": len(state.legends), "flares": len(state.flares)}
    return sizes | {"tasks": len(state.tasks)} if state.mode == HIGH_FORM else sizes


def _step(state: TashKalarPosition) -> Any:  # JSON
    if state.phase != constants.RESOLVING or state.effect is None:
        return None
    return PROGRAMS[state.effect.program].steps[state.effect.at].shown


def _piece(code: int) -> dict[str, Any] | None:
    """Return a piece by its number on the board."""
    owner, rank = divmod(code - 1, RANKS_EACH)
    return {"owner": owner, "rank": RANKS[rank]} if code else None


def _removed(state: TashKalarPosition) -> Any:  # JSON
    """Return the number of pieces out of the game, if there can be any (18.1)."""
    if not has_school(state, FROST_SCHOOLS):
        return ABSENT
    stock = state.stock[:]
    if state.on_card:  # it is still in the game
        owner, rank = divmod(state.on_card - 1, RANKS_EACH)
        stock[2 + owner if rank == LEGENDARY else owner] += 1
    two_sided, legendary = constants.TWO_SIDED[state.mode], constants.LEGENDARIES[state.mode]
    return [
        {"common_heroic": two_sided - stock[seat], "legendary": legendary - stock[2 + seat]}
        for seat in range(_SEATS)
    ]


def _supply(state: TashKalarPosition, seat: int) -> dict[str, int]:
    two_sided, legendary = state.two_sided(seat), state.legendaries(seat)
    return {"common_heroic": max(0, two_sided), "legendary": max(0, legendary)}


def _counters(state: TashKalarPosition) -> dict[str, Any]:
    summoned = []
    for summoning in state.summoned:
        card, place = divmod(summoning, GRID)
        counts = {"as_legend": True} if state.raised >> card & 1 else {}
        summoned.append({"card": IDS[card], "square": NAMES[place], **counts})
    return {"destroyed": dict(zip(RANKS, state.destroyed, strict=True)), "summoned": summoned}


def _played(state: TashKalarPosition) -> dict[str, Any]:
    beings = [names(cards) for cards in state.played]
    return {
        "beings": beings,
        "legends": names(state.legend_pile),
        "flares": names(state.flare_pile),
    }


def _last_discard(state: TashKalarPosition, viewer: int | None) -> Any:  # JSON
    """Return the most recent discard of the Etherweave, if the viewer sees it."""
    seat, card = weaver(state), state.latest
    if seat < 0:
        return ABSENT
    is_seen = viewer in (position.WHOLE, seat) or card in state.played[seat]
    return None if card < 0 else IDS[card] if is_seen else UNSEEN


def _tasks(state: TashKalarPosition) -> Any:  # JSON
    if state.mode != HIGH_FORM:
        return ABSENT
    return {
        "current": sorted(TASK_IDS[task] for task in state.current),
        "next": None if state.next_task < 0 else TASK_IDS[state.next_task],
        "claimed": [[TASK_IDS[task] for task in claimed] for claimed in state.claimed],
        "under": [TASK_IDS[task] for task in state.tasks[: state.under][::-1]],
    }


def _end(state: TashKalarPosition) -> dict[str, Any] | None:
    if state.trigger < 0:
        return None
    reason = constants.REASONS[state.trigger]
    return {"seat": state.trigger_seat, "reason": reason, "turns_left": state.turns_left}


def _summon(state: TashKalarPosition) -> dict[str, Any] | None:
    if state.square < 0:
        return None
    name = None
    if state.shape >= 0:
        name = ORIENTATIONS[PATTERNS[state.card].shapes[state.shape].name]
    return {"square": NAMES[state.square], "orientation": name}


def _effect(state: TashKalarPosition) -> dict[str, Any] | None:
    """Return the registers of the effect, which `effect.py` explains."""
    if state.effect is None:
        return None
    written = EFFECT.write(state.effect)
    if not has_school(state, FROST_SCHOOLS):
        del written["onto"]
    if weaver(state) < 0:
        del written["warp"], written["own_moves"]
    return written


def warp_of(effect: Effect) -> int:
    """Return the card whose warp effect this is, or -1."""
    card = effect.program
    is_warp = WARP_CARDS >> card & 1 == 1 and effect.at >= PROGRAMS[card].free
    return card if is_warp else -1


def _done(effect: Effect) -> list[dict[str, Any]]:
    return [
        {
            "count": effect.counts[slot],
            "square": _PLACE.show(effect.squares[slot]),
            "piece": _PLACE.show(effect.pieces[slot]),
            "direction": _WAY.show(effect.directions[slot]),
            "ranks": _RANKS.show(effect.ranks[slot]),
        }
        for slot in range(SLOTS)
    ]


def _events(state: TashKalarPosition, viewer: int | None) -> list[Any]:
    """Return the events since the viewer's last decision; for a spectator since any."""
    is_whole = viewer == position.WHOLE
    secrets_of = events.BOTH if is_whole else () if viewer is None else (viewer,)
    since = max(state.since) if viewer is None else 0
    if viewer is not None:
        since = min(state.since) if is_whole else state.since[viewer]
    return [events.show(entry, secrets_of=secrets_of) for entry in state.log[since:]]


_SEAT: Final = Integer(0, 1)
_FEW: Final = Integer(0, 31)
_CARD: Final = Optional(OneOf(IDS, what="a card"))
_CARDS: Final = ListOf(OneOf(IDS, what="a card"), most=31)
_TASK: Final = OneOf(TASK_IDS, what="a task")
_TASK_LIST: Final = ListOf(_TASK, most=len(TASK_IDS))
_PLACE: Final = OneOf([name or None for name in NAMES], what="a square")
SQUARE: Final = Optional(_PLACE)
_SQUARES: Final = _Squares(NAMES, what="a square")
_WAY: Final = OneOf(DIRECTIONS)
_DIRECTION: Final = Optional(_WAY)
_RANKS: Final = SetOf(RANKS)
_PIECE: Final = Object(owner=_SEAT, rank=OneOf(RANKS))
_HAND: Final = PartialObject(beings=_CARDS, legends=_CARDS, flare=_CARD)
_PIECES: Final = Integer(0, max(constants.TWO_SIDED))
_SUMMONING: Final = PartialObject(card=_CARD, square=SQUARE, as_legend=Flag())

EFFECT: Final = Fields(
    Field("being", SQUARE, "me"),
    Field("summon", SQUARE, is_required=True),
    Field("shape", _FEW, is_required=True),
    Field("used", _SQUARES, is_required=True),
    Field("onto", OneOf(CAPTURES), lambda effect: (None, *CAPTURES)[effect.onto]),
    Field("halves", SetOf(("upper", "lower")), is_required=True),
    Field("marked_was_empty", Flag(), is_required=True),
    Field("discard_was_empty", Flag(), is_required=True),
    Field("at", _FEW, is_required=True),
    Field(
        "done",
        ListOf(
            Object(count=_FEW, square=SQUARE, piece=SQUARE, direction=_DIRECTION, ranks=_RANKS),
            SLOTS,
        ),
        _done,
        is_required=True,
    ),
    Field("times", _FEW, is_required=True),
    Field("pool", _SQUARES, is_required=True),
    Field("chosen", _SQUARES, is_required=True),
    Field("runner", SQUARE),
    Field("direction", _DIRECTION),
    Field("lock", Optional(OneOf(RANKS))),
    Field("moved_self", Flag(), is_required=True),
    Field("captures", _FEW, is_required=True),
    Field("picked", SQUARE),
    Field("warp", OneOf(IDS, what="a card"), lambda effect: _CARD.show(warp_of(effect))),
    Field("own_moves", _FEW),
)
DRAWS: Final = Fields(
    Field("deck", OneOf(("legends", "flares")), "new_deck", is_required=True),
    Field("owed", ListOf(_FEW, 3), is_required=True),
    Field("drawn", ListOf(_FEW, 3), is_required=True),
)
PROGRESS: Final = Fields(
    Field("active", _SEAT),
    Field("discarded", Flag()),
    Field("extra_draws", ListOf(_FEW, _SEATS)),
    Field("extra_turn", Flag()),
    Field("taken", ListOf(_FEW, _SEATS)),
    Field(
        "slowed",
        Optional(_SEAT),
        lambda state: (
            (None if state.slowed < 0 else state.slowed)
            if has_school(state, FROST_SCHOOLS)
            else ABSENT
        ),
        may_be_absent=True,
    ),
    Field(
        "draws",
        Kind(),
        lambda state: DRAWS.write(state) if state.phase == constants.SHUFFLING else None,
    ),
    Field("summon", PartialObject(square=SQUARE, orientation=OneOf(ORIENTATIONS)), _summon),
    Field("effect", Kind(), _effect),
    Field(
        "warped",
        _CARDS,
        lambda state: sorted(names(bits(state.warped))) if weaver(state) >= 0 else ABSENT,
        may_be_absent=True,
    ),
)
POSITION: Final = Fields(
    position.GAME,
    Field("options", get=lambda state: {**state.options, "decks": list(state.options["decks"])}),
    Field("turn", Integer(1, constants.TURN_CAP)),
    position.TO_MOVE,
    Field("phase", OneOf(PHASES)),
    Field("card", _CARD),
    Field("step", get=_step),
    Field("actions_left", Integer(0, 99)),
    Field(
        "permissions",
        SetOf(tuple(PERMISSIONS)),
        lambda state: [name for name, held in PERMISSIONS.items() if getattr(state, held)],
    ),
    Field(
        "board",
        MapOf([name or None for name in NAMES], _PIECE, what="a square"),
        lambda state: {
            NAMES[at]: _piece(state.board[at]) for at in bits(state.own(0) | state.own(1))
        },
    ),
    Field(
        "gateway",
        SQUARE,
        lambda state: SQUARE.show(state.gateway) if has_school(state, GATEWAY_SCHOOLS) else ABSENT,
        may_be_absent=True,
    ),
    Field(
        "frozen",
        _CARD,
        lambda state: _CARD.show(state.frozen) if has_school(state, FROST_SCHOOLS) else ABSENT,
        may_be_absent=True,
    ),
    Field(
        "removed",
        ListOf(Object(common_heroic=_PIECES, legendary=_PIECES), _SEATS),
        _removed,
        may_be_absent=True,
    ),
    Field(
        "pending",
        _CARD,
        lambda state: _CARD.show(state.pending.bit_length() - 1) if weaver(state) >= 0 else ABSENT,
        may_be_absent=True,
    ),
    Field(
        "on_card",
        _PIECE,
        lambda state: _piece(state.on_card) if weaver(state) >= 0 else ABSENT,
        may_be_absent=True,
    ),
    Field("supply", get=lambda state: [_supply(state, seat) for seat in range(_SEATS)]),
    Field(
        "scores",
        ListOf(Integer(-constants.PENDING_POINTS, 999), _SEATS),
        lambda state: [score(state, seat) for seat in range(_SEATS)],
    ),
    Field(
        "counters",
        PartialObject(
            destroyed=MapOf(RANKS, Integer(0, GRID), what="a rank"),
            summoned=ListOf(_SUMMONING, most=31),
        ),
        _counters,
    ),
    Field(
        "hands",
        ListOf(_HAND, _SEATS),
        lambda state: [hand(state, seat) for seat in range(_SEATS)],
        TO_WHOLE,
    ),
    Field(
        "decks",
        PartialObject(
            beings=ListOf(Optional(_CARDS), _SEATS),
            legends=_CARDS,
            flares=_CARDS,
            tasks=_TASK_LIST,
        ),
        _decks,
        TO_WHOLE,
    ),
    Field("hand", _HAND, hand, TO_SEATS, is_seen=True),
    Field(
        "hand_sizes",
        ListOf(Object(beings=_FEW, legends=_FEW, flare=_FEW), _SEATS),
        _hand_sizes,
        TO_VIEWERS,
    ),
    Field("deck_sizes", None, _deck_sizes, TO_VIEWERS),
    Field(
        "played",
        PartialObject(beings=ListOf(_CARDS, _SEATS), legends=_CARDS, flares=_CARDS),
        _played,
    ),
    Field(
        "discards",
        ListOf(Optional(_CARDS), _SEATS),
        lambda state: [sorted(names(bits(pile))) for pile in state.discards],
        TO_WHOLE,
    ),
    Field(
        "discard",
        _CARDS,
        lambda state, seat: sorted(names(bits(state.discards[seat]))),
        TO_SEATS,
        is_seen=True,
    ),
    Field(
        "discard_sizes",
        ListOf(_FEW, _SEATS),
        lambda state: [pile.bit_count() for pile in state.discards],
        TO_VIEWERS,
    ),
    Field("last_discard", kinds.Text(), _last_discard, is_seen=True, may_be_absent=True),
    Field(
        "tasks",
        PartialObject(
            current=_TASK_LIST, next=_TASK, claimed=ListOf(_TASK_LIST, _SEATS), under=_TASK_LIST
        ),
        _tasks,
        may_be_absent=True,
    ),
    Field(
        "end",
        Object(seat=_SEAT, reason=OneOf(constants.REASONS[:2]), turns_left=Integer(0, 2)),
        _end,
    ),
    Field("progress", Kind(), PROGRESS.write),
    Field("events", ListOf(Kind(), most=1000), _events, is_seen=True),
    Field(
        "since",
        ListOf(Integer(0), _SEATS),
        lambda state: [since - min(state.since) for since in state.since],
        TO_WHOLE,
    ),
    position.RESULT,
)
