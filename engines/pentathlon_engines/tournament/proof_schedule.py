"""Checks what a proof states: schedule, results, repeats and replacements.

Checks which matches a proof calls exact repeats of earlier ones, against their records.

`finals/2` counts a match that goes exactly as an earlier one only once. So each batch notes which
matches did, and later pairings follow from that.

Checks the results that a proof notes with its batches against those of the matches.

A match that was not played because a bot had left is a forfeit: `leaving` says what it gives.

Checks who replaced whom in a running tournament, and which file played which block.

A proof states the replacements in their order:

```
{"entry": 3, "first_block": 12, "kept": [13],
 "old": {"bot": "beta", "version": 1, "hash": "sha256:…"}, "new": {…},
 "reason": "It hung on rivers.", "replaced_at": "2026-11-22T20:00:00+00:00", "digest": "…"}
```

From `first_block` on, the new file plays in the place of the old one, except in the blocks that
the old one had begun: those are `kept`. If the old one had left the tournament before, `left` says
why, and none of the blocks that it had begun is finished any more. `first_block` is null while a
replacement is carried out. Each digest is that of the replacement and of the digest before it. The
document names the files that entered, and neither it nor the event key changes: pairings and seeds
are those that they would be without a replacement.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, NamedTuple

from pentathlon_engines.record.record import canonical
from pentathlon_engines.tournament.batches import (
    History,
    LadderHistory,
    LadderNote,
    Note,
    Ranks,
    draw_schedule,
    next_step,
    pairings_of,
)
from pentathlon_engines.tournament.departures import forfeit_ranks
from pentathlon_engines.tournament.document import TournamentDocument
from pentathlon_engines.tournament.formats.interface import Batch, PlannedBlock
from pentathlon_engines.tournament.formats.ladder import NAME as LADDER
from pentathlon_engines.tournament.formats.registry import FORMATS
from pentathlon_engines.tournament.schedule import Pairing

Proof = dict[str, Any]  # Any: JSON
File = Mapping[str, Any]  # Any: JSON
"""A bot version as a proof names it: bot, version and hash."""


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


class Leg(NamedTuple):
    """A finished match of a block."""

    block: int
    number: int
    """The number of the match within its block, from 0."""
    course: tuple[str, ...] | None
    """What happened, and the entries by seat; None if nobody has shown the record."""


def reads_repeats(proof: Proof) -> bool:
    """Return whether the format of a tournament looks at which matches were repeats."""
    scheduling = FORMATS.get(proof["document"]["scheduler"])
    return scheduling is not None and scheduling.reads_repeats


def find_wrong_repeat(
    notes: Sequence[Note], legs: Iterable[Leg], *, replayed: Collection[int]
) -> str | None:
    """Return what is wrong with the noted repeats; the legs come in schedule order.

    Blocks in which a match was played again are skipped: what was noted of them is lost.
    """
    noted = {
        (block, leg) for note in notes for block, which in note.repeats.items() for leg in which
    }
    decided = {block for note in notes for block in note.results}
    seen: set[tuple[str, ...]] = set()
    has_gaps = False
    for block, number, course in legs:
        if course is None or block in replayed:
            has_gaps = True
            continue
        is_repeat, is_noted = course in seen, (block, number) in noted
        seen.add(course)
        if block not in decided or is_repeat == is_noted:
            continue
        if is_repeat:
            return (
                f"match {number + 1} of block {block} repeats an earlier match exactly, "
                "but is not noted as a repeat"
            )
        # The earlier one may be a match whose record is not here.
        if not has_gaps:
            return f"match {number + 1} of block {block} is noted as a repeat, but is not one"
    return None


@dataclass(frozen=True, slots=True)
class StatedMatch:
    """A match of a block, as the proof states it."""

    index: int
    seats: Sequence[int]
    ranks: Sequence[int] | None
    """None if it was not played."""


def find_wrong_result(
    notes: Sequence[Note],
    legs: Mapping[int, Sequence[StatedMatch]],
    *,
    came_back: Collection[int],
    replayed: Collection[int],
) -> str | None:
    """Return what is wrong with the noted results of blocks.

    Entries in `came_back` had left once, but another version of the bot has taken their place.
    Blocks in which a match was played again are skipped: what was noted of them is lost.
    """
    for note in notes:
        for block, result in note.results.items():
            if result is None or block in replayed:
                continue
            missed = note.forfeits.get(block, ())
            left = {*note.left, *came_back}
            if problem := _wrong_result(legs[block], result, missed=missed, left=left):
                stated = list(map(list, result))
                return f"a batch used the result {stated} of block {block}: {problem}"
    return None


def _wrong_result(
    legs: Sequence[StatedMatch], result: Ranks, *, missed: Collection[int], left: Collection[int]
) -> str | None:
    """Return what is wrong with the noted result of a block; `missed` are its forfeited legs."""
    if len(result) != len(legs):
        return f"it has {len(legs)} matches"
    for number, (leg, ranks) in enumerate(zip(legs, result, strict=True)):
        if number not in missed:
            if leg.ranks is None or list(leg.ranks) != list(ranks):
                return f"the result of match {leg.index} is {leg.ranks}"
            continue
        gone = {entry for entry, rank in zip(leg.seats, ranks, strict=True) if rank}
        if not gone or not gone <= {*left} or ranks != forfeit_ranks(leg.seats, gone):
            return f"match {leg.index} counts as forfeited by a bot that had not left"
    return None


class StatedReplacement(NamedTuple):
    """One replacement, as a server states it."""

    entry: int
    first_block: int | None
    kept: tuple[int, ...]
    old: File
    new: File
    reason: str
    replaced_at: str
    digest: str = ""
    left: str = ""
    """Why the old one had left before, so that it plays nothing any more; empty if it took
    part."""

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> StatedReplacement:  # Any: JSON
        """Read a replacement back."""
        return cls(**{**data, "kept": tuple(data["kept"])})

    def to_json(self) -> dict[str, Any]:
        """Return the replacement as proofs have it."""
        stated = {**self._asdict(), "kept": list(self.kept)}
        # Digests count an empty `left` as none.
        return stated if self.left else {name: stated[name] for name in stated if name != "left"}

    def digest_after(self, before: str) -> str:
        """Return the digest of this replacement and of the digest before it ("" for the first)."""
        stated = {name: value for name, value in self.to_json().items() if name != "digest"}
        return sha256(canonical({"before": before, **stated})).hexdigest()

    def sentence(self) -> str:
        """Describe who replaced whom, and from which block on."""
        names = " by ".join(f"{file['bot']} v{file['version']}" for file in (self.old, self.new))
        names += " (the old one had left)" if self.left else ""
        if self.first_block is None:
            return f"{names}, being carried out"
        kept = f", not in block {', '.join(map(str, self.kept))}" if self.kept else ""
        return f"{names} from block {self.first_block} on{kept}"


class Lineup:
    """The file of each entry that plays each block."""

    def __init__(self, entered: Sequence[str], replacements: Sequence[StatedReplacement]) -> None:
        self._entered = entered
        self._replacements = replacements

    def files(self, entry: int, block: int) -> set[str]:
        """Return the hash of the file; two hashes while a replacement of it is carried out."""
        files = {self._entered[entry]}
        for replacement in self._replacements:
            if replacement.entry != entry or replacement.old["hash"] not in files:
                continue
            if replacement.first_block is None:
                files.add(replacement.new["hash"])
            elif block >= replacement.first_block and block not in replacement.kept:
                files.discard(replacement.old["hash"])
                files.add(replacement.new["hash"])
        return files


def find_problems(
    entered: Sequence[str],
    replacements: Sequence[StatedReplacement],
    *,
    blocks: Mapping[int, Collection[int]],
) -> Iterator[str]:
    """Yield what is wrong with replacements; `blocks` are the entries that meet in each."""
    files, digest = list(entered), ""
    for number, replacement in enumerate(replacements, start=1):
        if not 0 <= replacement.entry < len(files):
            yield f"replacement {number} names an entry that does not exist"
            continue
        if replacement.old["hash"] != files[replacement.entry]:
            yield f"replacement {number} replaces a file that did not play there"
        if replacement.new["hash"] in files:
            yield f"replacement {number} lets a file play in two places"
        files[replacement.entry] = replacement.new["hash"]
        if replacement.first_block is None:
            continue
        digest = replacement.digest_after(digest)
        if digest != replacement.digest:
            yield f"the digest of replacement {number} does not follow from what is stated"
            digest = replacement.digest
        for block in replacement.kept:
            if block < replacement.first_block or replacement.entry not in blocks.get(block, ()):
                yield f"replacement {number} keeps block {block} for a file that is not in it"
