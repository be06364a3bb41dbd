"""Positions of Azure as JSON, as on its rules page (12), and back.

In addition to the fields of the page there are `known` (the cards of each hand that the other
seat knows), `events` with `since` (the index at which the last decision of each seat begins), and,
while chance makes a new hidden deck, `draws` (the cards still to be drawn). A position can be read
from a whole state, a plain example of the page, or an observation.
"""

from __future__ import annotations

from pentathlon_engines.azure import events
from pentathlon_engines.azure.board import (
    ALL_CARDS,
    BEASTS,
    BIRD,
    BIRD_CARDS,
    BOARDS,
    BOON,
    CARDS_EACH,
    CELLS,
    COLOURS,
    COMMON_STONES,
    GIFTS,
    GOAL,
    HOME,
    MOUNTAINS,
    NEAR,
    NO_GIFT,
    OVER,
    PHASES,
    RESHUFFLE,
    RETURNING,
    SETUP,
    TORTOISE,
    TURN,
    cells_of,
    letters,
    pack,
    size,
    without,
)
from pentathlon_engines.azure.chance import order
from pentathlon_engines.azure.hidden import deal_any
from pentathlon_engines.azure.realm import is_layout, realm_of
from pentathlon_engines.contract.position import Fields, checked_integer, refuse

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Final

    from pentathlon_engines.azure.state import AzurePosition


def describe(state: AzurePosition) -> dict[str, Any]:
    """Return a whole position as a JSON object."""
    hidden = "".join(COLOURS[colour] for colour in state.hidden)
    cards = {"hands": [letters(side.hand) for side in state.sides], "hidden": hidden}
    before = events.show_all(state.before, state.realm, secrets_of=(0, 1))
    log = events.show_all(state.log, state.realm, secrets_of=(0, 1))
    since = [len(before) if seat == state.decider else 0 for seat in range(state.seats)]
    history = {"known": _known(state), "events": before + log, "since": since}
    return _frame(state) | cards | _open(state) | history


def show(state: AzurePosition, seat: int | None) -> dict[str, Any]:
    """Return a position as a seat or a spectator may see it, without `you` and `legal`.

    A spectator sees the events since the last decision of any seat.
    """
    realm = None if state.phase == SETUP else state.realm.codes
    own = {} if seat is None else {"hand": letters(state.sides[seat].hand)}
    sizes = {
        "hand_sizes": [size(side.hand) for side in state.sides],
        "hidden_size": len(state.hidden),
    }
    known = {} if seat is None else {"known": _known(state)}
    secrets_of = () if seat is None else (seat,)
    told = state.log if seat in (None, state.decider) else state.before + state.log
    log = events.show_all(told, state.realm, secrets_of=secrets_of)
    heard = {"realm": realm, **known, "events": log}
    return _frame(state) | own | sizes | _open(state) | heard


def _known(state: AzurePosition) -> list[str]:
    return [letters(side.known) for side in state.sides]


def _frame(state: AzurePosition) -> dict[str, Any]:
    return {
        "game": "azure",
        "options": dict(state.options),
        "layout": None if state.phase == SETUP else list(state.realm.layout),
    }


def _open(state: AzurePosition) -> dict[str, Any]:
    """Return the public part of a position."""
    outcome = state.outcome
    decks = {letter: state.decks >> 4 * i & 15 for i, letter in enumerate(COLOURS)}
    draws = {"draws": state.draws} if state.draws and state.to_move == -1 else {}
    return {
        "decks": decks,
        "stones": stones(state),
        "gifted_at": [None if side.gifted < 0 else CELLS[side.gifted] for side in state.sides],
        "supply": [side.supply for side in state.sides],
        "wisdom": [side.wisdom for side in state.sides],
        "beasts": {
            name: None if owner < 0 else owner
            for name, owner in zip(BEASTS, state.beasts, strict=True)
        },
        "turn": state.turn,
        "to_move": state.to_move,
        "phase": PHASES[state.phase],
        "boon_at": None if state.boon_at < 0 else CELLS[state.boon_at],
        **draws,
        "result": None if outcome is None else outcome.to_json(),
    }


def stones(state: AzurePosition) -> dict[str, int]:
    """Return the owner of each stone by its cell."""
    first, second = [side.stones for side in state.sides]
    return {CELLS[cell]: 0 if first >> HOME[cell] & 1 else 1 for cell in cells_of(first | second)}


_SEATS: Final = 2
_FIELDS: Final = (
    "layout",
    "hands",
    "hidden",
    "decks",
    "stones",
    "gifted_at",
    "supply",
    "wisdom",
    "beasts",
    "turn",
    "boon_at",
    "draws",
    "known",
    "events",
    "since",
    "hand",
    "hand_sizes",
    "hidden_size",
    "realm",
)
_MOST_EVENTS: Final = 100


def read(state: AzurePosition, data: dict[str, Any]) -> None:
    """Load the position of `data` into a fresh state, or raise `BadPosition`."""
    fields = Fields({"to_move": 0} | data, known=_FIELDS)
    _read_frame(state, fields)
    if state.phase == SETUP:
        _check_setup(state, data)
        return
    boards = fields.sequence("layout", length=BOARDS)
    if not all(isinstance(board, str) for board in boards) or not is_layout(boards):
        refuse("layout", f"needs one board of each colour as '<face>.<rotation>', not {boards}")
    realm = state.realm = realm_of(tuple(boards))
    codes = realm.codes
    if fields.has("realm") and fields.sequence("realm", length=len(codes)) != codes:
        refuse("realm", "does not match the layout")
    _read_stones(state, fields)
    _read_seats(state, fields)
    _read_mover(state, fields)
    you = fields.integer("you", low=0, high=1) if fields.has("hand") else None
    _read_events(state, fields, you)
    known = _read_pair(fields, "known", ["", ""])
    for seat, side in enumerate(state.sides):
        side.known = _cards(f"known[{seat}]", known[seat])
    if you is None:
        _read_all_cards(state, fields)
    else:
        _read_seen_cards(state, fields, you)
    state.look()
    _check_end(state)
    turn = fields.integer("turn", low=1, default=state.turn)
    if turn != state.turn:
        refuse("turn", f"must be {state.turn} with these stones, not {turn}")


def _read_frame(state: AzurePosition, fields: Fields) -> None:
    """Read which seat decides what, or how the match ended."""
    outcome = fields.result(_SEATS, scores=True)
    name = fields.text("phase", default="turn" if outcome is None else "over")
    if name not in PHASES:
        refuse("phase", f"must be one of {', '.join(PHASES)}, not {name!r}")
    phase = PHASES.index(name)
    to_move = fields.seat_to_move(_SEATS, chance=True)
    if (phase == OVER) != (outcome is not None):
        refuse("result", "must be there when the phase is 'over', and only then")
    decider = "null" if phase == OVER else "-1" if phase in (SETUP, RESHUFFLE) else "a seat"
    if decider != ("null" if to_move is None else "-1" if to_move < 0 else "a seat"):
        refuse("to_move", f"must be {decider} in phase {name!r}, not {to_move}")
    state.phase, state.outcome, state.to_move = phase, outcome, to_move


def _check_setup(state: AzurePosition, data: dict[str, Any]) -> None:
    """Refuse anything that cannot exist before the boards are laid."""
    empty = state.to_json() | state.observation(0) | {"you": data.get("you")}
    for name, value in data.items():
        if value != empty.get(name):
            refuse(name, f"must be {empty.get(name)!r} before the setup")


def _read_stones(state: AzurePosition, fields: Fields) -> None:
    """Read stones, gifted stones and the favours of the beasts."""
    for name, owner in fields.mapping("beasts", default={}).items():
        if name not in BEASTS:
            refuse("beasts", f"{name!r} is not a beast; the beasts are {', '.join(BEASTS)}")
        state.beasts[BEASTS.index(name)] = (
            -1 if owner is None else checked_integer(f"beasts.{name}", owner, low=0, high=1)
        )
    for name, owner in fields.mapping("stones", default={}).items():
        cell = _cell("stones", name)
        seat = checked_integer(f"stones.{name}", owner, low=0, high=1)
        if cell in state.realm.peaks:
            _check_mountain(state, cell, seat)
        state.sides[seat].stones |= 1 << HOME[cell]
    gifted = _read_pair(fields, "gifted_at", [None, None])
    if state.gift == NO_GIFT and gifted != [None, None]:
        refuse("gifted_at", "must be [null, null] without the gifted module")
    for seat in range(_SEATS):
        if gifted[seat] is not None:
            state.sides[seat].gifted = _own_space(state, f"gifted_at[{seat}]", gifted[seat], seat)
    state.bond()
    state.due = any(
        state.attracts(seat, beast, guards)
        for seat in range(_SEATS)
        for beast, guards in enumerate(state.realm.guards)
    )


def _check_mountain(state: AzurePosition, cell: int, seat: int) -> None:
    if cell != state.realm.peaks[MOUNTAINS[TORTOISE]]:
        refuse(f"stones.{CELLS[cell]}", "is a mountain; only the black one takes a stone")
    if state.beasts[TORTOISE] != seat:
        refuse(f"stones.{CELLS[cell]}", f"seat {seat} has no favour of the tortoise")


def _own_space(state: AzurePosition, field: str, name: object, seat: int) -> int:
    """Return a space on which a stone of the seat stands."""
    cell = _cell(field, name)
    if not state.sides[seat].stones & state.realm.spaces & 1 << HOME[cell]:
        refuse(field, f"no stone of seat {seat} on space {name}")
    return cell


def _cell(field: str, name: object) -> int:
    if not isinstance(name, str) or name not in CELLS:
        refuse(field, f"{name!r} is not a cell; the cells are {CELLS[0]} to {CELLS[-1]}")
    return CELLS.index(name)


def _read_seats(state: AzurePosition, fields: Fields) -> None:
    """Read supply and wisdom."""
    common = [side.stones.bit_count() - (side.gifted >= 0) for side in state.sides]
    most = [COMMON_STONES - stones for stones in common]
    for seat, value in enumerate(_read_pair(fields, "supply", [max(0, n) for n in most])):
        if most[seat] < 0:
            refuse("stones", f"seat {seat} has more than {COMMON_STONES} common stones")
        state.sides[seat].supply = checked_integer(
            f"supply[{seat}]", value, low=0, high=most[seat]
        )
    highest = GOAL if state.phase == OVER else GOAL - 1
    for seat, value in enumerate(_read_pair(fields, "wisdom", [0, 0])):
        state.sides[seat].wisdom = checked_integer(f"wisdom[{seat}]", value, low=0, high=highest)


def _read_mover(state: AzurePosition, fields: Fields) -> None:
    """Determine whose stone turn it is, and read the fields of the phase."""
    if state.phase != BOON and fields.has("boon_at"):
        refuse("boon_at", "must be null except in phase 'boon'")
    if state.phase != RESHUFFLE and fields.has("draws"):
        refuse("draws", "is allowed in phase 'reshuffle' only")
    if state.phase in (RETURNING, RESHUFFLE):
        _read_bird(state, fields)
    elif state.to_move is not None:
        state.mover = state.to_move
    if state.phase == BOON:
        _read_boon(state, fields)
    outcome = state.outcome
    if outcome is not None:
        if outcome.reason not in events.REASONS or outcome.ranks not in ((0, 1), (1, 0)):
            refuse("result", "one seat wins, by 'wisdom' or because the other one is 'stuck'")
        state.mover = outcome.ranks.index(0 if outcome.reason == "wisdom" else 1)


def _read_bird(state: AzurePosition, fields: Fields) -> None:
    """Find the seat that has just won the Bird and still has to draw."""
    state.mover = state.beasts[BIRD]
    if state.mover < 0 or state.mover == state.to_move:
        refuse("beasts.bird", "must be with the seat that has just won it")
    state.draws = BIRD_CARDS
    if state.phase == RESHUFFLE:
        state.draws = fields.integer("draws", low=1, high=BIRD_CARDS)


def _read_boon(state: AzurePosition, fields: Fields) -> None:
    seat = state.mover
    cell = state.boon_at = _own_space(state, "boon_at", fields.text("boon_at"), seat)
    stone, realm = state.sides[seat].gifted, state.realm
    if GIFTS[state.gift] != "bountiful" or stone < 0 or not NEAR[stone] >> HOME[cell] & 1:
        refuse("boon_at", "no Bountiful stone is beside it")
    _, _, qi, wisdom = realm.printed(cell)
    if not (qi and wisdom):
        refuse("boon_at", "leaves no choice: it has one sort of symbol")


def _read_events(state: AzurePosition, fields: Fields, you: int | None) -> None:
    """Read the log; a seat's part begins with its own last decision."""
    log = fields.items("events", most=_MOST_EVENTS)
    secrets_of = (0, 1) if you is None else (you,)
    told = [
        events.read(event, state.realm, field=f"events[{index}]", secrets_of=secrets_of)
        for index, event in enumerate(log)
    ]
    since = _read_since(fields, len(log)) if you is None else _since_decision(told, 1 - you)
    state.decider = since.index(max(since))
    state.before, state.log = told[: max(since)], told[max(since) :]


def _read_since(fields: Fields, most: int) -> list[int]:
    since = _read_pair(fields, "since", [0, 0])
    for seat in range(_SEATS):
        checked_integer(f"since[{seat}]", since[seat], low=0, high=most)
    if min(since):
        refuse("since", "one of the two begins with the first event")
    return since


def _since_decision(log: list[events.Event], seat: int) -> list[int]:
    """Return the start of the last decisions in a log that begins with the other seat's."""
    since = [0, 0]
    for index, event in enumerate(log):
        if event[0] in (events.PLACE, events.RETURN) and event[1] == seat:
            since[seat] = index
    return since


def _read_all_cards(state: AzurePosition, fields: Fields) -> None:
    """Read both hands and the hidden deck; the rest are the face-up decks."""
    hands = fields.sequence("hands", length=_SEATS)
    for seat, side in enumerate(state.sides):
        side.hand = _cards(f"hands[{seat}]", hands[seat])
    hidden = fields.text("hidden")
    if hidden.strip(COLOURS):
        refuse("hidden", f"must be a string of the letters {COLOURS}, not {hidden!r}")
    parts = [*(letters(side.hand) for side in state.sides), hidden]
    state.decks = _rest("hands and hidden", "".join(parts))
    state.hidden = order(hidden)
    if fields.has("decks") and fields.mapping("decks") != _counts(state.decks):
        refuse("decks", f"must be {_counts(state.decks)} with these hands and hidden deck")
    for seat in range(_SEATS):
        _check_known(state, seat)
    _check_cards(state, [size(side.hand) for side in state.sides])
    if state.phase == TURN and not state.can_act(state.mover):
        refuse("result", f"must be present: seat {state.mover} cannot place a stone")


def _read_seen_cards(state: AzurePosition, fields: Fields, you: int) -> None:
    """Read the cards that a seat sees, and deal the others in any possible way."""
    decks = fields.mapping("decks")
    if set(decks) != set(COLOURS):
        refuse("decks", f"needs a number for each of {', '.join(COLOURS)}")
    counts = [
        checked_integer(f"decks.{name}", decks[name], low=0, high=CARDS_EACH) for name in COLOURS
    ]
    state.decks = sum(count << 4 * i for i, count in enumerate(counts))
    other = 1 - you
    state.sides[you].hand = _cards("hand", fields.text("hand"))
    _check_known(state, you)
    sizes = _read_pair(fields, "hand_sizes", None)
    if sizes[you] != size(state.sides[you].hand):
        refuse(f"hand_sizes[{you}]", f"must be {size(state.sides[you].hand)}, as is the hand")
    drawn = checked_integer(f"hand_sizes[{other}]", sizes[other], low=0) - size(
        state.sides[other].known
    )
    seen = (state.decks, state.sides[you].hand, state.sides[other].known)
    heap = size(_rest("decks, hand and known", "".join(letters(cards) for cards in seen)))
    hidden = fields.integer("hidden_size", low=0, high=heap)
    if drawn < 0 or drawn + hidden != heap:
        refuse("hand_sizes", f"{drawn} drawn and {hidden} hidden cards are not the {heap} unseen")
    if not deal_any(state, you, drawn):
        refuse("result", f"no hand of seat {other} fits it")
    _check_cards(state, sizes)


def _check_cards(state: AzurePosition, sizes: list[int]) -> None:
    if state.phase == RETURNING and sizes[1 - state.mover] <= BIRD_CARDS:
        refuse("phase", f"'return' needs a hand of more than {BIRD_CARDS} cards")
    if state.phase == RESHUFFLE and (state.hidden or not state.decks):
        refuse("phase", "'reshuffle' needs an empty hidden deck and cards to make a new one")


def _check_known(state: AzurePosition, seat: int) -> None:
    if without(state.sides[seat].known, state.sides[seat].hand):
        refuse(f"known[{seat}]", f"is not part of the hand {letters(state.sides[seat].hand)!r}")


def _check_end(state: AzurePosition) -> None:
    """Refuse a result that contradicts the position."""
    outcome = state.outcome
    if outcome is None:
        return
    wisdom = [side.wisdom for side in state.sides]
    if outcome.scores != tuple(wisdom):
        refuse("result.scores", f"must be {wisdom}, the wisdom")
    winners = [seat for seat in range(_SEATS) if state.sides[seat].wisdom == GOAL]
    if winners != ([state.mover] if outcome.reason == "wisdom" else []):
        refuse("result", "does not follow from the wisdom")
    if outcome.reason == "stuck" and state.can_act(state.mover):
        refuse("result", f"seat {state.mover} can still place a stone")


def _read_pair(fields: Fields, name: str, default: list[Any] | None) -> list[Any]:
    """Return a list of one value per seat."""
    if default is not None and not fields.has(name):
        return default
    return fields.sequence(name, length=_SEATS)


def _cards(field: str, value: object) -> int:
    """Return card letters as a set; they must be in the order of the colours."""
    if not isinstance(value, str) or value.strip(COLOURS):
        refuse(field, f"must be a string of the letters {COLOURS}, not {value!r}")
    _rest(field, value)
    cards = pack(value)
    if letters(cards) != value:
        refuse(field, f"write the letters in the order {COLOURS}: {letters(cards)!r}")
    return cards


def _rest(field: str, cards: str) -> int:
    """Return the remaining cards; refuse more cards of a colour than exist."""
    for letter in COLOURS:
        if cards.count(letter) > CARDS_EACH:
            refuse(field, f"{cards.count(letter)} cards {letter}, but there are {CARDS_EACH}")
    return ALL_CARDS - pack(cards)


def _counts(cards: int) -> dict[str, int]:
    return {letter: cards >> 4 * i & 15 for i, letter in enumerate(COLOURS)}
