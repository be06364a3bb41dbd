"""Frames by which other sites show something of this one."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final
from urllib.parse import urlencode

from django.http import HttpRequest
from django.urls import reverse
from django.utils.html import escape

from pentathlon.matches.models import Match
from pentathlon.web.drawing.boards import match_title
from pentathlon_engines import GAMES, GameInfo

_WIDTH: Final = 480
_HEIGHT: Final = 760
_SMALLEST: Final = 240


@dataclass(frozen=True, slots=True, kw_only=True)
class EmbedFrame:
    """A page of this site within a page of another."""

    address: str
    title: str
    """What the frame shows, for people who cannot see it."""

    def html(self, *, width: int = _WIDTH, height: int = _HEIGHT) -> str:
        """Return the element to paste into a page."""
        # Plain text, because pages show it to be copied, so it must not become markup of the page.
        return (
            f'<iframe src="{escape(self.address)}" width="{width}" height="{height}" '
            f'title="{escape(self.title)}" loading="lazy"></iframe>'
        )

    def size_within(self, widest: int | None, highest: int | None) -> tuple[int, int]:
        """Return a width and height that fit into a given room."""
        return _within(_WIDTH, widest), _within(_HEIGHT, highest)


def frame_of_match(
    request: HttpRequest, match: Match, *, moment: Mapping[str, str] | None = None
) -> EmbedFrame:
    """Return the frame with the replay of a match at a moment; load it with seats."""
    title = GAMES[match.game].info.title
    path = reverse("embed_match", args=[match.pk])
    return EmbedFrame(
        address=_absolute(request, f"{path}?{urlencode(moment)}" if moment else path),
        title=f"{title}: {match_title(match)}",
    )


def frame_of_leaderboard(request: HttpRequest, info: GameInfo) -> EmbedFrame:
    """Return the frame with the head of a leaderboard."""
    return EmbedFrame(
        address=_absolute(request, reverse("embed_leaderboard", args=[info.key])),
        title=f"Leaderboard of {info.title}",
    )


def _absolute(request: HttpRequest, path: str) -> str:
    return f"{request.scheme}://{request.get_host()}{path}"


def _within(wanted: int, most: int | None) -> int:
    return wanted if most is None else max(_SMALLEST, min(wanted, most))
