"""Matches as small cards: a picture, how it stands, and who plays."""

from collections.abc import Iterable
from dataclasses import dataclass

from django.utils.safestring import SafeString

from pentathlon.matches.models import Match, MatchSeat, MatchState
from pentathlon.replays.boards import board_svg
from pentathlon.replays.services import read_record
from pentathlon.web.drawings import start_board, thumbnail
from pentathlon_engines import GAMES


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchCard:
    """One match on the home page or a game's page."""

    match: Match
    picture: SafeString
    game_title: str
    seats: list[MatchSeat]


def match_cards(matches: Iterable[Match]) -> list[MatchCard]:
    """Draw matches that were loaded with seats and replay."""
    return [
        MatchCard(
            match=match,
            picture=thumbnail(_board(match)),
            game_title=GAMES[match.game].info.title,
            seats=list(match.seats.all()),
        )
        for match in matches
    ]


def match_title(match: Match) -> str:
    """Name a match by those who play it: two names, and how many more there are."""
    names = [seat.version.bot.name for seat in match.seats.all()]
    others = f" + {len(names) - 2}" if len(names) > 2 else ""  # noqa: PLR2004  # two are named
    return " – ".join(names[:2]) + others


def _board(match: Match) -> str:
    if match.state != MatchState.DONE or not hasattr(match, "replay"):
        return start_board(match.game)
    record = read_record(match.replay)
    return board_svg(record, len(record["events"]), None)
