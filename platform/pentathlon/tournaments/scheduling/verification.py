"""Compares stored schedules with those that follow from documents, secrets and results."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Final

from pentathlon.matches.models import MatchSeat, MatchState
from pentathlon.tournaments.batches import BlockState, FormerLeg
from pentathlon.tournaments.documents.document import document, document_json, event_key
from pentathlon.tournaments.guards import reading
from pentathlon.tournaments.models import Tournament
from pentathlon.tournaments.scheduling.blocks import numbers_of_versions, read_result
from pentathlon.tournaments.scheduling.schedules import BatchDiffers, make_again
from pentathlon_engines.tournament.batches import (
    LadderHistory,
    LadderNote,
    Note,
    draw_schedule,
    pairings_of,
)
from pentathlon_engines.tournament.formats.interface import PlannedBlock
from pentathlon_engines.tournament.proof_schedule import Lineup, find_problems
from pentathlon_engines.tournament.schedule import Pairing

_AT_ONCE: Final = 200
"""Batches that are read together."""


def schedule_differences(tournament: Tournament) -> Iterator[str]:
    """Yield how a tournament's schedule differs from the one that can be made again.

    It locks nothing. The stored schedule is read first, because it may grow meanwhile.

    Raises:
        Unreadable: it needs another release.
    """
    places = tournament.tournament_matches.order_by("index").values_list(
        "index", "round", "block", "match__seed", "match__alias", "match_id"
    )
    stored = {place[0]: place[1:] for place in places}
    seatings = read_seatings(tournament)
    last = max(stored, default=0)
    drawn: list[Pairing] = []
    draw_again = _draw_ladder_again if tournament.is_ladder else _draw_again
    yield from draw_again(tournament, drawn)
    for pairing in drawn:
        if pairing.index not in stored:
            if pairing.index < last:
                yield f"match {pairing.index} is missing"
            continue
        *facts, match_id = stored.pop(pairing.index)
        made = [pairing.round, pairing.block, pairing.seed, pairing.alias]
        if facts != made or seatings[match_id] != list(pairing.seating):
            yield (
                f"match {pairing.index} is {facts}, {seatings[match_id]}, "
                f"not {made}, {list(pairing.seating)}"
            )
    for index in sorted(stored):
        yield f"match {index} does not follow from the secret"
    yield from _wrong_results(tournament)
    yield from _wrong_replacements(tournament)


def _draw_again(tournament: Tournament, drawn: list[Pairing]) -> Iterator[str]:
    """Append all pairings that the batches give again; yield what is wrong with the batches."""
    key = event_key(tournament)
    batches = list(tournament.batches.order_by("number"))
    if not batches:
        drawn += draw_schedule(document(tournament), key=key)
    digest = ""
    for batch in batches:
        if batch.input is None:
            before = draw_schedule(document(tournament), key=key)
            drawn += [pairing for pairing in before if pairing.block <= batch.last_block]
            continue
        with reading(tournament, "a batch of the schedule"):
            digest = Note.from_json(batch.input).digest(digest)
        if digest != batch.input_digest:
            yield f"{batch}: its digest differs from that of its note"
            digest = batch.input_digest
        try:
            blocks: Sequence[PlannedBlock] = make_again(tournament, batch)
        except BatchDiffers as error:
            yield str(error)
            return
        drawn += pairings_of(
            blocks, first_block=batch.first_block, first_index=len(drawn) + 1, key=key
        )


def _draw_ladder_again(tournament: Tournament, drawn: list[Pairing]) -> Iterator[str]:
    """Append all pairings of a division again; yield what is wrong with its batches."""
    key, digest = event_key(tournament), ""
    history = LadderHistory(tournament.table_seats, key)
    for batch in tournament.batches.order_by("number").iterator(chunk_size=_AT_ONCE):
        with reading(tournament, "a batch of the schedule"):
            note = LadderNote.from_json(batch.input or {})
        digest = note.digest(digest)
        if digest != batch.input_digest:
            yield f"{batch}: its digest differs from that of its note"
            digest = batch.input_digest
        blocks = history.next_batch(note)
        if (batch.number, batch.last_block) != (history.batches, history.blocks):
            yield f"{batch} ends with block {batch.last_block}, not {history.blocks}"
            return
        drawn += pairings_of(
            blocks, first_block=batch.first_block, first_index=len(drawn) + 1, key=key
        )


def _wrong_results(tournament: Tournament) -> Iterator[str]:
    """Yield the blocks with a stored result that differs from that of their matches.

    Blocks with a rerun match are skipped, because pairings stay as the first result made them.
    """
    former = FormerLeg.objects.filter(place__tournament=tournament)
    replayed = set(former.values_list("place__block", flat=True))
    settled = tournament.blocks.filter(state__in=(BlockState.COMPLETE, BlockState.PARTIAL))
    rows_of_blocks = settled.exclude(number__in=replayed).values_list("number", "result")
    noted = {number: found for number, told in rows_of_blocks if (found := read_result(told))}
    seats = MatchSeat.objects.filter(
        match__place__tournament=tournament,
        match__place__block__in=noted,
        match__state=MatchState.DONE,
    )
    rows = seats.order_by("match__place__index", "seat").values_list(
        "match__place__block", "match__place__leg", "rank"
    )
    played: dict[int, dict[int, list[int | None]]] = defaultdict(lambda: defaultdict(list))
    for block, leg, rank in rows:
        played[block][(leg or 1) - 1].append(rank)
    for number, result in sorted(noted.items()):
        for leg, ranks in enumerate(result.ranks):
            if leg not in result.forfeits and list(ranks) != played[number][leg]:
                ends = list(played[number].values())
                yield f"block {number} counts as {result.to_json()}, its matches have {ends}"
                break


def _wrong_replacements(tournament: Tournament) -> Iterator[str]:
    """Yield differences between the versions in seats and those by document and replacements."""
    replaced = [each.stated() for each in tournament.replacements.in_order()]
    source = document_json(tournament)
    if not replaced or "entries" not in source:
        return
    entered = [entry["hash"] for entry in source["entries"]]
    numbers = numbers_of_versions(tournament)
    seats = MatchSeat.objects.filter(match__place__tournament=tournament)
    blocks: dict[int, dict[int, set[str]]] = defaultdict(lambda: defaultdict(set))
    facts = ("match__place__block", "version", "version__archive")
    for block, version, file in seats.order_by().values_list(*facts).distinct():
        blocks[block][numbers.get(version, -1)].add(file)
    yield from find_problems(entered, replaced, blocks=blocks)
    lineup = Lineup(entered, replaced)
    for entry in sorted({each.entry for each in replaced}):
        for block, files in sorted(blocks.items()):
            if not files.get(entry, set()) <= lineup.files(entry, block):
                yield f"block {block} was played by another version of entry {entry}"


def read_seatings(tournament: Tournament) -> dict[int, list[int]]:
    """Return the numbers of the entries in the order of seats, by the id of the match."""
    numbers = numbers_of_versions(tournament)
    seats = MatchSeat.objects.filter(match__place__tournament=tournament)
    found: dict[int, list[int]] = defaultdict(list)
    for match, version in seats.order_by("match", "seat").values_list("match", "version"):
        # No entry has the number -1, so a version that has not entered shows up as a difference.
        found[match].append(numbers.get(version, -1))
    return found
