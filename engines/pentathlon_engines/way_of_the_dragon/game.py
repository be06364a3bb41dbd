"""Way of the Dragon as a game that can be started and loaded."""

from __future__ import annotations

from itertools import permutations

from pentathlon_engines.contract.game import Game, GameInfo, Option
from pentathlon_engines.errors import BadOption, BadPosition
from pentathlon_engines.way_of_the_dragon import moves, serialization
from pentathlon_engines.way_of_the_dragon.actions import TEXTS
from pentathlon_engines.way_of_the_dragon.board import DRAW, USUAL_PLAIN
from pentathlon_engines.way_of_the_dragon.dice import LETTERS, RULES
from pentathlon_engines.way_of_the_dragon.state import WayOfTheDragonState

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Final

    from pentathlon_engines.contract.game import Encoder, Evaluation, Policy
    from pentathlon_engines.drawing.plain import Drawing


class WayOfTheDragonGame(Game):
    """Way of the Dragon, for two to five seats."""

    def _start(self, seats: int, options: dict[str, Any]) -> WayOfTheDragonState:
        _check_start_seat(seats, options)
        state = WayOfTheDragonState()
        state.reset(seats, options, USUAL_PLAIN)
        moves.prepare(state)
        return state

    def _load(self, data: dict[str, Any], options: dict[str, Any]) -> WayOfTheDragonState:
        seats = serialization.seats(data, self.info.seats)
        try:
            _check_start_seat(seats, options)
        except BadOption as error:
            raise BadPosition(f"options: {error}") from error
        state = WayOfTheDragonState()
        state.reset(seats, options, serialization.plain_spaces(data))
        serialization.read(state, data)
        return state

    def drawing(self) -> Drawing:
        """Return the module that draws the board."""
        from pentathlon_engines.way_of_the_dragon import drawing

        return drawing

    def evaluation(self) -> Evaluation:
        """Return the worth of a position."""
        from pentathlon_engines.way_of_the_dragon import evaluation

        return evaluation.worth

    def policies(self) -> dict[str, Policy]:
        """Return the players of the rules page."""
        from pentathlon_engines.way_of_the_dragon import policies

        return policies.POLICIES

    def encoder(self) -> Encoder:
        """Return the encoder of observations."""
        from pentathlon_engines.way_of_the_dragon import encoding

        return encoding.features

    def glyphs(self) -> tuple[str, ...]:
        """Return what the game is recognised by."""
        return ("celestial", "fire", "wood")


def _check_start_seat(seats: int, options: dict[str, Any]) -> None:
    start_seat = options["start_seat"]
    if start_seat != DRAW and int(start_seat) >= seats:
        raise BadOption(
            f"option 'start_seat' is {start_seat!r}, but there are {seats} seats: "
            f"write '0' to '{seats - 1}' or {DRAW!r}"
        )


_SEATS: Final = (2, len(LETTERS))
_CAP: Final[dict[str, int]] = RULES["turn_cap_per_player"]
_MOST_DEAD: Final[int] = RULES["dead"]["most"]
_EVENTS_PER_TURN: Final = 8
"""Three rolls, two times `keep`, `stop` of who could roll a fourth time, the move, the extra turn.

The last turn has no question for another one, and one of all turns may have a fourth roll more.
"""

GAME: Final = WayOfTheDragonGame(
    GameInfo(
        "way_of_the_dragon",
        title="Way of the Dragon",
        version=1,
        seats=_SEATS,
        default_seats=2,
        hidden=False,
        chance=True,
        actions=len(TEXTS),
        longest=_MOST_DEAD + 1 + _EVENTS_PER_TURN * _CAP["most"] * _SEATS[1],
        options=(
            Option("powers", kind="flag", default=False),
            Option("immunity", kind="flag", default=False),
            Option("dead", kind="integer", default=0, choices=(0, _MOST_DEAD)),
            Option(
                "colors",
                kind="choice",
                default=LETTERS,
                choices=tuple("".join(letters) for letters in permutations(LETTERS)),
            ),
            Option(
                "start_seat",
                kind="choice",
                default=DRAW,
                choices=(DRAW, *(str(seat) for seat in range(_SEATS[1]))),
            ),
            Option(
                "turn_cap_per_player",
                kind="integer",
                default=_CAP["default"],
                choices=(1, _CAP["most"]),
            ),
        ),
    )
)
