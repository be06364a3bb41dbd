"""Lets the version that replaces another one play all blocks that have not begun.

A block has all its matches by the same versions. The old one finishes those that it has begun: a
leg has been handed to a worker, now or ever. It keeps its results and its ratings, and blocks that
are void stay its own. All other blocks, and all that are made later, are played by the new one,
with the seeds that they have. So no result is lost, and none is played twice.

Seeds stay sealed and cannot be chosen. They follow from the secret and the document of the start,
neither of which a replacement changes; whichever version comes, pairings, order, seeds and
aliases stay what they were. What could be exploited is what the first leg of a block has shown:
its deals and dice are those of the second leg, too. A file made for them must not come to play
them, which is why a block that has begun stays with the old version even if that is in trouble. If
the old one may not play any more, the rest of such a block is void, and with it the block.

The place goes on, as in the seasons of chess engines where a repaired engine keeps its points: its
points are those of both versions, and for the strength fit it is one player. Two players would let
a replacement shake off bad results. Each version keeps its own rating, here and on leaderboards.

A place may have a hundred thousand matches before it. They are given over part by part, in the
order of the schedule; blocks that begin meanwhile stay with the old version.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Final

from django.db import transaction
from django.db.models import Exists, OuterRef

from pentathlon.accounts.models import User
from pentathlon.bots.models import OUT_OF_PLAY, BotVersion
from pentathlon.matches.models import Match, MatchSeat, MatchState
from pentathlon.matches.services import void_matches
from pentathlon.tournaments.batches import Block, FormerLeg
from pentathlon.tournaments.models import (
    Entry,
    Tournament,
    TournamentMatch,
    TournamentMatchQuerySet,
    TournamentState,
)
from pentathlon.tournaments.replacements import Replacement
from pentathlon_engines.tournament.formats.blocks import matches_per_block

MATCHES_AT_ONCE: Final = 300
"""Matches that one part gives over: a row of each and a row of its seat change."""
_STEP_S: Final = 0.4
_PLAYED: Final = (TournamentState.RUNNING, TournamentState.PAUSED)


def begin_replacement(
    *, actor: User, entry: Entry, tournament: Tournament, new: BotVersion, reason: str
) -> Replacement:
    """Let another version play for an entry of a locked tournament, and give over a first part."""
    last = tournament.blocks.order_by("-number").values_list("number", flat=True).first() or 0
    opened = tournament.blocks.open().order_by("number").values_list("number", flat=True).first()
    replacement = Replacement.objects.create(
        tournament=tournament,
        number=tournament.replacements.count() + 1,
        entry=entry,
        old=entry.version,
        new=new,
        reason=reason,
        replaced_by=actor,
        made_blocks=last,
        checked_block=last if opened is None else opened - 1,
        first_block=last + 1,
    )
    entry.version = new
    entry.save(update_fields=("version",))
    if Replacement.objects.unsettled().filter(tournament=tournament).count() == 1:
        _give_over_part(replacement.pk)
    replacement.refresh_from_db()
    return replacement


def carry_out_replacements(*, for_s: float = _STEP_S) -> int:
    """Go on with replacements for about `for_s` seconds; return how many parts were given over."""
    deadline = time.monotonic() + for_s
    parts = 0
    # In their order: each one takes what the one before it has left.
    while unsettled := Replacement.objects.unsettled().values_list("pk", flat=True).first():
        _give_over_part(unsettled)
        parts += 1
        if time.monotonic() > deadline:
            break
    return parts


def void_unplayable() -> int:
    """Void what waits for versions that were replaced and may not play any more."""
    waiting = Match.objects.filter(
        place__tournament=OuterRef("tournament"),
        state=MatchState.PENDING,
        seats__version=OuterRef("old"),
    )
    stuck = Replacement.objects.filter(
        Exists(waiting),
        is_settled=True,
        tournament__state__in=_PLAYED,
        old__state__in=OUT_OF_PLAY,
    )
    for each in stuck.select_related("old__bot"):
        theirs = _places(each).filter(match__state=MatchState.PENDING).order_by("index")
        ids = list(theirs.values_list("match", flat=True)[:MATCHES_AT_ONCE])
        reason = f"{each.old.label} was replaced and may not play any more."
        void_matches(matches=Match.objects.filter(pk__in=ids), reason=reason)
    return len(stuck)


@transaction.atomic
def _give_over_part(replacement_id: int) -> None:
    """Look at the next open blocks of the old version; settle the replacement after the last."""
    found = Replacement.objects.get(pk=replacement_id)
    tournament = Tournament.objects.select_for_update().get(pk=found.tournament_id)
    replacement = Replacement.objects.select_for_update().get(pk=replacement_id)
    if replacement.is_settled:
        return
    most = max(1, MATCHES_AT_ONCE // matches_per_block(tournament.table_seats))
    numbers = _open_blocks(replacement)[:most]
    given = _give_over(replacement, numbers)
    if given:
        replacement.first_block = min(replacement.first_block, *given)
    if numbers:
        replacement.checked_block = numbers[-1]
    if len(numbers) < most:
        _settle(replacement)
    replacement.save()


def _open_blocks(replacement: Replacement) -> list[int]:
    """Return the blocks that are not looked at yet and in which the old version has a seat."""
    legs = _places(replacement).filter(block=OuterRef("number"))
    blocks = Block.objects.open().filter(
        Exists(legs),
        tournament=replacement.tournament_id,
        number__gt=replacement.checked_block,
        number__lte=replacement.made_blocks,
    )
    most = MATCHES_AT_ONCE
    return list(blocks.order_by("number").values_list("number", flat=True)[:most])


def _give_over(replacement: Replacement, numbers: Sequence[int]) -> set[int]:
    """Seat the new version in those of these blocks that have not begun; return their numbers."""
    places = TournamentMatch.objects.filter(
        tournament=replacement.tournament_id, block__in=numbers
    )
    # Whoever claims a match locks it first: none begins while its seats change.
    matches = Match.objects.filter(place__in=places).order_by("pk")
    states = {match.pk: match for match in matches.select_for_update(of=("self",))}
    blocks = dict(places.values_list("match", "block"))
    played_again = FormerLeg.objects.filter(place__in=places).values_list("place__block")
    begun = {block for (block,) in played_again} | {
        blocks[pk] for pk, match in states.items() if _has_begun(match)
    }
    given = {pk for pk in states if blocks[pk] not in begun}
    seats = MatchSeat.objects.filter(match__in=given, version=replacement.old_id)
    seats.update(version=replacement.new_id)
    # Workers that were told of it may not be able to run the new version.
    Match.objects.filter(pk__in=given, sent_at__isnull=False).update(sent_at=None)
    return {blocks[pk] for pk in given}


def _has_begun(match: Match) -> bool:
    return match.attempts_made > 0 or match.state != MatchState.PENDING


def _settle(replacement: Replacement) -> None:
    """Note which later blocks the old version had begun; nothing changes from here on."""
    kept = _places(replacement).filter(
        block__gte=replacement.first_block, block__lte=replacement.made_blocks
    )
    replacement.kept = sorted(set(kept.order_by().values_list("block", flat=True)))
    replacement.is_settled = True
    earlier = Replacement.objects.filter(
        tournament=replacement.tournament_id, number=replacement.number - 1
    )
    before = earlier.values_list("digest", flat=True).first() or ""
    replacement.digest = replacement.stated().digest_after(before)


def _places(replacement: Replacement) -> TournamentMatchQuerySet:
    """Return the places of matches in which the old version has a seat."""
    seats = MatchSeat.objects.filter(match=OuterRef("match"), version=replacement.old_id)
    return TournamentMatch.objects.filter(Exists(seats), tournament=replacement.tournament_id)
