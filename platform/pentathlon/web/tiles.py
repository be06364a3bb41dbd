"""The tiles of the games: three glyphs each, and what one sits down to."""

from dataclasses import dataclass

from pentathlon_engines import GAMES, GameInfo


@dataclass(frozen=True, slots=True, kw_only=True)
class Tile:
    """One game on the home page."""

    info: GameInfo
    glyphs: tuple[str, ...]

    @property
    def facts(self) -> str:
        """Seats and kind of game in a few words."""
        kinds = []
        if self.info.hidden:
            kinds.append("hidden parts")
        if self.info.chance:
            kinds.append("chance")
        return " · ".join([seats_in_words(self.info), *(kinds or ["no luck"])])


def game_tiles() -> list[Tile]:
    """Return a tile for every game of this installation."""
    return [Tile(info=game.info, glyphs=game.glyphs()) for game in GAMES.values()]


def seats_in_words(info: GameInfo) -> str:
    """Write how many play: 2 seats, 2 to 5 seats."""
    low, high = info.seats
    return f"{low} seats" if low == high else f"{low} to {high} seats"
