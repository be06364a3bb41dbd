"""What a worker says about itself. Free of Django: workers without keys import it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final

BUILDS_WITH: Final = "build:"
"""The prefix of a build tool among the runtimes of a worker."""
HEARTBEAT_S: Final = 5
"""Seconds between two heartbeats of a worker."""
DEFAULT_SLOTS: Final = 16
"""How many matches at a time a worker token allows, unless it is made with another number."""
MOST_SLOTS: Final = 1024
"""The most slots of one worker, and of all workers of a token."""
PLAY_MATCHES: Final = "play_matches"
MOVE_BOTS: Final = "move_bots"
ANALYSE_MATCH: Final = "analyse_match"
TASKS: Final = (PLAY_MATCHES, MOVE_BOTS, ANALYSE_MATCH)
"""All tasks that a hint may name: the kinds of work that a worker claims."""


class Work(StrEnum):
    """Kinds of work that a worker may be trusted with."""

    RATED = "rated"
    """Matches that count for ratings."""
    UNRATED = "unrated"
    """All other matches."""
    BUILDS = "builds"
    """Matches for which an upload has to be built first."""
    ANALYSES = "analyses"
    """Win-chance curves."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Announcement:
    """A worker's description of itself."""

    name: str
    slots: int
    games: dict[str, int]
    runtimes: Sequence[str]
    sandbox: str
    layers: list[dict[str, Any]]  # Any: JSON, what the probe found
    version: str
    began_s: float
    """When it started, by `time.monotonic`, because the host's date may be wrong."""
    untried: Sequence[str] = ()
    """Runtimes that it is still testing."""


def build_tool_of(runtime: str) -> str:
    """Return the build tool that a runtime stands for; "" for a language."""
    return runtime.removeprefix(BUILDS_WITH) if runtime.startswith(BUILDS_WITH) else ""
