"""Spans of what happens to matches, each in the trace in which its match was scheduled."""

from __future__ import annotations

from collections.abc import Collection

from pentathlon.core import tracing
from pentathlon.matches.models import Match


def traceparents(match_ids: Collection[int]) -> list[str]:
    """Return the parents for the spans of matches; none, at no cost, if no spans are made."""
    if not tracing.is_on() or not match_ids:
        return []
    known = Match.objects.filter(pk__in=match_ids).exclude(traceparent="").order_by("pk")
    return list(known.values_list("traceparent", flat=True))


def record_of_matches(name: str, match_ids: Collection[int], *, since_ns: int) -> None:
    """Make a span of what has just been done to these matches, in the trace of each."""
    tracing.record(name, parents=traceparents(match_ids), since_ns=since_ns)
