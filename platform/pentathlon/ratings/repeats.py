"""Exact repeats: the same versions in the same seats played the same match, move by move.

The first of them counts, as in final tables. The ledger states which rows are repeats, so a
recompute need not search for them.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from hashlib import blake2b
from typing import Final

from django.db.models import Min, QuerySet

from pentathlon.matches.models import Match
from pentathlon.ratings.models import LedgerReason, LedgerRow, LedgerState, Pool
from pentathlon.ratings.skill import Result

_BYTES: Final = 8


def digest_of(result: Result, course: str) -> int:
    """Return a digest that is equal for exact repeats of a match, and hardly ever otherwise."""
    played = f"{course} {result.players}".encode()
    return int.from_bytes(blake2b(played, digest_size=_BYTES).digest(), signed=True)


def digests_of(results: Mapping[int, Result]) -> dict[int, int]:
    """Return by match the digests of results that tell something and have a known course."""
    telling = [match_id for match_id, result in results.items() if result.has_winner]
    courses = Match.objects.filter(pk__in=telling).exclude(course="")
    return {
        match_id: digest_of(results[match_id], course)
        for match_id, course in courses.values_list("pk", "course")
    }


def counted(pool: Pool, digests: Collection[int]) -> set[int]:
    """Return which of these digests a locked pool has counted."""
    rows = pool.rows.filter(course__in=set(digests), reason="", state=LedgerState.APPLIED)
    return {digest for digest in rows.values_list("course", flat=True) if digest is not None}


def revoke_rows(pool: Pool, rows: QuerySet[LedgerRow]) -> set[int]:
    """Revoke rows of a locked pool; if a revoked match was repeated, its first repeat counts now.

    Return the matches that count only because of this.
    """
    counting = rows.filter(reason="", state=LedgerState.APPLIED, course__isnull=False)
    digests = set(counting.values_list("course", flat=True))
    rows.update(state=LedgerState.REVOKED, reason=LedgerReason.REVOKED)
    repeats = pool.rows.filter(
        course__in=digests, reason=LedgerReason.REPEAT, state=LedgerState.APPLIED
    )
    firsts = repeats.order_by().values("course").annotate(first=Min("seq"))
    promoted = pool.rows.filter(seq__in=[row["first"] for row in firsts])
    matches = set(promoted.values_list("match", flat=True))
    promoted.update(reason="")
    return matches
