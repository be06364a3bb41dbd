"""Draws a schedule again from what a proof states, without its matches."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pentathlon_engines.tournament.batches import (
    History,
    Note,
    draw_schedule,
    next_step,
    pairings_of,
)
from pentathlon_engines.tournament.document import TournamentDocument
from pentathlon_engines.tournament.formats.interface import Batch, PlannedBlock
from pentathlon_engines.tournament.formats.ladder import NAME as LADDER
from pentathlon_engines.tournament.ladder_batches import LadderHistory, LadderNote
from pentathlon_engines.tournament.schedule import Pairing

Proof = dict[str, Any]  # Any: JSON


class OtherBatch(Exception):
    """A batch does not follow from what was noted with it."""


def is_ladder(proof: Proof) -> bool:
    """Return whether a proof is that of a ladder's division: its field is not in its document."""
    document = proof.get("document")
    if not isinstance(document, dict) or document.get("scheduler") != LADDER:
        return False
    return not document.get("entries")


def draw_proof(proof: Proof) -> list[Pairing]:
    """Return the schedule that follows from document, event key and the notes of its batches."""
    document = TournamentDocument.from_json(proof["document"])
    key = bytes.fromhex(proof["event_key"])
    if is_ladder(proof):
        return _draw_ladder(proof["batches"], seats=document.table_seats or 0, key=key)
    if not proof["batches"]:
        return draw_schedule(document, key=key)
    history, digest = History(), ""
    for number, first, last, noted, stated in proof["batches"]:
        if noted is None:
            history.add(_blocks_before(document, last, key=key))
            continue
        note = Note.from_json(noted)
        digest = note.digest(digest)
        if digest != stated:
            raise OtherBatch(f"the digest of batch {number} does not follow from what was noted")
        history.take(note)
        step = next_step(
            document,
            key=key,
            left=history.left,
            ever_left=history.ever_left,
            played=history.blocks,
        )
        made = step.blocks if isinstance(step, Batch) else ()
        if len(history.blocks) != first - 1 or len(made) != last - first + 1:
            raise OtherBatch(f"batch {number} should have {len(made)} blocks")
        history.add(made)
    blocks = [PlannedBlock(block.round, block.seatings) for block in history.blocks]
    return pairings_of(blocks, first_block=1, first_index=1, key=key)


def _draw_ladder(batches: Sequence[Any], *, seats: int, key: bytes) -> list[Pairing]:  # Any: JSON
    """Return the matches of a ladder's division, batch by batch."""
    history, digest = LadderHistory(seats, key), ""
    drawn: list[Pairing] = []
    for number, first, last, noted, stated in batches:
        note = LadderNote.from_json(noted)
        digest = note.digest(digest)
        if digest != stated:
            raise OtherBatch(f"the digest of batch {number} does not follow from what was noted")
        made = history.next_batch(note)
        if history.batches != number or (history.blocks, len(made)) != (last, last - first + 1):
            raise OtherBatch(f"batch {number} should have {len(made)} blocks")
        drawn += pairings_of(made, first_block=first, first_index=len(drawn) + 1, key=key)
    return drawn


def _blocks_before(document: TournamentDocument, count: int, *, key: bytes) -> list[PlannedBlock]:
    """Return the first blocks of a schedule that was begun before there were batches."""
    blocks: dict[int, list[Pairing]] = {}
    for pairing in draw_schedule(document, key=key):
        blocks.setdefault(pairing.block, []).append(pairing)
    return [
        PlannedBlock(legs[0].round, tuple(leg.seating for leg in legs))
        for number, legs in blocks.items()
        if number <= count
    ]
