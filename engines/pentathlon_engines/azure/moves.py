"""What actions and chance do in Azure; numbers in brackets are sections of its rules page."""

from __future__ import annotations

from pentathlon_engines.azure import chance, events
from pentathlon_engines.azure.actions import BOON_QI, GIFT, PAIRS, RETURN
from pentathlon_engines.azure.board import (
    BEAST_WISDOM,
    BIRD,
    BIRD_CARDS,
    BOON,
    BOUNTIFUL,
    DRAGON,
    GOAL,
    HOME,
    MOUNTAINS,
    NEAR,
    OVER,
    PER_BOARD,
    RESHUFFLE,
    RETURNING,
    SETUP,
    TIGER,
    TORTOISE,
    TURN,
    size,
    without,
)
from pentathlon_engines.azure.realm import realm_of
from pentathlon_engines.contract.game import CHANCE, Outcome
from pentathlon_engines.errors import BadChance

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pentathlon_engines.azure.state import AzurePosition, Side


def apply(state: AzurePosition, action: int) -> None:
    """Do a legal action of the seat to move."""
    if action < RETURN:
        _begin(state, state.mover)
        _place(state, action)
    elif action < BOON_QI:
        _begin(state, 1 - state.mover)
        state.log = []
        x, y = PAIRS[action - RETURN]
        _give_back(state, (1 << 4 * x) + (1 << 4 * y))
        _draw(state)
    else:
        _begin(state, state.mover)
        state.log = []
        _choose_boon(state, action)


def apply_chance(state: AzurePosition, text: str) -> None:
    """Lay the realm and deal, or set the new hidden deck; raise `BadChance` for another text."""
    if state.phase == SETUP:
        _set_up(state, text)
        return
    cards = chance.read_deck(text, state.decks)
    if cards is None:
        deck = chance.deck_letters(state.decks)
        raise BadChance(f"{text!r}: write 'reshuffle' and {deck} in any order")
    state.hidden = cards
    taken = chance.reshuffled(state.decks)
    state.decks -= taken
    # No card was hidden anywhere else, so each seat knew the other one's hand until now.
    for side in state.sides:
        side.known = side.hand
    state.log.append((events.RESHUFFLE, 0, taken))
    _draw(state)


def _set_up(state: AzurePosition, text: str) -> None:
    setup = chance.read_setup(text)
    if setup is None:
        raise BadChance(f"{text!r}: write {chance.SETUP_GRAMMAR}")
    layout, hands, state.hidden = setup
    state.realm = realm_of(layout)
    state.sides[0].hand, state.sides[1].hand = hands
    state.decks = chance.FACE_UP
    state.bond()
    state.phase = TURN
    state.to_move = state.mover
    state.look()


def _begin(state: AzurePosition, seat: int) -> None:
    """Drop the events that both seats have seen; start a new log with the seat's own events."""
    if seat == state.decider:
        state.before += state.log
    else:
        state.before = state.log
        state.decider = seat


def _place(state: AzurePosition, action: int) -> None:
    """Pay, put the stone down, take the boons (14.2 to 14.4)."""
    seat, realm = state.mover, state.realm
    side = state.sides[seat]
    cell = action if action < GIFT else action - GIFT
    home = HOME[cell]
    if action < GIFT:
        cost = side.cost(home, state.extra)
        side.supply -= 1
    else:
        cost = side.cost(home, 0)
        side.gifted = cell
    domain, colour, qi, wisdom = realm.boards[home // PER_BOARD].printed[home % PER_BOARD]
    _pay(state, side, domain, cost)
    side.stones |= 1 << home
    state.add_bonds(side, cell)
    taken = _gather(state, side, colour, qi) if qi else 0
    left = GOAL - side.wisdom
    gained = left if wisdom > left else wisdom  # noqa: FURB136  # see `_pay`
    side.wisdom += gained
    state.log = [(events.PLACE, seat, action, cost, taken, gained, side.wisdom)]
    if gained == left:
        _end(state, seat, "wisdom")
    elif state.gift == BOUNTIFUL and action < GIFT and side.gifted >= 0:
        _add_boon(state, seat, cell)
    else:
        _check_beasts(state, seat, cell)


def _add_boon(state: AzurePosition, seat: int, cell: int) -> None:
    """Give one more boon next to the Bountiful stone, or ask which one (11.4)."""
    _, colour, qi, wisdom = state.realm.printed(cell)
    if NEAR[state.sides[seat].gifted] >> HOME[cell] & 1:
        if qi and wisdom:
            state.phase = BOON
            state.boon_at = cell
            return
        if qi:
            _gather_one(state, seat, colour)
        elif _gain(state, seat, 1):
            return
    _check_beasts(state, seat, cell)


def _choose_boon(state: AzurePosition, action: int) -> None:
    cell, seat = state.boon_at, state.mover
    state.boon_at = -1
    if action == BOON_QI:
        _gather_one(state, seat, state.realm.printed(cell)[1])
    elif _gain(state, seat, 1):
        return
    _check_beasts(state, seat, cell)


def _pay(state: AzurePosition, side: Side, colour: int, cost: int) -> None:
    """Put cards on the face-up decks, known cards first (6.5)."""
    shift = 4 * colour
    side.hand -= cost << shift
    state.decks += cost << shift
    known = side.known >> shift & 15
    # This runs once a turn, and a call of `min` would take a tenth of this function's time.
    known = cost if cost < known else known  # noqa: FURB136
    side.known -= known << shift


def _gather(state: AzurePosition, side: Side, colour: int, wanted: int) -> int:
    """Take up to this many cards from a face-up deck (7.1, 7.2); return the number taken."""
    there = state.decks >> 4 * colour & 15
    taken = wanted if wanted < there else there  # noqa: FURB136  # see `_pay`
    if taken:
        cards = taken << 4 * colour
        state.decks -= cards
        side.hand += cards
        side.known += cards
    return taken


def _gather_one(state: AzurePosition, seat: int, colour: int) -> None:
    if _gather(state, state.sides[seat], colour, 1):
        state.log.append((events.GATHER, seat, colour, 1))


def _gain(state: AzurePosition, seat: int, points: int) -> bool:
    """Add wisdom within its bounds; return whether that ends the match (7.3, 8.5)."""
    side = state.sides[seat]
    before = side.wisdom
    after = min(GOAL, max(0, before + points))
    if after != before:
        side.wisdom = after
        state.log.append((events.WISDOM, seat, after - before, after))
    if after == GOAL:
        _end(state, seat, "wisdom")
    return after == GOAL


def _check_beasts(state: AzurePosition, seat: int, cell: int) -> None:
    """Check the beasts in their order, then pass the turn on (14.5 to 14.8).

    A seat can only gain beasts that its new stone guards.
    """
    serpents, dragon, tiger, bird = state.realm.guards
    stone = -1 if state.due else 1 << HOME[cell]
    if stone & serpents and state.attracts(seat, TORTOISE, serpents):
        _take_tortoise(state, seat)
        stone = -1  # the stones on the black mountain have changed
    if stone & dragon and state.attracts(seat, DRAGON, dragon) and _win(state, seat, DRAGON):
        return
    if stone & tiger and state.attracts(seat, TIGER, tiger) and _win(state, seat, TIGER):
        return
    if stone & bird and state.attracts(seat, BIRD, bird):
        _take_bird(state, seat)
    else:
        _pass_turn(state)


def _win(state: AzurePosition, seat: int, beast: int) -> bool:
    """Give a seat the favour of a beast with its wisdom; return whether that ends the match."""
    loser = _take(state, seat, beast)
    if loser >= 0:
        _gain(state, loser, -BEAST_WISDOM[beast])
    return _gain(state, seat, BEAST_WISDOM[beast])


def _take(state: AzurePosition, seat: int, beast: int) -> int:
    """Give a seat the favour of a beast; return its previous holder, or -1 for nobody."""
    loser = state.beasts[beast]
    state.beasts[beast] = seat
    state.log.append((events.FAVOUR, seat, beast, loser))
    return loser


def _take_tortoise(state: AzurePosition, seat: int) -> None:
    """Change the stone on the black mountain, if one is available (8.6, 8.7)."""
    loser = _take(state, seat, TORTOISE)
    cell = state.realm.peaks[MOUNTAINS[TORTOISE]]
    peak = 1 << HOME[cell]
    if loser >= 0 and state.sides[loser].stones & peak:
        state.sides[loser].stones ^= peak
        state.sides[loser].supply += 1
        state.bond()
        state.log.append((events.MOUNTAIN, loser, 0))
    side = state.sides[seat]
    if side.supply:
        side.stones |= peak
        side.supply -= 1
        state.add_bonds(side, cell)
        state.log.append((events.MOUNTAIN, seat, 1))


def _take_bird(state: AzurePosition, seat: int) -> None:
    """Make the loser of the Bird return cards, chosen if necessary; then draw (8.8)."""
    loser = _take(state, seat, BIRD)
    state.draws = BIRD_CARDS
    hand = state.sides[loser].hand if loser >= 0 else 0
    if size(hand) > BIRD_CARDS:
        state.phase = RETURNING
        state.to_move = loser
        return
    if hand:
        _give_back(state, hand)
    _draw(state)


def _give_back(state: AzurePosition, cards: int) -> None:
    loser = 1 - state.mover
    side = state.sides[loser]
    side.hand -= cards
    side.known = without(side.known, cards)
    state.decks += cards
    state.log.append((events.RETURN, loser, cards))


def _draw(state: AzurePosition) -> None:
    """Draw the due cards; pass the turn unless chance must make a new deck first (9)."""
    seat, n = state.mover, min(state.draws, len(state.hidden))
    cards = 0
    for colour in state.hidden[:n]:
        cards += 1 << 4 * colour
    state.hidden = state.hidden[n:]
    state.sides[seat].hand += cards
    state.draws -= n
    if n:
        state.log.append((events.DRAW, seat, cards, n))
    if state.draws and state.decks:
        state.phase = RESHUFFLE
        state.to_move = CHANCE
        return
    state.draws = 0
    _pass_turn(state)


def _pass_turn(state: AzurePosition) -> None:
    """Let the other seat begin its turn, or lose (6.6)."""
    state.mover = state.to_move = 1 - state.mover
    state.phase = TURN
    state.look()
    if not state.payable and not state.can_act(state.mover):
        _end(state, 1 - state.mover, "stuck")


def _end(state: AzurePosition, winner: int, reason: str) -> None:
    state.outcome = Outcome(
        (winner, 1 - winner), reason, (state.sides[0].wisdom, state.sides[1].wisdom)
    )
    state.to_move = None
    state.phase = OVER
    state.log.append((events.END, winner, events.REASONS.index(reason)))
