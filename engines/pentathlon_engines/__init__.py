"""Rules of the Pentathlon games, ready for bots, search and referees.

>>> from pentathlon_engines import GAMES
>>> state = GAMES["tuned"].start()
>>> state.apply(state.parse("add donkey b2"))
>>> state.to_move
1
"""

from pentathlon_engines.contract.game import CHANCE, Game, GameInfo, Option, Outcome, State
from pentathlon_engines.errors import (
    BadAction,
    BadChance,
    BadOption,
    BadPosition,
    BadSeats,
    EngineError,
    IllegalAction,
    NotToMove,
    UnknownGame,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pentathlon_engines.contract.registry import GAMES

__all__ = [
    "CHANCE",
    "GAMES",
    "BadAction",
    "BadChance",
    "BadOption",
    "BadPosition",
    "BadSeats",
    "EngineError",
    "Game",
    "GameInfo",
    "IllegalAction",
    "NotToMove",
    "Option",
    "Outcome",
    "State",
    "UnknownGame",
]


def __getattr__(name: str) -> object:
    # `GAMES` loads modules for which a bot with rules of its own need not wait.
    if name == "GAMES":
        return __import__("pentathlon_engines.contract.registry", fromlist=["GAMES"]).GAMES
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
