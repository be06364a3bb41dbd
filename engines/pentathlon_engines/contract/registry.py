"""All games by key; each is imported when somebody first asks for it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from pentathlon_engines.contract.game import Game
from pentathlon_engines.errors import UnknownGame

PACKAGES = {
    "azure": "pentathlon_engines.azure",
    "maatatahay": "pentathlon_engines.maatatahay",
    "tash_kalar": "pentathlon_engines.tash_kalar",
    "tuned": "pentathlon_engines.tuned",
    "way_of_the_dragon": "pentathlon_engines.way_of_the_dragon",
}
"""The package of each game, which holds a `GAME`. A new game is one package and one line here."""


class Games(Mapping[str, Game]):
    """The mapping behind `GAMES`: key to game, in a fixed order."""

    def __init__(self) -> None:
        self._loaded: dict[str, Game] = {}

    def __getitem__(self, key: str) -> Game:
        if key not in PACKAGES:
            raise unknown_game(key)
        if key not in self._loaded:
            # `importlib` would cost a bot half a millisecond more.
            game: Game = __import__(PACKAGES[key], fromlist=["GAME"]).GAME
            self._loaded[key] = game
        return self._loaded[key]

    def __contains__(self, key: object) -> bool:
        return key in PACKAGES

    def __iter__(self) -> Iterator[str]:
        return iter(PACKAGES)

    def __len__(self) -> int:
        return len(PACKAGES)

    def __repr__(self) -> str:
        return f"GAMES({', '.join(PACKAGES)})"


GAMES = Games()


def unknown_game(key: object) -> UnknownGame:
    """Return the error for an unknown key, which names the games that there are.

    Callers that refuse the key in another way take their words from it: "There is no game 'chess';
    …".
    """
    return UnknownGame(f"no game {key!r}; the games are {', '.join(PACKAGES)}")
