"""Reads the blocks made so far, as formats need them, from the rows."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter
from types import MappingProxyType
from typing import Final, overload

from pentathlon.matches.models import MatchSeat, MatchState
from pentathlon.tournaments.batches import Batch, BlockState
from pentathlon.tournaments.guards import reading
from pentathlon.tournaments.models import EntryState, Tournament
from pentathlon.tournaments.scheduling.blocks import BlockResult, numbers_of_versions, read_result
from pentathlon_engines.tournament.batches import History, Note, Ranks
from pentathlon_engines.tournament.departures import forfeit_ranks
from pentathlon_engines.tournament.formats.interface import Format, PlannedBlock, PlayedBlock

_READ_AT_ONCE: Final = 500
"""Blocks that are read together; formats that read no results look at the latest ones only."""

_NOBODY: Final = -1
"""The number of a version that has not entered, which a comparison of schedules then reports."""

Results = dict[int, Ranks | None]


class MadeBlocks(Sequence[PlayedBlock]):
    """The first blocks of a tournament, without results, read only when looked at."""

    def __init__(self, tournament: Tournament, stored: int) -> None:
        self._tournament = tournament
        self._stored = stored
        self._added: list[PlayedBlock] = []
        self._parts: dict[int, list[PlayedBlock]] = {}

    def __len__(self) -> int:
        return self._stored + len(self._added)

    def extend(self, blocks: Iterable[PlayedBlock]) -> None:
        """Append blocks that are not stored yet."""
        self._added += blocks

    @overload
    def __getitem__(self, place: int) -> PlayedBlock: ...
    @overload
    def __getitem__(self, place: slice) -> list[PlayedBlock]: ...

    def __getitem__(self, place: int | slice) -> PlayedBlock | list[PlayedBlock]:
        if isinstance(place, slice):
            return [self[each] for each in range(*place.indices(len(self)))]
        at = range(len(self))[place]
        if at >= self._stored:
            return self._added[at - self._stored]
        number, within = divmod(at, _READ_AT_ONCE)
        if number not in self._parts:
            first = number * _READ_AT_ONCE + 1
            last = min(first + _READ_AT_ONCE - 1, self._stored)
            self._parts[number] = _read_blocks(self._tournament, first, last)
        return self._parts[number][within]


@dataclass(slots=True, kw_only=True)
class FormatInput:
    """The input of a format for its next step."""

    left: tuple[int, ...]
    ever_left: frozenset[int]
    """The entries that had left when earlier batches were made."""
    played: MadeBlocks | list[PlayedBlock]

    def add(self, blocks: Iterable[PlannedBlock]) -> None:
        """Append the blocks of a batch that is not stored yet; nobody has left since."""
        self.played.extend(PlayedBlock(block.round, block.seatings, None) for block in blocks)


def read_input(tournament: Tournament, scheduling: Format, made: int) -> tuple[Note, FormatInput]:
    """Return the changes since the latest batch, and the present input of the format.

    For pairings, a noted result stays as it is, whatever becomes of its matches.
    """
    gone = tournament.entries.scheduled().exclude(state=EntryState.ACTIVE)
    left = tuple(
        number or 0 for number in gone.order_by("number").values_list("number", flat=True)
    )
    notes = _read_notes(tournament)
    ever_left = _ever_left(notes)
    if not scheduling.reads_results:
        blocks = MadeBlocks(tournament, made)
        return Note(left=left), FormatInput(left=left, ever_left=ever_left, played=blocks)
    known = _joined(notes)
    rows = tournament.blocks.exclude(state=BlockState.OPEN).values_list("number", "result")
    with reading(tournament, "the result of a block"):
        found = {pk: read_result(result) for pk, result in rows if pk not in known.results}
    repeats = _find_repeats(tournament, set(found)) if scheduling.reads_repeats else {}
    note = Note(
        left=left,
        results={number: each and each.ranks for number, each in found.items()},
        forfeits={
            number: each.forfeits for number, each in found.items() if each and each.forfeits
        },
        repeats=repeats,
    )
    everything = _joined({0: note, 1: known})._replace(left=left)
    played = _with_results(_read_blocks(tournament, 1, made, notes), everything)
    return note, FormatInput(left=left, ever_left=ever_left, played=played)


def read_input_of(tournament: Tournament, batch: Batch, scheduling: Format) -> FormatInput:
    """Return the input of the format for a batch."""
    made = batch.first_block - 1
    notes = _read_notes(tournament, until=batch.number)
    known, ever_left = _joined(notes), _ever_left(notes)
    if not scheduling.reads_results:
        blocks = MadeBlocks(tournament, made)
        return FormatInput(left=known.left, ever_left=ever_left, played=blocks)
    played = _with_results(_read_blocks(tournament, 1, made, notes), known)
    return FormatInput(left=known.left, ever_left=ever_left, played=played)


def read_played(tournament: Tournament, *, of: Collection[int] | None = None) -> list[PlayedBlock]:
    """Return the blocks with the results that count in the table, as far as they are known.

    With `of`, only blocks of these entries and those cut short. Where the results of an entry were
    taken back with its disqualification, it has forfeited its blocks.
    """
    rows = tournament.blocks.order_by("number").values_list("number", "state", "result")
    stored = {number: (state, result) for number, state, result in rows}
    numbers = sorted(stored if of is None else _blocks_of(tournament, of))
    revoked = tournament.entries.scheduled().filter(revokes_results=True)
    taken_back = {number or 0 for number in revoked.values_list("number", flat=True)}
    is_open = {number for number in numbers if stored[number][0] == BlockState.OPEN}
    parts = _read_part(tournament, is_open)
    only = None if of is None else numbers
    blocks = _read_blocks(tournament, 1, len(stored), _read_notes(tournament), only=only)
    played = []
    for number, block in zip(numbers, blocks, strict=True):
        state, result = stored[number]
        if state != BlockState.VOID and taken_back.intersection(block.seatings[0]):
            played.append(_forfeited(block, taken_back))
        elif number in is_open:
            played.append(block._replace(ranks=parts[number]))
        else:
            with reading(tournament, "the result of a block"):
                played.append(_with_result(block, read_result(result)))
    return played


def _forfeited(block: PlayedBlock, left: Collection[int]) -> PlayedBlock:
    ranks = tuple(forfeit_ranks(seating, left) for seating in block.seatings)
    return block._replace(ranks=ranks, forfeits=tuple(range(len(ranks))))


def _with_result(block: PlayedBlock, result: BlockResult | None) -> PlayedBlock:
    if result is None:
        return block._replace(ranks=(None,) * len(block.seatings))
    return block._replace(ranks=result.ranks, forfeits=result.forfeits)


def _blocks_of(tournament: Tournament, entries: Collection[int]) -> set[int]:
    """Return the blocks of some entries, and all that were cut short."""
    numbers = numbers_of_versions(tournament)
    versions = [version for version, number in numbers.items() if number in entries]
    theirs = tournament.tournament_matches.filter(match__seats__version__in=versions)
    partial = tournament.blocks.filter(state=BlockState.PARTIAL)
    return {*theirs.values_list("block", flat=True), *partial.values_list("number", flat=True)}


def _read_part(
    tournament: Tournament, blocks: Collection[int]
) -> dict[int, tuple[tuple[int, ...] | None, ...]]:
    """Return the ranks of open blocks, leg by leg; None for legs without a result so far."""
    seats = MatchSeat.objects.filter(
        match__place__tournament=tournament, match__place__block__in=blocks
    )
    facts = ("match__place__block", "match__place__index", "match__state", "match__is_revoked")
    rows = seats.order_by("match__place__index", "seat").values_list(*facts, "rank")
    legs: dict[int, list[tuple[int, ...] | None]] = {}
    for (block, _, state, is_revoked), part in groupby(rows, key=itemgetter(0, 1, 2, 3)):
        ranks = tuple(rank or 0 for *_, rank in part)
        is_played = state == MatchState.DONE and not is_revoked
        legs.setdefault(block, []).append(ranks if is_played else None)
    return {block: tuple(ranks) for block, ranks in legs.items()}


def noted_blocks(tournament: Tournament) -> set[int]:
    """Return the blocks whose results, or lack of them, have decided later blocks."""
    return set(_joined(_read_notes(tournament)).results)


def _read_notes(tournament: Tournament, *, until: int | None = None) -> dict[int, Note]:
    """Return the note of each batch, by the number of its first block; one query."""
    batches = tournament.batches.filter(input__isnull=False).order_by("number")
    batches = batches if until is None else batches.filter(number__lte=until)
    rows = batches.values_list("first_block", "input")
    with reading(tournament, "a batch of the schedule"):
        return {first: Note.from_json(noted or {}) for first, noted in rows}


def _ever_left(notes: Mapping[int, Note]) -> frozenset[int]:
    return frozenset(number for note in notes.values() for number in note.left)


def _joined(notes: Mapping[int, Note]) -> Note:
    """Return all notes joined into one."""
    left: tuple[int, ...] = ()
    results: Results = {}
    forfeits: dict[int, tuple[int, ...]] = {}
    repeats: dict[int, tuple[int, ...]] = {}
    for note in notes.values():
        left = note.left
        results |= note.results
        forfeits |= note.forfeits
        repeats |= note.repeats
    return Note(left, results, forfeits, repeats)


def _find_repeats(tournament: Tournament, blocks: Collection[int]) -> dict[int, tuple[int, ...]]:
    """Return which matches of these blocks exactly repeat earlier ones, in schedule order.

    An entry whose version was replaced stays the same player, as in the final table.
    """
    numbers = numbers_of_versions(tournament)
    seats = MatchSeat.objects.filter(
        match__place__tournament=tournament, match__state=MatchState.DONE
    ).exclude(match__course="")
    rows = seats.order_by("match__place__index", "seat").values_list(
        "match__place__block", "match__place__leg", "match__course", "version"
    )
    seen: set[tuple[str, ...]] = set()
    repeats: dict[int, tuple[int, ...]] = {}
    for (block, leg, course), seated in groupby(rows.iterator(), key=itemgetter(0, 1, 2)):
        match = (course, *(str(numbers[row[3]]) for row in seated))
        if match in seen and block in blocks and leg is not None:
            repeats[block] = (*repeats.get(block, ()), leg - 1)
        seen.add(match)
    return repeats


def _with_results(blocks: list[PlayedBlock], note: Note) -> list[PlayedBlock]:
    history = History(blocks)
    history.take(note)
    return history.blocks


def _read_blocks(
    tournament: Tournament,
    first: int,
    last: int,
    notes: Mapping[int, Note] = MappingProxyType({}),
    *,
    only: Collection[int] | None = None,
) -> list[PlayedBlock]:
    """Return blocks by their numbers, without results; one query.

    The entries that had left when they were made follow from `notes`.
    """
    numbers = numbers_of_versions(tournament)
    seats = MatchSeat.objects.filter(
        match__place__tournament=tournament, match__place__block__range=(first, last)
    )
    if only is not None:
        seats = seats.filter(match__place__block__in=only)
    rows = seats.order_by("match__place__index", "seat").values_list(
        "match__place__block", "match__place__round", "match__place__index", "version"
    )
    blocks = []
    starts = sorted(notes)
    for (number, round_number), block in groupby(rows, key=itemgetter(0, 1)):
        legs = groupby(block, key=itemgetter(2))
        seatings = tuple(tuple(numbers.get(row[3], _NOBODY) for row in leg) for _, leg in legs)
        noted = bisect_right(starts, number)
        left = notes[starts[noted - 1]].left if noted else ()
        blocks.append(PlayedBlock(round_number, seatings, None, left=left))
    return blocks
