"""The course of a match of Azure; sections in brackets are those of its rules page."""

from __future__ import annotations

from pentathlon_engines.azure import chance, events, hidden, serialization
from pentathlon_engines.azure.board import (
    ACTIONS,
    BEAST_WISDOM,
    BIRD,
    BIRD_CARDS,
    BOON_QI,
    BOUNTIFUL,
    COMMON_STONES,
    DRAGON,
    GIFT,
    GIFTS,
    GOAL,
    GRAMMAR,
    HOME,
    MOUNTAINS,
    NEAR,
    PAIRS,
    RETURN,
    TEXTS,
    TIGER,
    TORTOISE,
    size,
)
from pentathlon_engines.azure.realm import realm_of
from pentathlon_engines.azure.side import Side
from pentathlon_engines.azure.table import BOON, OVER, RESHUFFLE, RETURNING, SETUP, TURN, Table
from pentathlon_engines.contract.action_texts import action_of, text_of
from pentathlon_engines.contract.game import CHANCE, Game, GameInfo, Option, Outcome
from pentathlon_engines.errors import BadChance

TYPE_CHECKING = False
if TYPE_CHECKING:
    from random import Random
    from typing import Any, Final

    from pentathlon_engines.contract.game import Encoder, Evaluation, Policy
    from pentathlon_engines.drawing.plain import Drawing


class AzureState(Table):
    """A position of Azure."""

    __slots__ = ()

    @property
    def game(self) -> Game:
        """The game this is a position of."""
        return AZURE

    def copy(self) -> AzureState:
        """Return an independent twin of this state."""
        twin = AzureState()
        twin.options = self.options
        twin.seats = 2
        twin.to_move = self.to_move
        twin.outcome = self.outcome
        twin.phase = self.phase
        twin.gift = self.gift
        twin.extra = self.extra
        twin.realm = self.realm
        twin.mover = self.mover
        twin.sides = [self.sides[0].copy(), self.sides[1].copy()]
        twin.decks = self.decks
        twin.hidden = self.hidden
        twin.beasts = self.beasts[:]
        twin.due = self.due
        twin.payable = self.payable
        twin.boon_at = self.boon_at
        twin.draws = self.draws
        twin.decider = self.decider
        twin.log = self.log[:]
        twin.before = self.before[:]
        return twin

    def apply_unchecked(self, action: int) -> None:
        """Do an action without looking whether it is legal: for search loops only."""
        if action < RETURN:
            self._begin(self.mover)
            self._place(action)
        elif action < BOON_QI:
            self._begin(1 - self.mover)
            self.log = []
            x, y = PAIRS[action - RETURN]
            self._give_back((1 << 4 * x) + (1 << 4 * y))
            self._draw()
        else:
            self._begin(self.mover)
            self.log = []
            self._choose_boon(action)

    def _begin(self, seat: int) -> None:
        """Forget what both seats have heard of; a new log with the seat's own events follows."""
        if seat == self.decider:
            self.before += self.log
        else:
            self.before = self.log
            self.decider = seat

    def _place(self, action: int) -> None:
        """Pay, put the stone down, take the boons (14.2 to 14.4)."""
        seat, realm = self.mover, self.realm
        side = self.sides[seat]
        if action < GIFT:
            cell, cost = action, side.cost(HOME[action], self.extra)
            side.supply -= 1
        else:
            cell = side.gifted = action - GIFT
            cost = side.cost(HOME[cell], 0)
        self._pay(side, realm.domain[cell], cost)
        side.stones |= 1 << HOME[cell]
        self.add_bonds(side, cell)
        taken = self._gather(side, realm.qi_colour[cell], realm.qi[cell])
        gained, left = realm.wisdom[cell], GOAL - side.wisdom
        gained = left if gained > left else gained  # noqa: FURB136  # see `_pay`
        side.wisdom += gained
        self.log = [(events.PLACE, seat, action, cost, taken, gained, side.wisdom)]
        if gained == left:
            self._end(seat, "wisdom")
            return
        if self.gift == BOUNTIFUL and action < GIFT and side.gifted >= 0:
            self._add_boon(seat, cell)
        else:
            self._check_beasts(seat, cell)

    def _add_boon(self, seat: int, cell: int) -> None:
        """Give one boon more beside the Bountiful stone, or ask which (11.4)."""
        realm = self.realm
        if NEAR[self.sides[seat].gifted] >> HOME[cell] & 1:
            if realm.qi[cell] and realm.wisdom[cell]:
                self.phase = BOON
                self.boon_at = cell
                return
            if realm.qi[cell]:
                self._gather_one(seat, realm.qi_colour[cell])
            elif self._gain(seat, 1):
                return
        self._check_beasts(seat, cell)

    def _choose_boon(self, action: int) -> None:
        cell, seat = self.boon_at, self.mover
        self.boon_at = -1
        if action == BOON_QI:
            self._gather_one(seat, self.realm.qi_colour[cell])
        elif self._gain(seat, 1):
            return
        self._check_beasts(seat, cell)

    def _pay(self, side: Side, colour: int, cost: int) -> None:
        """Put cards on the face-up deck; those that are known to be there go first (6.5)."""
        shift = 4 * colour
        side.hand -= cost << shift
        self.decks += cost << shift
        known = side.known >> shift & 15
        # Once a turn, where calling `min` would cost a tenth of all that is done here.
        known = cost if cost < known else known  # noqa: FURB136
        side.known -= known << shift

    def _gather(self, side: Side, colour: int, wanted: int) -> int:
        """Take cards from a face-up deck, as many as there are (7.1, 7.2); return how many."""
        there = self.decks >> 4 * colour & 15
        taken = wanted if wanted < there else there  # noqa: FURB136  # see `_pay`
        if taken:
            cards = taken << 4 * colour
            self.decks -= cards
            side.hand += cards
            side.known += cards
        return taken

    def _gather_one(self, seat: int, colour: int) -> None:
        if self._gather(self.sides[seat], colour, 1):
            self.log.append((events.GATHER, seat, colour, 1))

    def _gain(self, seat: int, points: int) -> bool:
        """Add wisdom, within its bounds, and say whether that ends the match (7.3, 8.5)."""
        side = self.sides[seat]
        before = side.wisdom
        after = min(GOAL, max(0, before + points))
        if after != before:
            side.wisdom = after
            self.log.append((events.WISDOM, seat, after - before, after))
        if after == GOAL:
            self._end(seat, "wisdom")
        return after == GOAL

    def _check_beasts(self, seat: int, cell: int) -> None:
        """Check the beasts in their order, then pass the turn on (14.5 to 14.8).

        A seat can gain those only that its new stone guards.
        """
        serpents, dragon, tiger, bird = self.realm.guards
        stone = -1 if self.due else 1 << HOME[cell]
        if stone & serpents and self.attracts(seat, TORTOISE, serpents):
            self._take_tortoise(seat)
            stone = -1  # the stones on the black mountain have changed
        if stone & dragon and self.attracts(seat, DRAGON, dragon) and self._win(seat, DRAGON):
            return
        if stone & tiger and self.attracts(seat, TIGER, tiger) and self._win(seat, TIGER):
            return
        if stone & bird and self.attracts(seat, BIRD, bird):
            self._take_bird(seat)
        else:
            self._pass_turn()

    def _win(self, seat: int, beast: int) -> bool:
        """Give a seat the favour of a beast with its wisdom, and say whether that ends it all."""
        loser = self._take(seat, beast)
        if loser >= 0:
            self._gain(loser, -BEAST_WISDOM[beast])
        return self._gain(seat, BEAST_WISDOM[beast])

    def _take(self, seat: int, beast: int) -> int:
        """Give a seat the favour of a beast and return who had it, -1 for nobody."""
        loser = self.beasts[beast]
        self.beasts[beast] = seat
        self.log.append((events.FAVOUR, seat, beast, loser))
        return loser

    def _take_tortoise(self, seat: int) -> None:
        """Change the stone on the black mountain, if there is one to put there (8.6, 8.7)."""
        loser = self._take(seat, TORTOISE)
        cell = self.realm.peaks[MOUNTAINS[TORTOISE]]
        peak = 1 << HOME[cell]
        if loser >= 0 and self.sides[loser].stones & peak:
            self.sides[loser].stones ^= peak
            self.sides[loser].supply += 1
            self.bond()
            self.log.append((events.MOUNTAIN, loser, 0))
        side = self.sides[seat]
        if side.supply:
            side.stones |= peak
            side.supply -= 1
            self.add_bonds(side, cell)
            self.log.append((events.MOUNTAIN, seat, 1))

    def _take_bird(self, seat: int) -> None:
        """Let the loser of the Bird return cards, after choosing them if need be; draw (8.8)."""
        loser = self._take(seat, BIRD)
        self.draws = BIRD_CARDS
        hand = self.sides[loser].hand if loser >= 0 else 0
        if size(hand) > BIRD_CARDS:
            self.phase = RETURNING
            self.to_move = loser
            return
        if hand:
            self._give_back(hand)
        self._draw()

    def _give_back(self, cards: int) -> None:
        loser = 1 - self.mover
        side = self.sides[loser]
        side.hand -= cards
        side.known = hidden.without(side.known, cards)
        self.decks += cards
        self.log.append((events.RETURN, loser, cards))

    def _draw(self) -> None:
        """Draw what is to be drawn; pass the turn on unless chance must make a new deck (9)."""
        seat, n = self.mover, min(self.draws, len(self.hidden))
        cards = 0
        for colour in self.hidden[:n]:
            cards += 1 << 4 * colour
        self.hidden = self.hidden[n:]
        self.sides[seat].hand += cards
        self.draws -= n
        if n:
            self.log.append((events.DRAW, seat, cards, n))
        if self.draws and self.decks:
            self.phase = RESHUFFLE
            self.to_move = CHANCE
            return
        self.draws = 0
        self._pass_turn()

    def _pass_turn(self) -> None:
        """Let the other seat begin its turn, or lose (6.6)."""
        self.mover = self.to_move = 1 - self.mover
        self.phase = TURN
        self.look()
        if not self.payable and not self.can_act(self.mover):
            self._end(1 - self.mover, "stuck")

    def _end(self, winner: int, reason: str) -> None:
        self.outcome = Outcome(
            (winner, 1 - winner), reason, (self.sides[0].wisdom, self.sides[1].wisdom)
        )
        self.to_move = None
        self.phase = OVER
        self.log.append((events.END, winner, events.REASONS.index(reason)))

    def sample_chance(self, rng: Random) -> str:
        """Draw the setup (4.7) or the order of a new hidden deck (9.2)."""
        self._check_chance()
        if self.phase == SETUP:
            return chance.draw_setup(rng)
        return chance.draw_deck(self.decks, rng)

    def apply_chance(self, text: str) -> None:
        """Lay the realm and deal, or put the new hidden deck down; raise `BadChance` if not so."""
        self._check_chance()
        if self.phase == SETUP:
            self._set_up(text)
            return
        cards = chance.read_deck(text, self.decks)
        if cards is None:
            deck = chance.deck_letters(self.decks)
            raise BadChance(f"{text!r}: write 'reshuffle' and {deck} in any order")
        self.hidden = cards
        taken = chance.reshuffled(self.decks)
        self.decks -= taken
        # With no card hidden anywhere else, each seat has just known the other's hand.
        for side in self.sides:
            side.known = side.hand
        self.log.append((events.RESHUFFLE, 0, taken))
        self._draw()

    def _set_up(self, text: str) -> None:
        setup = chance.read_setup(text)
        if setup is None:
            raise BadChance(f"{text!r}: write {chance.SETUP_GRAMMAR}")
        layout, hands, self.hidden = setup
        self.realm = realm_of(layout)
        self.sides[0].hand, self.sides[1].hand = hands
        self.decks = chance.FACE_UP
        self.bond()
        self.phase = TURN
        self.to_move = self.mover
        self.look()

    def chance_outcomes(self) -> list[tuple[str, int]]:
        """Return the orders of a new hidden deck, equally likely; setups are too many to list."""
        self._check_chance()
        return [] if self.phase == SETUP else chance.all_decks(self.decks)

    def text(self, action: int) -> str:
        """Return `place <cell>`, `gift <cell>`, `return <xy>` or `boon <sort>`."""
        return text_of(action, TEXTS, title="Azure")

    def parse(self, text: str) -> int:
        """Return the action with this text, legal here or not; raise `BadAction` if none has."""
        return action_of(text, ACTIONS, grammar=GRAMMAR)

    def to_json(self) -> dict[str, Any]:
        """Return the position as on the rules page (12.2)."""
        return serialization.describe(self)

    def observation(self, seat: int | None) -> dict[str, Any]:
        """Return what a seat or a spectator may know (12.3)."""
        return self._seen_by(serialization.show(self, seat), seat)

    def event_for(self, seat: int | None, text: str) -> str:
        """Return an action as it is, and of chance only what the seat may see."""
        return chance.hide(text, seat) if self.to_move == CHANCE else text

    def determinize(self, seat: int, rng: Random) -> AzureState:
        """Return a state with the cards that the seat cannot know dealt anew."""
        return hidden.redeal(self, seat, rng)


class AzureGame(Game):
    """Azure, for two seats; the gifted module is an option."""

    def _start(self, seats: int, options: dict[str, Any]) -> AzureState:
        state = AzureState()
        state.reset(options)
        return state

    def _load(self, data: dict[str, Any], options: dict[str, Any]) -> AzureState:
        state = AzureState()
        state.reset(options)
        serialization.read(state, data)
        return state

    def drawing(self) -> Drawing:
        """Return the module that draws the board."""
        from pentathlon_engines.azure import drawing

        return drawing

    def evaluation(self) -> Evaluation:
        """Return the worth of a position."""
        from pentathlon_engines.azure import evaluation

        return evaluation.worth

    def policies(self) -> dict[str, Policy]:
        """Return the players of the rules page."""
        from pentathlon_engines.azure import policies

        return policies.POLICIES

    def encoder(self) -> Encoder:
        """Return the encoder of observations."""
        from pentathlon_engines.azure import encoding

        return encoding.features

    def glyphs(self) -> tuple[str, ...]:
        """Return what the game is recognised by."""
        return ("qi", "mountain", "wisdom")


_TURNS: Final = 2 * (COMMON_STONES + 1)
_EVENTS_PER_TURN: Final = 2 + BIRD_CARDS
"""The stone, a return, and a reshuffle for each card that is drawn."""
_BOONS: Final = 2 * 8
"""At most one for each cell around a gifted stone."""

AZURE: Final = AzureGame(
    GameInfo(
        "azure",
        title="Azure",
        version=1,
        seats=(2, 2),
        default_seats=2,
        hidden=True,
        chance=True,
        actions=len(TEXTS),
        longest=1 + _TURNS * _EVENTS_PER_TURN + _BOONS,
        options=(Option("gifted", kind="choice", default=GIFTS[0], choices=GIFTS),),
    )
)
