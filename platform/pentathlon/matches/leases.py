"""Renews leases while the matches make progress that we see; others get matches without any.

A worker reports plies. They must grow, or those of a match that the same slot plays first, within
the time that the clocks of the match allow on the slowest host; and no match lasts longer than
that. So a worker that only says that it plays holds a match for minutes. The stretches of
friendlies follow the same rule.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

from django.db import transaction
from django.db.models import DateTimeField, IntegerField, Q
from django.db.models.functions import Now

from pentathlon.core.clock import database_now
from pentathlon.core.models import Leadership, by_id
from pentathlon.matches.capacity import BATCH
from pentathlon.matches.jobs import LEASE_S
from pentathlon.matches.models import Match, MatchSeat, MatchState
from pentathlon.matches.services import return_expired_leases, take_back_stalled
from pentathlon_engines import GAMES
from pentathlon_engines.match.limits import Limits
from pentathlon_engines.match.wall_clock import longest_match_s, longest_request_s, longest_start_s

SLACK_S: Final = 60.0
"""For all that is no bot's time: reports every ten seconds, loading of files, and hand-in."""
BUILD_S: Final = 180.0
"""For the build of one bot, which its worker ends after two minutes."""
GAP_S: Final = 10
"""Seconds between two looks that count as an outage; leases outlive shorter ones."""
_WATCH: Final = "leases-watched"
_TRUCE: Final = "leases-truce"
_HOLDER: Final = "all"
_NOTE_EVERY = timedelta(seconds=1)


@transaction.atomic
def renew_leases(leases: Mapping[UUID, tuple[int, int]]) -> set[UUID]:
    """Renew leases, given by token as match and ply, and store the plies.

    Returns the tokens that still hold their match. One without progress goes to another worker.
    """
    if not leases:
        return set()
    named = Q(*(Q(pk=pk, token=token) for token, (pk, _) in leases.items()), _connector=Q.OR)
    running = Match.objects.filter(named, state=MatchState.RUNNING).order_by("pk")
    held = {match.token: match for match in running.select_for_update() if match.token}
    # Plies that fall and grow again are no progress.
    plies = {token: max(match.ply, leases[token][1]) for token, match in held.items()}
    advancing = {match.worker for token, match in held.items() if plies[token] > match.ply}
    now = database_now()
    kept: dict[UUID, datetime] = {}
    stalled = []
    for token, match in held.items():
        is_advancing = match.worker in advancing
        since = now if is_advancing else last_progress(match.progressed_at, match.lease_until, now)
        if _is_stalled(match, since=since, now=now):
            stalled.append(match)
        else:
            kept[token] = since
    take_back_stalled(stalled)
    if kept:
        Match.objects.filter(pk__in=[held[token].pk for token in kept]).update(
            ply=by_id({held[each].pk: plies[each] for each in kept}, IntegerField()),
            progressed_at=by_id({held[each].pk: at for each, at in kept.items()}, DateTimeField()),
            lease_until=Now() + timedelta(seconds=LEASE_S),
        )
    return set(kept)


def _is_stalled(match: Match, *, since: datetime, now: datetime) -> bool:
    """Return whether a match stands still, or lasts, for longer than its clocks allow."""
    excess_s = seconds_too_many(
        limits=Limits.from_json(match.limits),
        bots=GAMES[match.game].info.seats[1],
        # A slot may have claimed it together with others that it plays first.
        plays=BATCH,
        since=since,
        begun=match.started_at,
        now=now,
    )
    return excess_s > 0 and excess_s > BUILD_S * _bots_to_build(match)


def _bots_to_build(match: Match) -> int:
    """Count the seats whose bots a worker may have to build first."""
    return MatchSeat.objects.filter(match=match).exclude(version__manifest__build=[]).count()


def last_progress(
    progressed_at: datetime | None, lease_until: datetime | None, now: datetime
) -> datetime:
    """Return the time of the last progress, without the time in which we may have been away."""
    since = min(progressed_at or now, now)
    unheard = now - lease_until if lease_until else timedelta()
    return since + max(timedelta(), unheard)


def seconds_too_many(
    *,
    limits: Limits,
    bots: int,
    plays: int,
    since: datetime,
    begun: datetime | None,
    now: datetime,
) -> float:
    """Return by how much a play stands still, or lasts, for longer than its clocks allow.

    `plays` says how many of its kind a slot plays one after another; builds are not counted.
    """
    start_s = SLACK_S + bots * longest_start_s(limits)
    still_s = start_s + longest_request_s(limits)
    all_s = plays * (start_s + bots * longest_match_s(limits))
    lasted_s = (now - min(begun or now, now)).total_seconds()
    return max((now - since).total_seconds() - still_s, lasted_s - all_s)


def watch_leases() -> list[Match]:
    """Give back the matches of workers that fell silent, but not because of an outage.

    Call it again and again, from any number of processes: its state is in the database.
    """
    if _note_look() and not _is_truce():
        return return_expired_leases()
    return []


def _note_look() -> bool:
    """Store the time of this look; return False if the gap since the last one was too long."""
    looks = Leadership.objects.filter(name=_WATCH)
    # However many processes look, the row is changed once a second at most.
    if looks.filter(until__gt=Now() - _NOTE_EVERY).exists():
        return True
    if looks.filter(until__gt=Now() - timedelta(seconds=GAP_S)).update(until=Now()):
        return True
    if not _note(_WATCH, 0):
        # At the first look ever, no worker can have been kept from renewing a lease.
        return True
    _note(_TRUCE, LEASE_S)
    return False


def _is_truce() -> bool:
    return Leadership.objects.filter(until__gt=Now(), name=_TRUCE).exists()


def _note(name: str, seconds: float) -> bool:
    """Store a time; return whether there was one before."""
    until = Now() + timedelta(seconds=seconds)
    if Leadership.objects.filter(name=name).update(until=until):
        return True
    Leadership.objects.get_or_create(name=name, defaults={"holder": _HOLDER, "until": until})
    return False
