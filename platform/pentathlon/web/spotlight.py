"""The match that everybody should see now: the one between the best bots."""

from typing import Final

from pentathlon.matches.models import Match
from pentathlon.ratings.models import Pool, Rating

_MOST_LOOKED_AT: Final = 200
"""Of the matches that run, the oldest ones: they have something to show already."""


def best_running(game: str | None) -> Match | None:
    """Return the running match, of one game or of any, whose bots have the highest mean rating.

    Only what everybody may watch; a bot without a rating counts as 0, where ratings begin.
    """
    running = Match.objects.public().live().watchable()
    if game is not None:
        running = running.of_game(game)
    matches = list(running.with_seats().order_by("started_at", "pk")[:_MOST_LOOKED_AT])
    versions = {seat.version_id for match in matches for seat in match.seats.all()}
    rated = Rating.objects.filter(pool__in=Pool.objects.live(), version__in=versions)
    scores: dict[int, float] = dict(rated.values_list("version", "score"))

    def strength(match: Match) -> float:
        seats = match.seats.all()
        return sum(scores.get(seat.version_id, 0.0) for seat in seats) / len(seats)

    return max(matches, key=strength, default=None)
