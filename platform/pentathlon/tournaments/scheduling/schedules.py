"""Makes schedules batch by batch, each stored in parts of at most about a thousand rows.

A batch follows from the document, the event key and the note that is stored with it; so whoever
goes on after a crash makes the same blocks again, and continues behind those that are stored. A
part consists of whole blocks; if no result decides anything, it has all batches that fit into it.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import chain, islice
from types import MappingProxyType
from typing import Final

from django.conf import settings
from django.db import transaction

from pentathlon.core.statements import store_rows
from pentathlon.matches.models import MatchKind, MatchState
from pentathlon.matches.services import schedule_matches
from pentathlon.matches.specs import MatchSpec
from pentathlon.ratings.models import Pool
from pentathlon.ratings.services import enter_matches, open_live_pool
from pentathlon.tournaments.batches import Batch, Block
from pentathlon.tournaments.documents.document import document, event_key
from pentathlon.tournaments.guards import TournamentSteps, Unreadable
from pentathlon.tournaments.models import EntryState, Tournament, TournamentMatch, TournamentState
from pentathlon.tournaments.scheduling.history import FormatInput, read_input, read_input_of
from pentathlon_engines.tournament.batches import Note, next_step, pairings_of
from pentathlon_engines.tournament.document import TournamentDocument
from pentathlon_engines.tournament.formats.interface import Batch as PlannedBatch
from pentathlon_engines.tournament.formats.interface import Over, PlannedBlock, Step
from pentathlon_engines.tournament.schedule import Pairing

ROWS_AT_ONCE: Final = 1000
"""The most rows that one transaction adds, because other writers wait for it."""
_ADOPTED_AT_ONCE: Final = 150
_MOST_BEGUN: Final = 4
"""How many batches are kept from one part to the next; each may have 100,000 blocks."""
_MADE_IN: Final = (TournamentState.RUNNING, TournamentState.PAUSED)
_ENDED: Final = (MatchState.DONE, MatchState.VOID)
_schedules = TournamentSteps("schedule of tournament", told="Its next matches cannot be made.")

Blocks = tuple[PlannedBlock, ...]
Begun = tuple[Batch, Blocks]
"""A batch with all its blocks, some of which may be stored."""


class BatchDiffers(Unreadable):
    """A batch that was begun cannot be made again: the format of this release makes another."""


def matches_at_once(tournament: Tournament) -> int:
    """Return how many matches of a tournament one transaction may make."""
    pools = 2 if tournament.rated else 1
    # One row for the match, one for its place, and at most one for its block.
    rows_of_a_match = 3 + tournament.table_seats + pools
    return ROWS_AT_ONCE // rows_of_a_match


def make_schedules(*, for_s: float = settings.STEP_S) -> int:
    """Extend incomplete schedules for about `for_s` seconds; return how many matches were made.

    Tournaments take turns, part by part, whichever has the fewest matches first.

    The reconciler calls it again and again: matches are played while others are still being made.
    A schedule that cannot be made holds up no other.
    """
    deadline = time.monotonic() + for_s
    made = 0
    unmade = Tournament.objects.filter(state__in=_MADE_IN, is_fully_scheduled=False)
    # Sorted by size, so that no tournament waits for its first matches behind a long schedule.
    turns = deque(unmade.order_by("scheduled", "pk").values_list("pk", flat=True))
    while turns:
        tournament_id = turns.popleft()
        extend = partial(extend_schedule, tournament_id=tournament_id)
        count = _schedules.run(tournament_id, extend)
        if count:
            made += count
            turns.append(tournament_id)
            if time.monotonic() > deadline:
                break
    return made


def extend_schedule(*, tournament_id: int) -> int:
    """Make the next matches of a schedule; return how many, 0 if none is due now."""
    tournament = Tournament.objects.get(pk=tournament_id)
    if tournament.is_fully_scheduled:
        return 0
    batch = tournament.batches.order_by("-number").first()
    if batch is None and tournament.scheduled:
        return _adopt_part(tournament)
    newest = tournament.blocks.order_by("-number").values_list("number", flat=True).first() or 0
    if batch is None or newest == batch.last_block:
        return _begin_batches(tournament, batch, newest)
    if batch.input is None:
        return _adopt_part(tournament)
    number, blocks = _begun.get(tournament.pk, (0, ()))
    if number != batch.number:
        blocks = make_again(tournament, batch)
    return _store_part(tournament, [(batch, blocks)], after=newest)


def make_again(tournament: Tournament, batch: Batch) -> Blocks:
    """Return the blocks of a batch, made again from its note.

    Raises:
        BatchDiffers: the batch would have another number of blocks today.
    """
    planned = document(tournament)
    told = read_input_of(tournament, batch, planned.scheduling)
    step = _next_step(tournament, planned, told)
    length = batch.last_block - batch.first_block + 1
    blocks = step.blocks if isinstance(step, PlannedBatch) else ()
    if len(blocks) != length:
        raise BatchDiffers(f"{batch} had {length} blocks and would have {len(blocks)} today")
    return blocks


def _next_step(tournament: Tournament, planned: TournamentDocument, told: FormatInput) -> Step:
    return next_step(
        planned,
        key=event_key(tournament),
        left=told.left,
        ever_left=told.ever_left,
        played=told.played,
    )


def _begin_batches(tournament: Tournament, before: Batch | None, made: int) -> int:
    """Ask the format for its next step, and begin the batch or note the end.

    If the format reads no results, begin all further batches that fit into the same part.
    """
    planned = document(tournament)
    if planned.scheduling.reads_results and tournament.blocks.open().exists():
        return 0
    # Drawing takes a while if tables are large, so it happens outside of the transaction.
    note, told = read_input(tournament, planned.scheduling, made)
    begun: list[Begun] = []
    room = matches_at_once(tournament)
    while isinstance(step := _next_step(tournament, planned, told), PlannedBatch):
        room -= sum(len(block.seatings) for block in step.blocks)
        if begun and room < 0:
            break
        batch = Batch(
            tournament=tournament,
            number=before.number + 1 if before else 1,
            input=note.to_json(),
            input_digest=note.digest(before.input_digest if before else ""),
            first_block=len(told.played) + 1,
            last_block=len(told.played) + len(step.blocks),
        )
        begun.append((batch, step.blocks))
        if planned.scheduling.reads_results or room < 0:
            break
        before, note = batch, Note(left=note.left)
        told.add(step.blocks)
    end = step if isinstance(step, Over) else None
    if begun:
        return _store_part(tournament, begun, after=made, end=end)
    if end:
        _note_end(tournament, end)
    return 0


def _store_part(
    tournament: Tournament, begun: Sequence[Begun], *, after: int, end: Over | None = None
) -> int:
    """Store the blocks of begun batches behind block number `after`, as many as one part holds.

    Several batches are stored only if all of them fit. `end` follows right behind the last.
    """
    first = begun[0][0]
    blocks_of_all = chain.from_iterable(blocks for _, blocks in begun)
    due = islice(blocks_of_all, after + 1 - first.first_block, None)
    part = pairings_of(
        _as_many(due, most=matches_at_once(tournament)),
        first_block=after + 1,
        first_index=tournament.scheduled + 1,
        key=event_key(tournament),
    )
    made = part[-1].block
    entries = tournament.entries.scheduled()
    with transaction.atomic():
        locked = _lock(tournament)
        if locked is None:
            return 0
        if not first.pk and locked.results_version != tournament.results_version:
            return 0  # somebody has left or returned since the format was asked
        # Read under the lock, because a version may have been replaced meanwhile.
        versions = dict(entries.order_by("number").values_list("number", "version"))
        if not first.pk:
            Batch.objects.bulk_create(batch for batch, _ in begun)
        store_matches(
            [batch for batch, _ in begun],
            part,
            versions,
            kind=MatchKind.TOURNAMENT,
            pools=pools_of(locked),
        )
        # Entries that left while the schedule was being made have new matches to be called off.
        entries.exclude(state=EntryState.ACTIVE).update(is_settled=False)
        locked.scheduled += len(part)
        locked.planned = max(locked.planned, locked.scheduled)
        decided = _take_end(locked, end) if end else ()
        locked.save(update_fields=("scheduled", "planned", *decided))
    _begun.pop(tournament.pk, None)
    last, blocks = begun[-1]
    if made < last.last_block:
        while len(_begun) >= _MOST_BEGUN:
            del _begun[next(iter(_begun))]
        _begun[tournament.pk] = (last.number, blocks)
    return len(part)


_begun: Final[dict[int, tuple[int, Blocks]]] = {}
"""The batch that is being stored, by tournament: its number and blocks; the latest comes last."""


def _lock(tournament: Tournament) -> Tournament | None:
    """Lock a tournament with the schedule as it was read; None if another process goes on."""
    unlocked = Tournament.objects.select_for_update(skip_locked=True)
    same = unlocked.filter(scheduled=tournament.scheduled, is_fully_scheduled=False)
    return same.filter(pk=tournament.pk, state__in=_MADE_IN).first()


def _as_many(blocks: Iterable[PlannedBlock], *, most: int) -> Iterator[PlannedBlock]:
    """Yield the first blocks, with at most so many matches but at least one block."""
    taken = 0
    for block in blocks:
        taken += len(block.seatings)
        if taken > most and taken > len(block.seatings):
            return
        yield block


@transaction.atomic
def _note_end(tournament: Tournament, end: Over) -> None:
    """Note that nothing is left to schedule, and the places if the format decides them."""
    locked = _lock(tournament)
    if locked is None or locked.results_version != tournament.results_version:
        return
    locked.save(update_fields=_take_end(locked, end))


def _take_end(tournament: Tournament, end: Over) -> tuple[str, ...]:
    """Set the fields that follow from the end of a schedule; return their names."""
    tournament.is_fully_scheduled = True
    tournament.planned, tournament.fewest, tournament.most = tournament.scheduled, None, None
    tournament.places = None if end.places is None else [list(place) for place in end.places]
    tournament.remark = end.remark
    return ("is_fully_scheduled", "planned", "fewest", "most", "places", "remark")


def store_matches(
    batches: Sequence[Batch],
    pairings: Sequence[Pairing],
    versions: Mapping[int | None, int],
    *,
    kind: MatchKind,
    pools: Iterable[Pool],
    newcomers: Mapping[int, int] = MappingProxyType({}),
) -> None:
    """Store whole blocks of stored batches, their matches, places and rows of pools.

    `versions` has the bot version of each entry by its number, `newcomers` the author for whose
    new version a block is played, by its number.
    """
    tournament = batches[0].tournament
    rounds = {pairing.block: pairing.round for pairing in pairings}
    store_rows(
        Block(tournament=tournament, number=number, batch=batch, round=rounds[number])
        for batch in batches
        for number in rounds
        if batch.first_block <= number <= batch.last_block
    )
    matches = schedule_matches(
        MatchSpec(
            kind=kind,
            game=tournament.game,
            seating=tuple(versions[number] for number in pairing.seating),
            seed=pairing.seed,
            alias=pairing.alias,
            options=tournament.options,
            limits=tournament.limits,
            rated=tournament.rated,
            lane=tournament.pk,
            newcomer_of=newcomers.get(pairing.block),
        )
        for pairing in pairings
    )
    firsts = {pairing.block: pairing.index for pairing in reversed(pairings)}
    store_rows(
        TournamentMatch(
            tournament=tournament,
            match=match,
            round=pairing.round,
            block=pairing.block,
            leg=pairing.index - firsts[pairing.block] + 1,
            index=pairing.index,
        )
        for match, pairing in zip(matches, pairings, strict=True)
    )
    for pool in pools:
        enter_matches(pool=pool, matches=matches)


def pools_of(tournament: Tournament) -> Iterator[Pool]:
    """Yield the pools that the matches of a started tournament count in."""
    if tournament.pool is not None:
        yield tournament.pool
    if tournament.rated:
        yield open_live_pool(
            game=tournament.game,
            options=tournament.options,
            seats=tournament.table_seats,
            limits=tournament.limits,
        )


@transaction.atomic
def _adopt_part(tournament: Tournament) -> int:
    """Store rows for blocks that were made before blocks had rows, some at a time."""
    locked = _lock(tournament)
    if locked is None:
        return 0
    places = TournamentMatch.objects.filter(tournament=locked)
    last = places.order_by("-block").values_list("block", flat=True)[0]
    batch, _ = Batch.objects.get_or_create(
        tournament=locked, number=1, defaults={"first_block": 1, "last_block": last}
    )
    known = locked.blocks.order_by("-number").values_list("number", flat=True).first() or 0
    part = places.filter(block__gt=known, block__lte=known + _ADOPTED_AT_ONCE)
    adopted = list(part.select_related("match").order_by("index"))
    rounds = {place.block: place.round for place in adopted}
    store_rows(
        Block(tournament=locked, number=number, batch=batch, round=rounds[number])
        for number in rounds
    )
    firsts = {place.block: place.index for place in reversed(adopted)}
    for place in adopted:
        place.leg = place.index - firsts[place.block] + 1
        place.is_due = place.match.state in _ENDED
    store_rows(adopted, unique=("id",), update=("leg", "is_due"))
    return len(adopted)
