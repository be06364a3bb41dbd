"""What the holder of a worker token may claim and give back, whatever it says about itself.

The site believes no worker: a token has slots, and claims no more matches than they can hold. It
claims only matches whose hints are out, and gives back no more hints in a minute than it could
claim at a time. One that does not read the queue claims and gives back only what it was told of.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import timedelta
from functools import partial
from typing import Final

from django.db import transaction

from pentathlon.core.clock import database_now
from pentathlon.core.errors import Conflict
from pentathlon.fleet.capabilities import Capabilities
from pentathlon.fleet.models import WorkerToken
from pentathlon.matches.capacity import BATCH
from pentathlon.matches.jobs import Job
from pentathlon.matches.models import Match, MatchQuerySet
from pentathlon.matches.services import claim_matches, publish_again
from pentathlon_engines.commentary.words import count

_CLAIM_WINDOW: Final = timedelta(minutes=1)


def claim_by_token(
    token: WorkerToken, *, match_ids: Sequence[int], worker: str, capabilities: Capabilities
) -> list[Job]:
    """Claim those of these matches that wait, that were sent out, and that the token has room for.

    Raises:
        Conflict: `slots_full`, if there is no room at all; others get the matches.
    """
    with transaction.atomic():
        locked = _lock(token)
        offered = _offered(locked, match_ids)
        room = max(0, most_held(locked) - held_by_token(locked).count()) if offered else 0
        jobs = claim_matches(
            match_ids=offered[:room],
            worker=worker,
            capabilities=capabilities,
            worker_token=locked.pk,
            pass_on=partial(_give_back, locked),
        )
        _give_back(locked, offered[room:])
    if offered and not room:
        raise Conflict(
            f"The worker token {token.name} has {count(locked.slots, 'slot')} and holds "
            f"{count(most_held(locked), 'match')}, the most that it may. Play or return some of "
            "them, or ask the staff of this site for a token with more slots.",
            code="slots_full",
        )
    return jobs


def give_back_hints(token: WorkerToken, *, match_ids: Collection[int]) -> None:
    """Let hints be sent again for matches that a worker of this token leaves to others.

    Raises:
        Conflict: `hints_spent`, if the token has given back too many lately; hints of the rest are
            sent again when nobody has followed them for a while.
    """
    with transaction.atomic():
        locked = _lock(token)
        offered = _offered(locked, match_ids)
        given = _give_back(locked, offered)
    if given < len(offered):
        raise Conflict(
            f"The worker token {token.name} gives back at most "
            f"{count(most_held(locked), 'hint')} in a minute, as many as it could claim.",
            code="hints_spent",
        )


def note_told(token: WorkerToken, match_ids: Sequence[int]) -> None:
    """Remember the latest matches that the site has told workers of this token of.

    One that is trusted with everything reads the queue, too, so nothing rests on it.
    """
    if token.is_trusted_with_all or set(match_ids) <= set(token.told_matches):
        return
    with transaction.atomic():
        locked = _lock(token)
        new = [pk for pk in match_ids if pk not in locked.told_matches]
        told = [*locked.told_matches, *new][-2 * most_held(locked) :]
        WorkerToken.objects.filter(pk=locked.pk).update(told_matches=told)


def most_held(token: WorkerToken) -> int:
    """Return how many matches the workers of a token may hold at a time."""
    return token.slots * BATCH


def held_by_token(token: WorkerToken) -> MatchQuerySet:
    """Return the matches that workers of a token hold now."""
    return Match.objects.live().filter(worker__startswith=token.prefix)


def _lock(token: WorkerToken) -> WorkerToken:
    """Return the token as it is now; two claims at once must not pass its limit."""
    return WorkerToken.objects.select_for_update(no_key=True).get(pk=token.pk)


def _offered(token: WorkerToken, match_ids: Collection[int]) -> list[int]:
    """Return which of these matches wait with hints that a worker of this token may have seen."""
    ids = set(match_ids)
    if not token.is_trusted_with_all:
        ids &= set(token.told_matches)
    sent = Match.objects.sent().filter(pk__in=ids).order_by("pk")
    return list(sent.values_list("pk", flat=True))


def _give_back(token: WorkerToken, match_ids: Collection[int]) -> int:
    """Give back as many hints as a locked token may in this minute; return how many."""
    if not match_ids:
        return 0
    now = database_now()
    since = token.passed_since
    if since is None or not since <= now < since + _CLAIM_WINDOW:
        token.passed_since, token.passed_hints = now, 0
    given = sorted(match_ids)[: max(0, most_held(token) - token.passed_hints)]
    token.passed_hints += len(given)
    token.save(update_fields=("passed_since", "passed_hints"))
    publish_again(match_ids=given)
    return len(given)
