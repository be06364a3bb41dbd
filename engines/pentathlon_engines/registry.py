"""All games by key, each loaded when it is first asked for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from pentathlon_engines.errors import UnknownGame
from pentathlon_engines.game import Game

KEYS = ("azure", "maatatahay", "tash_kalar", "tuned", "way_of_the_dragon")
"""Each key names a package here that has a `GAME`."""


class Games(Mapping[str, Game]):
    """The mapping behind `GAMES`: key to game, in a fixed order."""

    def __init__(self) -> None:
        self._loaded: dict[str, Game] = {}

    def __getitem__(self, key: str) -> Game:
        if key not in KEYS:
            raise UnknownGame(f"no game {key!r}; there are: {', '.join(KEYS)}")
        if key not in self._loaded:
            # Not by `importlib`: that takes a bot half a millisecond more.
            game: Game = __import__(f"pentathlon_engines.{key}", fromlist=["GAME"]).GAME
            self._loaded[key] = game
        return self._loaded[key]

    def __contains__(self, key: object) -> bool:
        return key in KEYS

    def __iter__(self) -> Iterator[str]:
        return iter(KEYS)

    def __len__(self) -> int:
        return len(KEYS)

    def __repr__(self) -> str:
        return f"GAMES({', '.join(KEYS)})"


GAMES = Games()
