"""Hooks that run in the transaction in which matches end or results are corrected.

Apps that build on this one name a function when they are loaded. It is called with the ids of
matches whose end has just been written, and what it writes is stored with it or not at all. So it
is with results that are taken back later, and with those that count only because of that.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Final

Follow = Callable[[Collection[int]], None]

_followers: Final[list[Follow]] = []
_correctors: Final[list[Follow]] = []


def follow_endings(follow: Follow) -> None:
    """Register a function to call when matches end, as done or void."""
    if follow not in _followers:
        _followers.append(follow)


def note_endings(match_ids: Collection[int]) -> None:
    """Notify all followers that these matches have ended; call it in the same transaction."""
    for follow in _followers:
        follow(match_ids)


def follow_corrections(follow: Follow) -> None:
    """Register a function to call when existing results change."""
    if follow not in _correctors:
        _correctors.append(follow)


def note_corrections(match_ids: Collection[int]) -> None:
    """Notify all followers that these results have changed; call it in the same transaction."""
    for follow in _correctors:
        follow(match_ids)
