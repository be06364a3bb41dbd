"""Tash-Kalar as a game of the contract; sections in brackets are those of the rules page.

From the lowest layer up: `board`, `cards/` and `actions` are tables. `state` has the fields of a
position and the functions that change one of them; compiled, it keeps its pieces in `seat_pieces`,
where `summoning` finds them. `summoning`, `selection` and `offers` read the state. The
`interpreter` asks conditions and resolves effects, with `everfrost` and `etherweave` for the
effects of only these schools. `legality` lists legal actions; `moves` and `turns` do them.
"""

from __future__ import annotations

from pentathlon_engines.contract.game import CHANCE, Game, GameInfo, Option, action_of, text_of
from pentathlon_engines.errors import BadOption, BadPosition
from pentathlon_engines.tash_kalar import chance, events, hidden, legality, moves
from pentathlon_engines.tash_kalar.actions import ACTIONS, GRAMMAR, TEXTS
from pentathlon_engines.tash_kalar.board import RULES
from pentathlon_engines.tash_kalar.cards.catalogue import EXPANSIONS, FROZEN_CARDS, SCHOOLS
from pentathlon_engines.tash_kalar.constants import DRAWING, HIGH_FORM, MODES, TURN_ACTIONS
from pentathlon_engines.tash_kalar.serialization import fields, reading
from pentathlon_engines.tash_kalar.state import TashKalarPosition
from pentathlon_engines.tash_kalar.turns import TURN_CAP

TYPE_CHECKING = False
if TYPE_CHECKING:
    from random import Random
    from typing import Any, Final

    from pentathlon_engines.contract.game import Draw


class TashKalarState(TashKalarPosition):
    """A position of Tash-Kalar with the operations of the game contract."""

    __slots__ = ()

    @property
    def game(self) -> Game:
        """The game that this position belongs to."""
        return GAME

    def copy(self) -> TashKalarState:
        """Return an independent copy of this state."""
        twin = TashKalarState()
        self.copy_to(twin)
        return twin

    def legal_actions(self) -> list[int]:
        """Return the legal actions of the seat to move, in plain string order (16.3)."""
        if self.legal is None:
            self.legal = legality.find_legal(self)
        return self.legal[:]

    def is_legal(self, action: int) -> bool:
        """Return whether this action is legal for the seat to move."""
        return action in legality.legal_now(self)

    def _draw_action(self, draw: Draw) -> int:
        return legality.draw_action(self, draw)

    def apply_unchecked(self, action: int) -> None:
        """Do an action without checking that it is legal; for search loops only."""
        moves.apply(self, action)

    def sample_chance(self, rng: Random) -> str:
        """Draw schools, the deal, or a new shared deck."""
        self._check_chance()
        return chance.SAMPLES[self.phase](self, rng)

    def apply_chance(self, text: str) -> None:
        """Apply a chance outcome; raise `BadChance` if it is impossible here."""
        self._check_chance()
        moves.apply_chance(self, text)

    def chance_outcomes(self) -> list[tuple[str, int]]:
        """Return the pairs of schools; none for deals and shuffles, which are too many."""
        self._check_chance()
        return [(text, 1) for text in chance.pairs(self)] if self.phase == DRAWING else []

    def text(self, action: int) -> str:
        """Return the text of the rules (16.2), such as `summon warlord e5`."""
        return text_of(action, TEXTS, title="Tash-Kalar")

    def parse(self, text: str) -> int:
        """Return the action with this text, legal or not; raise `BadAction` if there is none."""
        return action_of(text, ACTIONS, grammar=GRAMMAR)

    def to_json(self) -> dict[str, Any]:
        """Return the whole position in the format of the rules page (16.4), with hidden parts."""
        return fields.POSITION.write(self)

    def observation(self, seat: int | None) -> dict[str, Any]:
        """Return the observation of a seat or a spectator (15, 16.4)."""
        return self._seen_by(fields.POSITION.write(self, seat), seat)

    def event_for(self, seat: int | None, text: str) -> str:
        """Return an action or chance text as the seat may see it (16.3)."""
        if self.to_move == CHANCE:
            return chance.hide(text, seat)
        return text if seat == self.to_move else events.hide(text)

    def determinize(self, seat: int, rng: Random) -> TashKalarPosition:
        """Return a state in which everything hidden from this seat is dealt at random (15)."""
        return hidden.redeal(self, seat, rng)


class TashKalarGame(Game):
    """Tash-Kalar, for two seats."""

    def _start(self, seats: int, options: dict[str, Any]) -> TashKalarState:
        _check_schools(options["decks"])
        state = TashKalarState()
        state.reset(options)
        return state

    def _load(self, data: dict[str, Any], options: dict[str, Any]) -> TashKalarState:
        try:
            _check_schools(options["decks"])
        except BadOption as error:
            raise BadPosition(f"options: {error}") from error
        state = TashKalarState()
        state.reset(options)
        reading.read(state, data)
        return state


def _check_schools(schools: list[str]) -> None:
    """Refuse the same school twice (3.2)."""
    if schools[0] == schools[1] != chance.DRAWN:
        raise BadOption(f"option 'decks': both seats have {schools[0]!r}; they must differ")


_MOST_FLARES: Final = TURN_CAP
_MOST_BEINGS: Final = 2 * (RULES["deck_sizes"]["beings"] + 1)
"""Each being is played or discarded once; a Kiskin Spirit may bring one back for each seat."""
_MOST_GAINED: Final = 2
_MOST_ACTIONS: Final = TURN_ACTIONS * TURN_CAP + _MOST_FLARES + _MOST_GAINED * _MOST_BEINGS
_DECISIONS_OF_EFFECT: Final = 10
"""A run across the arena takes eight moves, with a placement before and a stop after it."""
_MOST_THAWS: Final = len(FROZEN_CARDS) + 1
"""Each card is thawed once, but one card may be frozen a second time."""
_MOST_WARPS: Final = _MOST_BEINGS
"""A being is pending until it is played or thrown away; one may be taken back."""
_HAND: Final = 31
_LONGEST: Final = (
    3
    + _MOST_ACTIONS * (2 + _DECISIONS_OF_EFFECT)
    + _MOST_FLARES * (1 + _DECISIONS_OF_EFFECT)
    + (_MOST_THAWS + _MOST_WARPS) * (1 + _DECISIONS_OF_EFFECT)
    + _MOST_BEINGS * _HAND
    + TURN_CAP * 3
)
"""The chance before the match; actions with a pickup and an effect, flares, thaws and warps; cards
returned with each discard; ends of turns with new decks of legends and flares."""

GAME: Final = TashKalarGame(
    GameInfo(
        "tash_kalar",
        title="Tash-Kalar",
        version=1,
        seats=(2, 2),
        default_seats=2,
        hidden=True,
        chance=True,
        actions=len(TEXTS),
        longest=_LONGEST,
        options=(
            Option("mode", kind="choice", default=MODES[HIGH_FORM], choices=MODES),
            Option(
                "decks",
                kind="each_seat",
                default=(chance.DRAWN, chance.DRAWN),
                choices=(chance.DRAWN, *SCHOOLS, *EXPANSIONS),
                unofficial=EXPANSIONS,
            ),
        ),
    ),
    rooms="commentary drawing encoding evaluation lesson policies",
)
