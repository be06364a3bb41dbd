"""Settles blocks whose matches have ended.

Void and left are two things. A void leg is our fault: it is queued again with its seed and place,
up to `MOST_REPLAYS` times a block. After that the block is void, and its results count nowhere.

A block that cannot be completed because a bot has left is cut short: what was played stands, here
and on leaderboards, and the missing legs are forfeits, which the law of the document judges (see
`pentathlon_engines.tournament.departures`). On a ladder they are worth nothing.
"""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from typing import Any, Final, NamedTuple

from django.conf import settings
from django.db import transaction

from pentathlon.bots.models import OUT_OF_PLAY
from pentathlon.core.statements import Update, store_rows
from pentathlon.matches.hidden_lanes import NEVER_REPEATED, is_repeated
from pentathlon.matches.models import Match, MatchSeat, MatchState
from pentathlon.matches.services import requeue_void_matches
from pentathlon.ratings.models import LedgerRow, LedgerState
from pentathlon.ratings.services import await_results, revoke_results
from pentathlon.tournaments.batches import LONGEST_REASON, Block, BlockState
from pentathlon.tournaments.guards import TournamentSteps
from pentathlon.tournaments.models import (
    Entry,
    EntryState,
    Tournament,
    TournamentMatch,
    TournamentState,
)
from pentathlon_engines.tournament.batches import Ranks
from pentathlon_engines.tournament.departures import forfeit_ranks

Json = Any
MOST_REPLAYS: Final = 2
"""How often a block may be played again because the platform failed to play one of its legs."""
_AT_ONCE: Final = 300
"""Legs that one transaction looks at."""
_UNENDED: Final = (MatchState.PENDING, MatchState.RUNNING)
_SETTLED_BROKEN: Final = (BlockState.VOID, BlockState.PARTIAL)
_MARK_DUE: Final = Update(
    lambda ids: (TournamentMatch.objects.filter(match__pk__in=ids), {"is_due": True})
)
_blocks = TournamentSteps("blocks of tournament", told="Its results cannot be counted.")


def numbers_of_versions(tournament: Tournament) -> dict[int, int]:
    """Return the number of the entry for which each version plays or has played; one query."""
    former = tournament.replacements.values_list("old", "entry__number")
    entries = tournament.entries.scheduled().values_list("version", "number")
    return {version: number or 0 for version, number in former.union(entries)}


def successors(tournament: Tournament) -> dict[int, int]:
    """Return for each replaced version the one that plays in its place now."""
    rows = tournament.replacements.values_list("old", "entry__version")
    return {old: now for old, now in rows if old != now}


def versions_of(entry: Entry) -> set[int]:
    """Return all versions that play or have played for an entry."""
    return {entry.version_id, *entry.replacements.values_list("old", flat=True)}


def versions_out(tournament: Tournament) -> set[int]:
    """Return the versions that play no more: their entry has left, or they may not play at all.

    A replaced version is not among them while it finishes the blocks that it has begun, unless its
    entry had left before another version took its place.
    """
    left = tournament.entries.exclude(state=EntryState.ACTIVE).values_list("version", flat=True)
    facts = ("entry", "entry__state", "old", "old__state", "left")
    out, former = set(left), defaultdict[int, set[int]](set)
    gone = NEVER_REPEATED if is_repeated(tournament.pk) else OUT_OF_PLAY
    rows = tournament.replacements.order_by("number").values_list(*facts)
    for entry, state, old, old_state, why_left in rows:
        former[entry].add(old)
        if state != EntryState.ACTIVE or old_state in gone:
            out.add(old)
        if why_left:
            out |= former[entry]
    return out


class BlockResult(NamedTuple):
    """The result of a block, complete or cut short because a bot has left."""

    ranks: Ranks
    """The rank of each seat, leg by leg, those of forfeited legs included."""
    forfeits: tuple[int, ...] = ()
    """The legs, from 0, that were not played because a bot had left."""

    def to_json(self) -> Json:
        """Return the result as the row of its block keeps it."""
        ranks = [list(each) for each in self.ranks]
        return {"ranks": ranks, "forfeits": list(self.forfeits)} if self.forfeits else ranks


class PlayedLeg(NamedTuple):
    """A leg of a block that was cut short."""

    versions: Sequence[int]
    """The bot version in each seat."""
    ranks: Sequence[int] | None
    """None if it was not played, or its result was taken back."""


def read_result(stored: Json) -> BlockResult | None:
    """Return the result in the row of a block; None if it is void or not complete."""
    if stored is None:
        return None
    told = stored if isinstance(stored, dict) else {"ranks": stored, "forfeits": ()}
    return BlockResult(tuple(map(tuple, told["ranks"])), tuple(told["forfeits"]))


def cut_short(legs: Sequence[PlayedLeg], *, out: Collection[int]) -> BlockResult:
    """Return the result of a block in which the versions in `out` do not play on."""
    forfeits = tuple(number for number, leg in enumerate(legs) if leg.ranks is None)
    ranks = tuple(
        forfeit_ranks(leg.versions, out) if leg.ranks is None else tuple(leg.ranks) for leg in legs
    )
    return BlockResult(ranks, forfeits)


def mark_due(match_ids: Collection[int]) -> None:
    """Queue the blocks of matches that have just ended; call it where they end."""
    # Marks places, not blocks: two legs that end at the same time must not wait for each other.
    _MARK_DUE(sorted(match_ids))


def settle_blocks(*, for_s: float = settings.STEP_S) -> int:
    """Settle blocks for about `for_s` seconds; return how many legs were looked at."""
    deadline = time.monotonic() + for_s

    def settle(tournament_id: int) -> int:
        settled = 0
        while True:
            count = _settle_part(tournament_id)
            settled += count
            if count < _AT_ONCE or time.monotonic() > deadline:
                return settled

    settled = 0
    due = TournamentMatch.objects.filter(is_due=True).order_by()
    tournaments = sorted(set(due.values_list("tournament", flat=True)[:_AT_ONCE]))
    for count in _blocks.each(tournaments, settle):
        settled += count
        if time.monotonic() > deadline:
            break
    return settled


@transaction.atomic
def _settle_part(tournament_id: int) -> int:
    """Settle the blocks of some due legs; return how many legs, 0 if none is left for now."""
    unlocked = Tournament.objects.select_for_update(skip_locked=True)
    tournament = unlocked.filter(pk=tournament_id).first()
    if tournament is None:
        return 0
    due = tournament.tournament_matches.filter(is_due=True).order_by("pk")
    places = dict(due.values_list("pk", "block")[:_AT_ONCE])
    blocks = {
        block.number: block
        for block in tournament.blocks.select_for_update().filter(number__in=places.values())
    }
    waiting = _Settling(tournament, blocks).settle()
    looked_at = {pk for pk, number in places.items() if number not in waiting}
    TournamentMatch.objects.filter(pk__in=looked_at).update(is_due=False)
    return len(looked_at)


class _Settling:
    """Settles some blocks of one locked tournament."""

    def __init__(self, tournament: Tournament, blocks: dict[int, Block]) -> None:
        self._tournament = tournament
        self._is_ladder = tournament.is_ladder
        self._blocks = blocks
        self._legs: dict[int, list[Match]] = defaultdict(list)
        places = tournament.tournament_matches.filter(block__in=blocks)
        for place in places.select_related("match").order_by("index"):
            self._legs[place.block].append(place.match)

    def settle(self) -> set[int]:
        """Settle the blocks; return the numbers of those whose results have yet to be applied."""
        complete: list[Block] = []
        broken: list[Block] = []
        for number, legs in self._legs.items():
            states = {leg.state for leg in legs}
            if self._blocks[number].order or states.intersection(_UNENDED):
                continue
            is_whole = states == {MatchState.DONE} and not any(leg.is_revoked for leg in legs)
            (complete if is_whole else broken).append(self._blocks[number])
        self._complete(complete)
        gone = self._blocks_of_gone(broken)
        waiting = set()
        for block in broken:
            # Who leaves later changes nothing in a block that was settled before.
            if block.state in _SETTLED_BROKEN and (
                not self._is_ladder or block.number not in gone
            ):
                continue
            if not self._mend(block, is_gone=block.number in gone):
                waiting.add(block.number)
        store_blocks([*complete, *broken])
        return waiting

    def _complete(self, blocks: Iterable[Block]) -> None:
        done = {block.number: block for block in blocks}
        ids = [leg.pk for number in done for leg in self._legs[number]]
        seats = MatchSeat.objects.filter(match__in=ids).order_by("seat")
        ranks: dict[int, list[int]] = defaultdict(list)
        for match_id, rank in seats.values_list("match", "rank"):
            ranks[match_id].append(rank or 0)
        for number, block in done.items():
            block.state, block.result = BlockState.COMPLETE, []
            block.result = [ranks[leg.pk] for leg in self._legs[number]]

    def _mend(self, block: Block, *, is_gone: bool) -> bool:
        """Queue void legs again, or make the block void; False if results are unapplied."""
        legs = self._legs[block.number]
        void = [leg for leg in legs if leg.state == MatchState.VOID]
        is_played_on = self._tournament.state in {TournamentState.RUNNING, TournamentState.PAUSED}
        if void and is_played_on and not is_gone and block.replays < MOST_REPLAYS:
            play_void_again([leg.pk for leg in void])
            block.replays += 1
            block.state, block.result = BlockState.OPEN, None
            return True
        reason = void[0].state_reason if void else "Its results were taken back."
        if is_gone and not self._is_ladder:
            result = cut_short(self._read_legs(legs), out=versions_out(self._tournament))
            block.state, block.result = BlockState.PARTIAL, result.to_json()
            block.reason = reason[:LONGEST_REASON]
            return True
        is_sound = not any(leg.is_revoked for leg in legs)
        if self._is_ladder and is_gone and is_sound and len(void) < len(legs):
            block.state, block.result = BlockState.PARTIAL, None
            block.reason = reason[:LONGEST_REASON]
            return True
        return make_void(self._tournament, block, legs, reason=reason)

    def _read_legs(self, legs: Sequence[Match]) -> list[PlayedLeg]:
        seats: dict[int, list[tuple[int, int | None]]] = defaultdict(list)
        rows = MatchSeat.objects.filter(match__in=[leg.pk for leg in legs]).order_by("seat")
        for match_id, version, rank in rows.values_list("match", "version", "rank"):
            seats[match_id].append((version, rank))
        return [
            PlayedLeg(
                versions=[version for version, _ in seats[leg.pk]],
                ranks=[rank or 0 for _, rank in seats[leg.pk]]
                if leg.state == MatchState.DONE and not leg.is_revoked
                else None,
            )
            for leg in legs
        ]

    def _blocks_of_gone(self, blocks: Iterable[Block]) -> set[int]:
        """Return which of these blocks have a bot that has left."""
        by_match = {leg.pk: block.number for block in blocks for leg in self._legs[block.number]}
        if self._is_ladder:  # a bot that its author took off a ladder still plays its pairings
            entries = self._tournament.entries.filter(version__state__in=OUT_OF_PLAY)
            out = set(entries.values_list("version", flat=True))
        else:
            out = versions_out(self._tournament)
        seats = MatchSeat.objects.filter(match__in=by_match, version__in=out)
        return {by_match[match] for match in seats.values_list("match", flat=True)}


def play_void_again(match_ids: Collection[int]) -> None:
    """Queue void matches again and await their results, in the locked tournament."""
    await_results(match_ids=match_ids)
    requeue_void_matches(match_ids=match_ids)


def store_blocks(blocks: Iterable[Block]) -> None:
    """Store the changes of locked blocks."""
    store_rows(blocks, unique=("id",), update=("state", "reason", "result", "replays", "order"))


def make_void(tournament: Tournament, block: Block, legs: Sequence[Match], *, reason: str) -> bool:
    """Make an ended block of a locked tournament void; the caller stores it.

    Return False, and change nothing, while results of the block have yet to be applied.
    """
    played = {leg.pk for leg in legs if leg.state == MatchState.DONE and not leg.is_revoked}
    if not take_back(tournament, played):
        return False
    block.state, block.result = BlockState.VOID, None
    block.reason = reason[:LONGEST_REASON]
    return True


def take_back(tournament: Tournament, match_ids: Collection[int]) -> bool:
    """Take back the results of played matches; False if some have yet to be applied."""
    if not match_ids:
        return True
    unapplied = LedgerRow.objects.filter(
        match__in=match_ids, state__in=(LedgerState.WAITING, LedgerState.READY)
    )
    # The ledger counts a result on applying it; one that is taken back before would never count.
    if unapplied.exists():
        return False
    Match.objects.filter(pk__in=match_ids).update(is_revoked=True)
    revoke_results(match_ids=match_ids)
    tournament.results_version += 1
    tournament.save(update_fields=("results_version",))
    return True
