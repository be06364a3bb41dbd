"""How many short matches one slot claims and stores together."""

from __future__ import annotations

from typing import Final

from pentathlon.matches.capacity.durations import durations_s, read_plays
from pentathlon.matches.models import Match

BATCH: Final = 8
"""The most matches that one hint names; they are claimed, and their results stored, together."""

_BATCH_S = 2.0
"""Seconds that a batch may take; with longer matches, nothing is gained by a batch."""
_SAMPLE = 9
_USUAL = 0.75
"""The quantile of the lengths of matches that is taken as the usual length."""


class BatchSizes:
    """The number of matches of each game that one slot takes at a time."""

    def __init__(self) -> None:
        self._sizes: dict[str, int | None] = {}

    def of(self, game: str) -> int | None:
        """Return the number for a game; None if it is not known yet. Each game costs one query."""
        if game not in self._sizes:
            self._sizes[game] = _batch_size(game)
        return self._sizes[game]


def _batch_size(game: str) -> int | None:
    plays = read_plays(Match.objects.of_game(game), latest=_SAMPLE)
    lengths_s = sorted(durations_s(plays).values())
    if not lengths_s:
        return None
    # The quantile ignores the few validations with builds, but not every third match being long:
    # then most batches would hold a long one.
    usual_s = lengths_s[int(_USUAL * len(lengths_s))]
    return max(1, int(_BATCH_S / max(usual_s, _BATCH_S / BATCH)))
