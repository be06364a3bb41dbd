"""Rules of the Pentathlon games, ready for bots, search and referees.

>>> from pentathlon_engines import GAMES
>>> state = GAMES["tuned"].start()
>>> state.apply(state.parse("add donkey b2"))
>>> state.to_move
1

`play("tuned", ["./my-bot", "greedy"], seed=7)` plays a match between bots and returns its report.
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
    from pentathlon_engines.desk.single_match import play
    from pentathlon_engines.version import __version__

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
    "__version__",
    "play",
]

_LAZY = {
    "GAMES": "pentathlon_engines.contract.registry",
    "play": "pentathlon_engines.desk.single_match",
    "__version__": "pentathlon_engines.version",
}


def __getattr__(name: str) -> object:
    # These load modules for which a bot with rules of its own need not wait.
    if name in _LAZY:
        return getattr(__import__(_LAZY[name], fromlist=[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
