"""How far tournaments are, as pages show it."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.utils import timezone

from pentathlon.tournaments.models import Tournament, TournamentState
from pentathlon.tournaments.progress import Progress, progress


@dataclass(frozen=True, slots=True, kw_only=True)
class TournamentLine:
    """One tournament in a list."""

    tournament: Tournament
    progress: Progress | None
    """None before the start."""


def tournament_lines(*, limit: int) -> list[TournamentLine]:
    """Return the latest tournaments, those that run with the time they still take."""
    latest = list(Tournament.objects.listed()[:limit])
    latest.sort(key=lambda tournament: tournament.state != TournamentState.RUNNING)
    return [
        TournamentLine(tournament=tournament, progress=_progress(tournament))
        for tournament in latest
    ]


def counted_line(tournament: Tournament) -> TournamentLine:
    """Return the line of a tournament that was loaded with its counts, without a query."""
    counts = {name: getattr(tournament, name) for name in ("matches", "matches_done")}
    if not counts["matches"]:
        return TournamentLine(tournament=tournament, progress=None)
    done = counts["matches_done"]
    waiting = counts["matches"] - done
    return TournamentLine(
        tournament=tournament,
        progress=Progress(done=done, running=0, waiting=waiting, void=0, remaining_s=None),
    )


def finishes_at(standing: Progress) -> datetime | None:
    """Return when the last match ends at the present pace; None while nobody can tell."""
    if standing.remaining_s is None:
        return None
    return timezone.now() + timedelta(seconds=standing.remaining_s)


def _progress(tournament: Tournament) -> Progress | None:
    if tournament.state == TournamentState.OPEN:
        return None
    return progress(tournament)
