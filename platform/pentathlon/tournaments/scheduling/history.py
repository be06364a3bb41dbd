"""Reads the blocks made so far, as formats need them, from the rows."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter
from types import MappingProxyType
from typing import Final, overload

from django.db.models import Min

from pentathlon.matches.models import MatchSeat, MatchState
from pentathlon.tournaments.batches import Batch, BlockState
from pentathlon.tournaments.models import EntryState, Tournament
from pentathlon.tournaments.scheduling.lineups import numbers_of_versions
from pentathlon_engines.tournament.batches import History, Note, Ranks
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
    now = {number: _ranks(result) for number, result in rows if number not in known.results}
    repeats = _find_repeats(tournament, set(now)) if scheduling.reads_repeats else {}
    note = Note(left=left, results=now, repeats=repeats)
    everything = Note(left, {**now, **known.results}, {**repeats, **known.repeats})
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


def read_rounds(tournament: Tournament) -> list[PlayedBlock]:
    """Return the players of each round, as one block without results; three queries."""
    numbers, notes = numbers_of_versions(tournament), _read_notes(tournament)
    seats = MatchSeat.objects.filter(match__place__tournament=tournament)
    seated = seats.values_list("match__place__round", "version")
    rows = seated.annotate(block=Min("match__place__block")).order_by("match__place__round")
    rounds = []
    for number, group in groupby(rows, key=itemgetter(0)):
        bots = list(group)
        first = min(block for *_, block in bots)
        noted = max((each for each in notes if each <= first), default=None)
        left = () if noted is None else notes[noted].left
        players = tuple(numbers.get(version, _NOBODY) for _, version, _ in bots)
        rounds.append(PlayedBlock(number, (players,), None, left=left))
    return rounds


def noted_blocks(tournament: Tournament) -> set[int]:
    """Return the blocks whose results, or lack of them, have decided later blocks."""
    return set(_joined(_read_notes(tournament)).results)


def _read_notes(tournament: Tournament, *, until: int | None = None) -> dict[int, Note]:
    """Return the note of each batch, by the number of its first block; one query."""
    batches = tournament.batches.filter(input__isnull=False).order_by("number")
    batches = batches if until is None else batches.filter(number__lte=until)
    rows = batches.values_list("first_block", "input")
    return {first: Note.from_json(noted or {}) for first, noted in rows}


def _ever_left(notes: Mapping[int, Note]) -> frozenset[int]:
    return frozenset(number for note in notes.values() for number in note.left)


def _joined(notes: Mapping[int, Note]) -> Note:
    """Return all notes joined into one."""
    left: tuple[int, ...] = ()
    results: Results = {}
    repeats: dict[int, tuple[int, ...]] = {}
    for note in notes.values():
        left = note.left
        results |= note.results
        repeats |= note.repeats
    return Note(left, results, repeats)


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


def _ranks(result: list[list[int]] | None) -> Ranks | None:
    return None if result is None else tuple(map(tuple, result))


def _with_results(blocks: list[PlayedBlock], note: Note) -> list[PlayedBlock]:
    history = History(blocks)
    history.take(note)
    return history.blocks


def _read_blocks(
    tournament: Tournament, first: int, last: int, notes: Mapping[int, Note] = MappingProxyType({})
) -> list[PlayedBlock]:
    """Return blocks by their numbers, without results; one query.

    The entries that had left when they were made follow from `notes`.
    """
    numbers = numbers_of_versions(tournament)
    seats = MatchSeat.objects.filter(
        match__place__tournament=tournament, match__place__block__range=(first, last)
    )
    rows = seats.order_by("match__place__index", "seat").values_list(
        "match__place__block", "match__place__round", "match__place__index", "version"
    )
    blocks = []
    left: tuple[int, ...] = ()
    for (number, round_number), block in groupby(rows, key=itemgetter(0, 1)):
        legs = groupby(block, key=itemgetter(2))
        seatings = tuple(tuple(numbers.get(row[3], _NOBODY) for row in leg) for _, leg in legs)
        left = notes[number].left if number in notes else left
        blocks.append(PlayedBlock(round_number, seatings, None, left=left))
    return blocks
