"""Boards on pages: drawings, cards for matches and tiles for games."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from html import unescape
from random import Random

from django.utils.safestring import SafeString, mark_safe

from pentathlon.core.errors import Damaged, Unavailable
from pentathlon.matches.models import Match, MatchSeat, MatchState
from pentathlon.matches.replays.moments import board_svg
from pentathlon.matches.replays.services import read_record
from pentathlon_engines import CHANCE, GAMES, GameInfo
from pentathlon_engines.commentary.words import count_range
from pentathlon_engines.contract.author_guide import LessonStep, steps_of

_VIEW_BOX = re.compile(r'viewBox="[^"]*"')
_FIELD = re.compile(r'data-field="([^"]*)"')
_ARIA = re.compile(r' (?:role|aria-label|aria-labelledby)="[^"]*"')
_TITLES = re.compile(r"<(title|desc)>.*?</\1>", re.DOTALL)
_TITLE = re.compile("<title>(.*?)</title>", re.DOTALL)
_TEXTS = re.compile(r"<text\b.*?</text>", re.DOTALL)
_GROUPS = re.compile(r"(<g\b[^>]*>|</g>)")
_BESIDE_FIELD = ("<g data-seat=", "<g data-card=")
"""How the strips of seats and cards begin, which lie outside the playing area of a drawing."""


def inline_board(svg: str) -> SafeString:
    """Return a drawing of an engine as part of a page."""
    # The engines escape what they draw, and the content policy forbids scripts in pages.
    return mark_safe(svg)  # noqa: S308


def parts_in_words(svg: str) -> list[str]:
    """Return what a drawing says of its parts, after its own title, without the empty ones."""
    titles = map(unescape, _TITLE.findall(svg)[1:])
    return [title for title in titles if not title.endswith("empty")]


def thumbnail(svg: str) -> SafeString:
    """Return the playing area of a drawing alone, as decoration."""
    head, body = svg.split(">", 1)
    field = _FIELD.search(head)
    if field:
        head = _VIEW_BOX.sub(f'viewBox="{field[1]}"', head)
    head = _ARIA.sub("", head)
    body = _drop_beside_field(_TITLES.sub("", body))
    return inline_board(f'{head} aria-hidden="true">{body}')


def _drop_beside_field(body: str) -> str:
    """Leave out the parts that the crop to the playing area hides, to spare readers their load."""
    kept, depth, dropped_at = list[str](), 0, None
    for part in _GROUPS.split(body):
        if part.startswith("<g"):
            depth += 1
            if dropped_at is None and part.startswith(_BESIDE_FIELD):
                dropped_at = depth
        if dropped_at is None:
            kept.append(part)
        if part == "</g>":
            if dropped_at == depth:
                dropped_at = None
            depth -= 1
    return "".join(kept)


def start_board(game: str) -> str:
    """Draw a starting position of a game, always the same one."""
    state, luck = GAMES[game].start(), Random(0)
    while state.to_move == CHANCE:
        state.apply_chance(state.sample_chance(luck))
    return state.svg()


@cache
def lesson_steps(game: str) -> list[tuple[LessonStep, SafeString]]:
    """Return the steps of a lesson with their boards, which change only with a release."""
    return [(step, inline_board(step.state.svg(step.viewer))) for step in steps_of(GAMES[game])]


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchCard:
    """One match on the home page or a game's page."""

    match: Match
    picture: SafeString
    game_title: str
    seats: list[MatchSeat]


def match_cards(matches: Iterable[Match]) -> list[MatchCard]:
    """Return a card for each match; load them with seats and replay."""
    return [
        MatchCard(
            match=match,
            # Nobody can read letters at the size of a card.
            picture=thumbnail(_TEXTS.sub("", _board(match))),
            game_title=GAMES[match.game].info.title,
            seats=list(match.seats.all()),
        )
        for match in matches
    ]


def match_title(match: Match) -> str:
    """Return the title of a match: the names of two bots, and how many others play."""
    names = [seat.version.bot.name for seat in match.seats.all()]
    others = f" + {len(names) - 2}" if len(names) > 2 else ""  # noqa: PLR2004  # two are named
    return " – ".join(names[:2]) + others


@dataclass(frozen=True, slots=True, kw_only=True)
class Tile:
    """One game on the home page."""

    info: GameInfo

    @property
    def facts(self) -> str:
        """The seats and the kind of game in a few words."""
        kinds = []
        if self.info.hidden:
            kinds.append("hidden parts")
        if self.info.chance:
            kinds.append("chance")
        return " · ".join([seats_in_words(self.info), *(kinds or ["no luck"])])


def game_tiles() -> list[Tile]:
    """Return a tile for every game of this installation."""
    return [Tile(info=game.info) for game in GAMES.values()]


def lesson_board(game: str) -> str:
    """Return the last position of a game's lesson, or a start if there is no lesson."""
    steps = lesson_steps(game)
    return steps[-1][1] if steps else start_board(game)


def lesson_picture(game: str) -> SafeString:
    """Return the playing area of a game's `lesson_board` as decoration."""
    return thumbnail(lesson_board(game))


@cache
def small_picture(game: str) -> SafeString:
    """Return the same without letters, which nobody can read at the size of a tile."""
    return thumbnail(_TEXTS.sub("", lesson_board(game)))


def seats_in_words(info: GameInfo) -> str:
    """Return how many play in words: 2 seats, 2 to 5 seats."""
    return count_range(*info.seats, "seat")


def _board(match: Match) -> str:
    if match.state != MatchState.DONE or not hasattr(match, "replay"):
        return start_board(match.game)
    try:
        record = read_record(match.replay)
    except (Damaged, Unavailable):  # a list of matches tells enough without its pictures
        return start_board(match.game)
    return board_svg(record, len(record["events"]), None)
