"""CPU time that bots use, from the latest matches; the cost does not grow with the history."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection
from dataclasses import dataclass
from statistics import median
from typing import Any, Final

from pentathlon.matches.latest import latest_matches
from pentathlon.matches.models import Match, MatchSeat
from pentathlon_engines.match.limits import Limits

SAMPLE: Final = 200
"""How many of the latest matches are read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TimeUse:
    """The CPU time of a bot in some matches."""

    matches: int
    action_ms: float
    """CPU time of an action: the mean of each match, then the median of these means."""
    most_action_ms: float
    """The largest of these means."""
    limit_share: float
    """The median share of a match's CPU time limit that it used."""
    most_limit_share: float


def time_use_of_bot(bot_id: int, game: str) -> TimeUse | None:
    """Return the time use of a bot in its latest public matches of a game."""
    ids = latest_matches(bot_id, limit=SAMPLE)
    matches = Match.objects.public().filter(pk__in=ids, game=game).order_by("-pk")
    return time_use([bot_id], list(matches.values_list("pk", flat=True)[:SAMPLE])).get(bot_id)


def time_use(bots: Collection[int], match_ids: Collection[int]) -> dict[int, TimeUse]:
    """Return the time use by bot in some matches, without bots that made no action."""
    seats = MatchSeat.objects.filter(match__in=match_ids, version__bot__in=bots, actions__gt=0)
    used: dict[int, list[tuple[float, float]]] = defaultdict(list)
    columns = ("version__bot", "cpu_ms", "actions", "match__limits")
    for bot_id, cpu_ms, actions, limits in seats.values_list(*columns):
        used[bot_id].append((cpu_ms / actions, cpu_ms / 1000 / _cpu_limit_s(limits)))
    return {bot_id: _summary(rows) for bot_id, rows in used.items()}


def _summary(rows: list[tuple[float, float]]) -> TimeUse:
    actions, shares = zip(*rows, strict=True)
    return TimeUse(
        matches=len(rows),
        action_ms=median(actions),
        most_action_ms=max(actions),
        limit_share=median(shares),
        most_limit_share=max(shares),
    )


def _cpu_limit_s(limits: dict[str, Any]) -> float:  # Any: JSON
    return float(limits.get("match_cpu_s", Limits().match_cpu_s)) or Limits().match_cpu_s
