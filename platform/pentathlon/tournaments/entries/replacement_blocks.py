"""Lets the version that replaces another one play all blocks that have not begun.

All matches of a block are played by the same versions. The old version finishes the blocks that it
has begun: those with a leg that has ever been handed to a worker. It keeps its results and its
ratings, and void blocks stay its own. The new version plays all other blocks, and all that are
made later, with the seeds that they have. So no result is lost, and no match is played twice.

Seeds stay sealed and cannot be chosen. They follow from the secret and the document of the start,
neither of which a replacement changes; whichever version comes, pairings, order, seeds and
aliases stay what they were. But the first leg of a block shows its deals and dice, which are those
of the second leg, too. A version written for them must not come to play them, which is why a block
that has begun stays with the old version even if that version is in trouble. If the old version
may not play any more, the rest of such a block is forfeited.

The place goes on, as in the seasons of chess engines where a repaired engine keeps its points: its
points are those of both versions, and for the strength fit it is one player. Two players would let
a replacement shake off bad results. Each version keeps its own rating, here and on leaderboards.

The old version may have left before: it was withdrawn, or stopped by the platform. The blocks that
it had not begun were forfeited then, or were no longer made. The new version plays such blocks
with the same seeds, unless other bots at the table have left or later pairings were made from the
forfeit; formats now make the blocks that were not made. Blocks that the old version had begun are
not finished.

A place may have a hundred thousand matches before it. They are given over part by part, in the
order of the schedule; blocks that begin meanwhile stay with the old version.
"""

from __future__ import annotations

import time
from collections.abc import Collection, Iterable, Sequence
from typing import Final

from django.conf import settings
from django.db import transaction
from django.db.models import Exists, OuterRef, Q

from pentathlon.accounts.models import User
from pentathlon.bots.models import BotVersion
from pentathlon.core.bulkheads import Bulkheads
from pentathlon.matches.hidden_lanes import out_of_play
from pentathlon.matches.models import Match, MatchSeat, MatchState
from pentathlon.matches.services import void_matches
from pentathlon.tournaments.batches import Block, BlockState, FormerLeg
from pentathlon.tournaments.documents.document import reads_results
from pentathlon.tournaments.models import (
    Entry,
    EntryState,
    Tournament,
    TournamentMatch,
    TournamentMatchQuerySet,
    TournamentState,
)
from pentathlon.tournaments.people_rows import LONGEST_REASON, Replacement
from pentathlon.tournaments.scheduling.blocks import play_void_again, store_blocks, versions_out
from pentathlon.tournaments.scheduling.history import noted_blocks
from pentathlon_engines.tournament.formats.interface import matches_per_block

MATCHES_AT_ONCE: Final = 300
"""Matches that one part hands over; for each it writes its row and the row of its seat."""
_PLAYED: Final = (TournamentState.RUNNING, TournamentState.PAUSED)
_replacements = Bulkheads[int]("replacement")
_unplayable = Bulkheads[int]("matches of replacement")


def begin_replacement(
    *, actor: User, entry: Entry, tournament: Tournament, new: BotVersion, reason: str
) -> Replacement:
    """Replace the version of an entry of a locked tournament, and move a first part to it.

    An entry that has left takes part again.
    """
    left = ""
    if entry.state != EntryState.ACTIVE:
        left = f"{entry.get_state_display()}: {entry.reason}"[:LONGEST_REASON]
        _let_return(tournament, entry)
    last = tournament.blocks.order_by("-number").values_list("number", flat=True).first() or 0
    opened = tournament.blocks.open().order_by("number").values_list("number", flat=True).first()
    replacement = Replacement.objects.create(
        tournament=tournament,
        number=tournament.replacements.count() + 1,
        entry=entry,
        old=entry.version,
        new=new,
        reason=reason,
        left=left,
        replaced_by=actor,
        made_blocks=last,
        # Void blocks may come before the first open one.
        checked_block=0 if left else last if opened is None else opened - 1,
        first_block=last + 1,
    )
    entry.version = new
    entry.save(update_fields=("version",))
    if Replacement.objects.unsettled().filter(tournament=tournament).count() == 1:
        _give_over_part(replacement.pk)
    replacement.refresh_from_db()
    return replacement


def carry_out_replacements(*, for_s: float = settings.STEP_S) -> int:
    """Carry out replacements for about `for_s` seconds; return how many parts were given over."""
    deadline = time.monotonic() + for_s
    parts = 0
    # In order, because each replacement takes the blocks that the one before has left.
    while (due := list(_next_replacements())) and time.monotonic() < deadline:
        given = len(list(_replacements.each(due, _give_over_part)))
        if not given:
            break
        parts += given
    return parts


def _next_replacements() -> Iterable[int]:
    """Return the first replacement of each tournament that has one to carry out."""
    first: dict[int, int] = {}
    unsettled = Replacement.objects.unsettled().values_list("tournament", "pk")
    for tournament, replacement in unsettled:
        first.setdefault(tournament, replacement)
    return first.values()


def void_unplayable() -> int:
    """Void some matches that wait for replaced versions which may no longer play."""
    waiting = Match.objects.filter(
        place__tournament=OuterRef("tournament"),
        state=MatchState.PENDING,
        seats__version=OuterRef("old"),
    )
    stuck = Replacement.objects.filter(
        Exists(waiting),
        ~Q(left="") | out_of_play("old", lane="tournament"),
        is_settled=True,
        tournament__state__in=_PLAYED,
    )
    replacements = {each.pk: each for each in stuck.select_related("old__bot")}
    return len(list(_unplayable.each(replacements, lambda pk: _void_waiting(replacements[pk]))))


def _void_waiting(replacement: Replacement) -> None:
    theirs = _places(replacement).filter(match__state=MatchState.PENDING).order_by("index")
    ids = list(theirs.values_list("match", flat=True)[:MATCHES_AT_ONCE])
    reason = f"{replacement.old.label} was replaced and may no longer play."
    void_matches(matches=Match.objects.filter(pk__in=ids), reason=reason)


@transaction.atomic
def _give_over_part(replacement_id: int) -> None:
    """Look at the next open blocks of the old version; after the last, settle the replacement."""
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
    if replacement.left:
        _play_void_blocks(replacement, tournament, given)
    if numbers:
        replacement.checked_block = numbers[-1]
    if len(numbers) < most:
        _settle(replacement)
    replacement.save()


def _open_blocks(replacement: Replacement) -> list[int]:
    """Return the next blocks that have not been looked at and have a seat of the old version.

    Blocks without results are among them if the old version had left.
    """
    legs = _places(replacement).filter(block=OuterRef("number"))
    of_left = (BlockState.OPEN, BlockState.VOID, BlockState.PARTIAL)
    states = of_left if replacement.left else (BlockState.OPEN,)
    blocks = Block.objects.filter(
        Exists(legs),
        state__in=states,
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
    # A claim locks the match first, so none begins while its seats change.
    matches = Match.objects.filter(place__in=places).order_by("pk")
    states = {match.pk: match for match in matches.select_for_update(of=("self",))}
    blocks = dict(places.values_list("match", "block"))
    played_again = FormerLeg.objects.filter(place__in=places).values_list("place__block")
    begun = {block for (block,) in played_again} | {
        blocks[pk] for pk, match in states.items() if _has_begun(match, replacement)
    }
    given = {pk for pk in states if blocks[pk] not in begun}
    seats = MatchSeat.objects.filter(match__in=given, version=replacement.old_id)
    seats.update(version=replacement.new_id)
    # Workers that were told of the match may not be able to run the new version.
    Match.objects.filter(pk__in=given, sent_at__isnull=False).update(sent_at=None)
    return {blocks[pk] for pk in given}


def _has_begun(match: Match, replacement: Replacement) -> bool:
    # Waiting matches of an entry that has left were made void.
    unplayed = {MatchState.PENDING, MatchState.VOID} if replacement.left else {MatchState.PENDING}
    return match.attempts_made > 0 or match.state not in unplayed


def _play_void_blocks(
    replacement: Replacement, tournament: Tournament, numbers: Collection[int]
) -> None:
    """Restore those of these blocks that have no result only because the old one had left."""
    noted = noted_blocks(tournament) if reads_results(tournament) else set()
    places = TournamentMatch.objects.filter(tournament=tournament, block__in=numbers)
    gone = versions_out(tournament)
    stay = noted | set(
        places.filter(match__seats__version__in=gone).values_list("block", flat=True)
    )
    blocks = Block.objects.filter(tournament=tournament, number__in=set(numbers) - stay, order="")
    played = [
        block
        for block in blocks.select_for_update()
        # Blocks that the organiser has made void stay void.
        if block.ordered_by_id is None or block.reason.startswith(f"{replacement.old.label} was ")
    ]
    legs = places.filter(block__in=[block.number for block in played])
    void = legs.filter(match__state=MatchState.VOID)
    play_void_again(list(void.values_list("match", flat=True)))
    for block in played:
        block.state, block.result, block.replays = BlockState.OPEN, None, 0
        block.reason = f"{replacement.new.label} plays it: {replacement.old.label} had left."
    store_blocks(played)


def _let_return(tournament: Tournament, entry: Entry) -> None:
    """Bring an entry that has left back into a locked tournament."""
    entry.state, entry.reason, entry.left_at, entry.left_by = EntryState.ACTIVE, "", None, None
    # Matches that are not void yet are played by the new version, or made void with their block.
    entry.is_settled = True
    entry.save()
    tournament.results_version += 1
    tournament.is_fully_scheduled, tournament.places, tournament.remark = False, None, ""
    decided = ("results_version", "is_fully_scheduled", "places", "remark")
    tournament.save(update_fields=decided)


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
