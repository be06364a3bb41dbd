"""The badge of a bot: its standing as one small picture for pages elsewhere.

It shows what everybody may see. Tournaments with hidden results are never rated, so a badge cannot
reveal them.
"""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from typing import Final

from django.utils.html import format_html
from django.utils.safestring import SafeString

from pentathlon.bots.models import Bot, VersionState
from pentathlon.ladders.models import Choice, Ladder
from pentathlon.ladders.tables import LadderPlace, place_in
from pentathlon.ratings.models import Rating, live_key
from pentathlon.ratings.tables import count_active, read_progress
from pentathlon.ratings.uncertainty import is_provisional
from pentathlon.web.templatetags.formats import percent
from pentathlon_engines import GAMES
from pentathlon_engines.contract.info import ordinal

_HEIGHT: Final = 20
_PADDING: Final = 6
_LONGEST: Final = 64
_INK: Final = "#ffffff"
_NAME_FILL: Final = "#3f444b"
_GOOD, _NEUTRAL, _WARN, _BAD = "#1d6b3c", "#5a5d63", "#7f5200", "#a3231c"
_TONES: Final = {
    VersionState.ELIGIBLE: _NEUTRAL,
    VersionState.VALIDATING: _NEUTRAL,
    VersionState.UNCHECKED: _WARN,
    VersionState.RETIRED: _NEUTRAL,
    VersionState.REJECTED: _BAD,
    VersionState.STOPPED: _BAD,
    VersionState.DISQUALIFIED: _BAD,
}
_NARROW: Final = frozenset("iljtfrI.,:;'|!()[] ")
_WIDE: Final = frozenset("mwMW%@—")


@dataclass(frozen=True, slots=True, kw_only=True)
class Badge:
    """The text and colour of a badge."""

    name: str
    """The name of the bot, and of the ladder if the badge is about one."""
    says: str
    tone: str

    @property
    def label(self) -> str:
        """The whole badge in one line, for people who do not see it."""
        return f"{self.name}: {self.says}"

    def draw(self) -> SafeString:
        """Draw the badge; its text takes exactly the given room in any font."""
        name = _shorten(self.name)
        left, right = _width(name), _width(self.says)
        middle = left + 2 * _PADDING
        return format_html(
            '<svg xmlns="http://www.w3.org/2000/svg" width="{}" height="{}" role="img" '
            'aria-label="{}"><title>{}</title><rect width="{}" height="{}" rx="4" fill="{}"/>'
            '<path fill="{}" d="M{} 0h{}a4 4 0 0 1 4 4v12a4 4 0 0 1-4 4h-{}z"/>'
            '<g fill="{}" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11">'
            '<text x="{}" y="14" textLength="{}" lengthAdjust="spacingAndGlyphs">{}</text>'
            '<text x="{}" y="14" textLength="{}" lengthAdjust="spacingAndGlyphs">{}</text>'
            "</g></svg>",
            *(middle + right + 2 * _PADDING, _HEIGHT, self.label, self.label),
            *(middle + right + 2 * _PADDING, _HEIGHT, _NAME_FILL),
            *(self.tone, middle, right + 2 * _PADDING - 4, right + 2 * _PADDING - 4, _INK),
            *(_PADDING, left, name),
            *(middle + _PADDING, right, self.says),
        )


def badge_of(bot: Bot, *, ladder: Ladder | None = None) -> Badge:
    """Return the badge of a bot: its place in the standings of a game, or in a ladder's season."""
    if ladder is not None:
        return _badge_on(bot, ladder)
    keys = [live_key(game) for game in GAMES]
    rated = Rating.objects.filter(version__bot=bot, pool__key__in=keys, matches__gt=0)
    found = rated.active().with_mean().ranked().select_related("pool")
    rating = min(found, key=lambda rating: (rating.rank, rating.pool.key), default=None)
    if rating is None:
        return _badge_of_state(bot, bot.name)
    key = live_key(rating.pool.game)
    rank = f"{ordinal(rating.rank - 1)} of {count_active(read_progress(key)):,}"
    doubt = ", provisional" if is_provisional(rating.skill) else ""
    says = f"{rank} · beats an average bot ≥ {percent(rating.odds.sure)}{doubt}"
    return Badge(name=f"{bot.name} · {rating.pool.title}", says=says, tone=_GOOD)


def _badge_on(bot: Bot, ladder: Ladder) -> Badge:
    place = _place_on(bot, ladder)
    name = f"{bot.name} · {ladder.title}"
    if place.division is None and place.choice == Choice.OUT:
        return Badge(name=name, says="left the ladder", tone=_NEUTRAL)
    if place.division is None:
        return _badge_of_state(bot, name)
    rank = "no rank yet"
    if place.rank:
        season = place.division.season.number
        rank = f"{ordinal(place.rank - 1)} of {place.size:,} in season {season}"
    if place.choice == Choice.PAUSED:
        return Badge(name=name, says=f"{rank}, paused", tone=_WARN)
    return Badge(name=name, says=rank, tone=_GOOD if place.rank else _NEUTRAL)


def _place_on(bot: Bot, ladder: Ladder) -> LadderPlace:
    members = bot.memberships.select_related("version", "entry__tournament", "ladder", "bot")
    return place_in(ladder, members.filter(ladder=ladder).first())


def _badge_of_state(bot: Bot, name: str) -> Badge:
    """Return the badge of a bot without a place: the state of its newest version."""
    newest = bot.versions.in_line().order_by("-number").only("state").first()
    if newest is None:
        return Badge(name=name, says="no version yet", tone=_NEUTRAL)
    may_play = newest.state == VersionState.ELIGIBLE
    says = "may play, no rank yet" if may_play else newest.get_state_display()
    return Badge(name=name, says=says, tone=_TONES[VersionState(newest.state)])


def _shorten(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"


def _width(text: str) -> int:
    """Return about how many pixels a text takes in Verdana of 11 pixels."""
    return round(sum(map(_advance, text)))


def _advance(character: str) -> float:
    if unicodedata.combining(character):
        return 0
    if unicodedata.east_asian_width(character) in "WF":
        return 11
    if character in _NARROW:
        return 4.2
    if character in _WIDE:
        return 10.2
    return 7.7 if character.isupper() else 6.8
