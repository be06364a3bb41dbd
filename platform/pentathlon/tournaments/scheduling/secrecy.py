"""Decides which seeds may be shown: those with which no match can still be played.

A seed stays sealed until the last match of its block is done. A void match may be requeued, so its
block stays sealed until the tournament is over and its secret is public. In a challenge, a void
match stays void, and the matches of a block are those with its seed.
"""

from __future__ import annotations

from typing import Final

from django.db.models import BooleanField, Case, Exists, OuterRef, Q, When

from pentathlon.core.errors import Conflict
from pentathlon.matches.models import Match, MatchKind, MatchQuerySet, MatchState
from pentathlon.tournaments.models import TournamentMatch, TournamentMatchQuerySet

_SEALED: Final = "is_sealed"
"""The attribute that `with_seals` adds to a match."""
_UNFINISHED: Final = Q(state__in=(MatchState.PENDING, MatchState.RUNNING))


def with_seals(matches: MatchQuerySet) -> MatchQuerySet:
    """Add `is_sealed` to every match."""
    same_block = Match.objects.filter(lane=OuterRef("lane"), seed=OuterRef("seed"))
    reasons = (
        _UNFINISHED,
        Q(kind=MatchKind.CHALLENGE) & Q(Exists(same_block.filter(_UNFINISHED))),
        Q(Exists(_open_legs("place"))),
        # A match that is played again has the seed of the match that it replaces.
        Q(Exists(_open_legs("former_place__place"))),
    )
    # A CASE stops at the first reason; SQLite evaluates every part of an OR, so all matches of a
    # lane even for challenges.
    found = Case(
        *(When(reason, then=True) for reason in reasons),
        default=False,
        output_field=BooleanField(),
    )
    return matches.annotate(**{_SEALED: found})


def _open_legs(place: str) -> TournamentMatchQuerySet:
    block = OuterRef(f"{place}__block")
    legs = TournamentMatch.objects.filter(
        tournament=OuterRef(f"{place}__tournament"),
        # A range keeps PostgreSQL on the index: for an equality it reads all waiting matches
        # instead.
        block__range=(block, block),
        tournament__revealed_at=None,
    )
    return legs.exclude(match__state=MatchState.DONE)


def sealed_blocks(places: TournamentMatchQuerySet) -> set[int]:
    """Return the blocks of these places whose seeds may not be shown yet."""
    # Reads the present row: the caller's tournament may be older, and must not decide that its
    # secret is revealed.
    open_legs = places.filter(tournament__revealed_at=None).exclude(match__state=MatchState.DONE)
    return set(open_legs.values_list("block", flat=True))


def check_unsealed(match: Match) -> None:
    """Refuse an answer that would show the seed of a match while it is sealed.

    Raises:
        Conflict: `sealed`.
    """
    done = Match.objects.filter(pk=match.pk, state=MatchState.DONE)
    if any(not each.is_sealed for each in with_seals(done)):
        return
    raise Conflict(
        f"The seed of match {match.pk} is sealed: its record becomes available when the last "
        "match of its block is done.",
        code="sealed",
    )
