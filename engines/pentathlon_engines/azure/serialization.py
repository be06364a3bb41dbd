"""Positions of Azure as JSON, as on its rules page (12), and back.

In addition to the fields of the page there are `known` (the cards of each hand that the other
seat knows), `events` with `since` (the index at which the last decision of each seat begins), and,
while chance makes a new hidden deck, `draws` (the cards still to be drawn). A position can be read
from a whole state, a plain example of the page, or an observation.
"""

from __future__ import annotations

from pentathlon_engines.azure import board, events
from pentathlon_engines.azure.board import BEASTS, CARDS_EACH, CELLS, COLOURS, HOME, PHASES
from pentathlon_engines.azure.chance import order
from pentathlon_engines.azure.hidden import deal_any
from pentathlon_engines.azure.realm import is_layout, realm_of
from pentathlon_engines.contract import kinds, position
from pentathlon_engines.contract.kinds import Integer, ListOf, MapOf, OneOf, refuse
from pentathlon_engines.contract.position import Field

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Final

    from pentathlon_engines.azure.state import AzurePosition

_SEATS: Final = 2
_SPACE: Final = kinds.Optional(OneOf(CELLS, what=f"a cell from {CELLS[0]} to {CELLS[-1]}"))
_SEAT: Final = Integer(0, 1)


def stones(state: AzurePosition) -> dict[str, int]:
    """Return the owner of each stone by its cell."""
    first, second = [side.stones for side in state.sides]
    return {
        CELLS[cell]: 0 if first >> HOME[cell] & 1 else 1 for cell in board.cells_of(first | second)
    }


def _events(state: AzurePosition, viewer: int | None) -> list[dict[str, Any]]:
    """Return the events since the viewer's last decision; for a spectator since any."""
    secrets_of = (0, 1) if viewer == position.WHOLE else () if viewer is None else (viewer,)
    heard = state.log if viewer in (None, state.decider) else state.before + state.log
    return events.show_all(heard, state.realm, secrets_of=secrets_of)


def _since(state: AzurePosition) -> list[int]:
    before = len(events.show_all(state.before, state.realm, secrets_of=(0, 1)))
    return [before if seat == state.decider else 0 for seat in range(_SEATS)]


def _owners(state: AzurePosition) -> dict[str, int | None]:
    owners = zip(BEASTS, state.beasts, strict=True)
    return {name: None if owner < 0 else owner for name, owner in owners}


def _counts(cards: int) -> dict[str, int]:
    return {letter: cards >> 4 * i & 15 for i, letter in enumerate(COLOURS)}


class _Cards(kinds.Text):
    """Letters of cards, of which there are enough of each colour."""

    def read(self, field: str, data: Any) -> str:  # Any: JSON
        """Return the letters."""
        cards = super().read(field, data)
        _rest(field, cards)
        return cards


_CARDS: Final = _Cards(COLOURS)
_TABLE: Final = position.Fields(
    position.GAME,
    position.OPTIONS,
    Field(
        "layout",
        ListOf(kinds.Text(), board.BOARDS),
        lambda state: None if state.phase == board.SETUP else list(state.realm.layout),
    ),
    Field(
        "hands",
        ListOf(_CARDS, _SEATS),
        lambda state: [board.letters(side.hand) for side in state.sides],
        to=position.TO_WHOLE,
    ),
    Field(
        "hidden",
        _CARDS,
        lambda state: "".join(COLOURS[colour] for colour in state.hidden),
        to=position.TO_WHOLE,
    ),
    Field(
        "hand",
        _CARDS,
        lambda state, seat: board.letters(state.sides[seat].hand),
        to=position.TO_SEATS,
        is_seen=True,
    ),
    Field(
        "hand_sizes",
        ListOf(Integer(0), _SEATS),
        lambda state: [board.size(side.hand) for side in state.sides],
        to=position.TO_VIEWERS,
    ),
    Field("hidden_size", Integer(0), lambda state: len(state.hidden), to=position.TO_VIEWERS),
    Field(
        "decks",
        kinds.Object(**dict.fromkeys(COLOURS, Integer(0, CARDS_EACH))),
        lambda state: _counts(state.decks),
    ),
    Field("stones", MapOf(CELLS, _SEAT, what="a cell"), stones),
    Field(
        "gifted_at",
        ListOf(_SPACE, _SEATS),
        lambda state: [_SPACE.show(side.gifted) for side in state.sides],
    ),
    Field(
        "supply",
        ListOf(Integer(0, board.COMMON_STONES), _SEATS),
        lambda state: [side.supply for side in state.sides],
    ),
    Field(
        "wisdom",
        ListOf(Integer(0, board.GOAL), _SEATS),
        lambda state: [side.wisdom for side in state.sides],
    ),
    Field("beasts", MapOf(BEASTS, kinds.Optional(_SEAT), what="a beast"), _owners),
    Field("turn"),
    position.TO_MOVE,
    Field("phase", OneOf(PHASES), lambda state: PHASES[state.phase]),
    Field("boon_at", _SPACE),
    Field(
        "draws",
        Integer(1, board.BIRD_CARDS),
        lambda state: state.draws if state.draws and state.to_move == -1 else position.ABSENT,
        may_be_absent=True,
    ),
    Field("result", kinds.Result(_SEATS, scores=True), position.RESULT.get),
    Field(
        "realm",
        get=lambda state: None if state.phase == board.SETUP else state.realm.codes,
        to=position.TO_VIEWERS,
    ),
    Field(
        "known",
        ListOf(_CARDS, _SEATS),
        lambda state: [board.letters(side.known) for side in state.sides],
        to=position.TO_WHOLE | position.TO_SEATS,
    ),
    Field("events", ListOf(kinds.Kind(), most=100), _events, is_seen=True),
    Field("since", ListOf(Integer(0), _SEATS), _since, to=position.TO_WHOLE),
)


def describe(state: AzurePosition) -> dict[str, Any]:
    """Return a whole position as a JSON object."""
    return _TABLE.write(state)


def show(state: AzurePosition, seat: int | None) -> dict[str, Any]:
    """Return a position as a seat or a spectator may see it, without `you` and `legal`."""
    return _TABLE.write(state, seat)


def read(state: AzurePosition, data: dict[str, Any]) -> None:
    """Load the position of `data` into a fresh state, or raise `BadPosition`."""
    values = _TABLE.read(state, data)
    _read_mover(state, {"to_move": 0} | data, values)
    if state.phase != board.SETUP:
        layout = values["layout"] or []
        if not is_layout(layout):
            refuse(
                "layout", f"needs one board of each colour as '<face>.<rotation>', not {layout}"
            )
        state.realm = realm_of(tuple(layout))
        _read_stones(state, values)
        _read_seats(state, values)
        _read_phase(state, values)
        you = None if values["hand"] is None else _SEAT.read("you", data.get("you"))
        _read_events(state, values, you)
        for side, cards in zip(state.sides, values["known"] or ["", ""], strict=True):
            side.known = board.pack(cards)
        if you is None:
            _read_all_cards(state, values)
        else:
            _read_seen_cards(state, values, you)
        state.look()
        _check_end(state)
    position.check_written(state, data, typed=_TABLE.typed)


def _read_mover(state: AzurePosition, data: dict[str, Any], values: dict[str, Any]) -> None:
    """Read which seat decides what, or how the match ended."""
    phase, state.outcome = values["phase"], values["result"]
    if phase is None:
        phase = board.TURN if state.outcome is None else board.OVER
    if (phase == board.OVER) != (state.outcome is not None):
        refuse("result", "must be there when the phase is 'over', and only then")
    is_drawn = phase in (board.SETUP, board.RESHUFFLE)
    decides = "null" if phase == board.OVER else "-1" if is_drawn else "a seat"
    position.read_mover(state, data, phase=PHASES[phase], decides=decides)
    state.phase = phase


def _read_stones(state: AzurePosition, values: dict[str, Any]) -> None:
    """Read stones, gifted stones and the favours of the beasts."""
    for beast, owner in (values["beasts"] or {}).items():
        state.beasts[beast] = owner
    for cell, seat in (values["stones"] or {}).items():
        if cell in state.realm.peaks:
            _check_mountain(state, cell, seat)
        state.sides[seat].stones |= 1 << HOME[cell]
    for seat, cell in enumerate(values["gifted_at"] or ()):
        if cell >= 0 and state.gift == board.NO_GIFT:
            refuse("gifted_at", "must be [null, null] without the gifted module")
        if cell >= 0:
            state.sides[seat].gifted = _own_space(state, f"gifted_at[{seat}]", cell, seat)
    state.bond()
    state.due = any(
        state.attracts(seat, beast, guards)
        for seat in range(_SEATS)
        for beast, guards in enumerate(state.realm.guards)
    )


def _check_mountain(state: AzurePosition, cell: int, seat: int) -> None:
    if cell != state.realm.peaks[board.MOUNTAINS[board.TORTOISE]]:
        refuse(f"stones.{CELLS[cell]}", "is a mountain; only the black one takes a stone")
    if state.beasts[board.TORTOISE] != seat:
        refuse(f"stones.{CELLS[cell]}", f"seat {seat} has no favour of the tortoise")


def _own_space(state: AzurePosition, field: str, cell: int, seat: int) -> int:
    """Return a space on which a stone of the seat stands."""
    if not state.sides[seat].stones & state.realm.spaces & 1 << HOME[cell]:
        refuse(field, f"no stone of seat {seat} on space {CELLS[cell]}")
    return cell


def _read_seats(state: AzurePosition, values: dict[str, Any]) -> None:
    """Read supply and wisdom."""
    common = [side.stones.bit_count() - (side.gifted >= 0) for side in state.sides]
    most = [board.COMMON_STONES - stones for stones in common]
    highest = board.GOAL if state.phase == board.OVER else board.GOAL - 1
    for seat, side in enumerate(state.sides):
        if most[seat] < 0:
            refuse("stones", f"seat {seat} has more than {board.COMMON_STONES} common stones")
        side.supply = (values["supply"] or most)[seat]
        side.wisdom = (values["wisdom"] or [0, 0])[seat]
        Integer(0, most[seat]).read(f"supply[{seat}]", side.supply)
        Integer(0, highest).read(f"wisdom[{seat}]", side.wisdom)


def _read_phase(state: AzurePosition, values: dict[str, Any]) -> None:
    """Determine whose stone turn it is, and check the fields of the phase."""
    if state.phase in (board.RETURNING, board.RESHUFFLE):
        state.mover = state.beasts[board.BIRD]
        if state.mover < 0 or state.mover == state.to_move:
            refuse("beasts.bird", "must be with the seat that has just won it")
        state.draws = board.BIRD_CARDS
        if state.phase == board.RESHUFFLE:
            state.draws = values["draws"] or refuse("draws", "is missing")
    elif state.to_move is not None:
        state.mover = state.to_move
    if state.phase == board.BOON:
        _check_boon(state)
    elif state.boon_at >= 0:
        refuse("boon_at", "must be null except in phase 'boon'")
    outcome = state.outcome
    if outcome is not None:
        if outcome.reason not in events.REASONS or outcome.ranks not in ((0, 1), (1, 0)):
            refuse("result", "one seat wins, by 'wisdom' or because the other one is 'stuck'")
        state.mover = outcome.ranks.index(0 if outcome.reason == "wisdom" else 1)


def _check_boon(state: AzurePosition) -> None:
    if state.boon_at < 0:
        refuse("boon_at", "is missing")
    cell = _own_space(state, "boon_at", state.boon_at, state.mover)
    stone = state.sides[state.mover].gifted
    if state.gift != board.BOUNTIFUL or stone < 0 or not board.NEAR[stone] >> HOME[cell] & 1:
        refuse("boon_at", "no Bountiful stone is beside it")
    _, _, qi, wisdom = state.realm.printed(cell)
    if not (qi and wisdom):
        refuse("boon_at", "leaves no choice: it has one sort of symbol")


def _read_events(state: AzurePosition, values: dict[str, Any], you: int | None) -> None:
    """Read the log; a seat's part begins with its own last decision."""
    log = [
        events.read(
            event,
            state.realm,
            field=f"events[{index}]",
            secrets_of=(0, 1) if you is None else (you,),
        )
        for index, event in enumerate(values["events"] or ())
    ]
    if you is None:
        since = values["since"] or [0, 0]
        if min(since):
            refuse("since", "one of the two begins with the first event")
    else:
        since = _since_decision(log, 1 - you)
    state.decider = since.index(max(since))
    state.before, state.log = log[: max(since)], log[max(since) :]


def _since_decision(log: list[events.Event], seat: int) -> list[int]:
    """Return the start of the last decisions in a log that begins with the other seat's."""
    since = [0, 0]
    for index, event in enumerate(log):
        if event[0] in (events.PLACE, events.RETURN) and event[1] == seat:
            since[seat] = index
    return since


def _read_all_cards(state: AzurePosition, values: dict[str, Any]) -> None:
    """Read both hands and the hidden deck; the rest are the face-up decks."""
    hands, hidden = values["hands"], values["hidden"]
    if hands is None or hidden is None:
        refuse("hands" if hands is None else "hidden", "is missing")
    for side, cards in zip(state.sides, hands, strict=True):
        side.hand = board.pack(cards)
    state.decks = _rest("hands and hidden", "".join([*hands, hidden]))
    state.hidden = order(hidden)
    for seat in range(_SEATS):
        _check_known(state, seat)
    _check_cards(state, [len(cards) for cards in hands])
    if state.phase == board.TURN and not state.can_act(state.mover):
        refuse("result", f"must be present: seat {state.mover} cannot place a stone")


def _read_seen_cards(state: AzurePosition, values: dict[str, Any], you: int) -> None:
    """Read the cards that a seat sees, and deal the others in any possible way."""
    for name in ("decks", "hand_sizes", "hidden_size"):
        if values[name] is None:
            refuse(name, "is missing")
    decks, sizes, other = values["decks"], values["hand_sizes"], 1 - you
    state.decks = sum(decks[name] << 4 * i for i, name in enumerate(COLOURS))
    state.sides[you].hand = board.pack(values["hand"])
    _check_known(state, you)
    if sizes[you] != len(values["hand"]):
        refuse(f"hand_sizes[{you}]", f"must be {len(values['hand'])}, as is the hand")
    drawn = sizes[other] - board.size(state.sides[other].known)
    seen = (state.decks, state.sides[you].hand, state.sides[other].known)
    heap = board.size(_rest("decks, hand and known", "".join(map(board.letters, seen))))
    if drawn < 0 or drawn + values["hidden_size"] != heap:
        hidden = values["hidden_size"]
        refuse("hand_sizes", f"{drawn} drawn and {hidden} hidden cards are not the {heap} unseen")
    if not deal_any(state, you, drawn):
        refuse("result", f"no hand of seat {other} fits it")
    _check_cards(state, sizes)


def _check_cards(state: AzurePosition, sizes: list[int]) -> None:
    if state.phase == board.RETURNING and sizes[1 - state.mover] <= board.BIRD_CARDS:
        refuse("phase", f"'return' needs a hand of more than {board.BIRD_CARDS} cards")
    if state.phase == board.RESHUFFLE and (state.hidden or not state.decks):
        refuse("phase", "'reshuffle' needs an empty hidden deck and cards to make a new one")


def _check_known(state: AzurePosition, seat: int) -> None:
    side = state.sides[seat]
    if board.without(side.known, side.hand):
        refuse(f"known[{seat}]", f"is not part of the hand {board.letters(side.hand)!r}")


def _check_end(state: AzurePosition) -> None:
    """Refuse a result that contradicts the position."""
    outcome = state.outcome
    if outcome is None:
        return
    wisdom = [side.wisdom for side in state.sides]
    if outcome.scores != tuple(wisdom):
        refuse("result.scores", f"must be {wisdom}, the wisdom")
    winners = [seat for seat in range(_SEATS) if wisdom[seat] == board.GOAL]
    if winners != ([state.mover] if outcome.reason == "wisdom" else []):
        refuse("result", "does not follow from the wisdom")
    if outcome.reason == "stuck" and state.can_act(state.mover):
        refuse("result", f"seat {state.mover} can still place a stone")


def _rest(field: str, cards: str) -> int:
    """Return the remaining cards; refuse more cards of a colour than exist."""
    for letter in COLOURS:
        if cards.count(letter) > CARDS_EACH:
            refuse(field, f"{cards.count(letter)} cards {letter}, but there are {CARDS_EACH}")
    return board.ALL_CARDS - board.pack(cards)
