"""Checks that a tournament was drawn as promised, without trust in its server.

A proof is a statement of the server about a tournament, which may still be running:

```
{"format": 2, "tournament": 3, "name": "Cup", "state": "running",
 "commitment": "…", "secret": null, "event_key": null,
 "document": {…}, "document_hash": "…" or null before the start, "part": 1, "parts": 1,
 "batches": [[1, 1, 45, {"left": [], "results": {}}, "…digest"], …], "replayed": [],
 "replacements": [{…}, …],
 "columns": ["index", "round", "block", "seats", "match", "state", "seed", "alias", "chain",
             "ranks"],
 "matches": [[1, 1, 1, [0, 2], 77, "done", 53…, "5e1f…", "9a0b…", [0, 1]], …]}
```

`seats` are indexes of the document's entries. Fields that are still sealed are null. A batch has
its number, its first and last block, and what was noted with it (see `batches`, and
`ladder_batches` for the division of a ladder). `replayed` are the blocks in which the organiser
had a match played again that had a result, and `replacements` say which file replaced which one
during the tournament (see `proof_replacements`). A ladder's document has no entries, as it is
fixed before anybody joins: they are `entries` of the proof. The proof of a long tournament comes
in parts, and `join_parts` joins them.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from pentathlon_engines.errors import BadRecord, EngineError
from pentathlon_engines.record.record import course, verify_record
from pentathlon_engines.seeds import SECRET_BYTES, commitment_to, event_key_of
from pentathlon_engines.tournament.batches import Note
from pentathlon_engines.tournament.document import FORMAT as DOCUMENT_FORMAT
from pentathlon_engines.tournament.document import UnknownScheduler, document_hash
from pentathlon_engines.tournament.proof_schedule import (
    Leg,
    Lineup,
    OtherBatch,
    Proof,
    StatedMatch,
    StatedReplacement,
    draw_proof,
    find_problems,
    find_wrong_repeat,
    find_wrong_result,
    is_ladder,
    reads_repeats,
)
from pentathlon_engines.tournament.schedule import Pairing

FORMAT: Final = 2
COLUMNS: Final = (
    *("index", "round", "block", "seats", "match", "state", "seed", "alias", "chain", "ranks"),
)
BATCH_COLUMNS: Final = ("number", "first_block", "last_block", "input", "input_digest")
OK: Final = "ok"
FAILED: Final = "failed"
SEALED: Final = "sealed"
_TWO: Final = 2

Json = Any
"""A record from anybody, not verified yet."""


class BadProof(EngineError):
    """A proof does not have the shape of one."""

    code = "bad_proof"


class Check(NamedTuple):
    """The result of one check."""

    name: str
    state: str
    """`ok`, `failed`, or `sealed` if nobody can check it yet."""
    detail: str


@dataclass(frozen=True, slots=True)
class PlannedMatch:
    """A match as the server states it; the fields are the columns of a proof."""

    index: int
    round: int
    block: int
    seats: list[int]
    match: int
    state: str
    seed: int | None
    alias: str | None
    chain: str | None
    ranks: list[int] | None


def check_proof(
    proof: Proof, *, records: Iterable[Json] = (), noted: str | None = None
) -> list[Check]:
    """Check all that is not sealed any more; `noted` is the commitment from before the start.

    Raises:
        BadProof: it is no proof, or the tournament is older than sealed seeds.
    """
    _check_shape(proof)
    try:
        return [*_checks(proof, noted), *_record_checks(proof, records)]
    except (KeyError, TypeError, ValueError, IndexError, AttributeError) as error:
        raise BadProof(f"the proof is damaged: {type(error).__name__}: {error}") from error


def join_parts(parts: Sequence[Any]) -> Proof:  # Any: what claims to be JSON of a proof
    """Return the parts of a proof, in their order, as one.

    Raises:
        BadProof: they are not the parts of one proof, as when a tournament ends meanwhile.
    """
    first, *others = parts
    names = _names_in_parts(first)
    if not all(
        isinstance(part, dict) and all(isinstance(part.get(name), list) for name in names)
        for part in parts
    ):
        raise BadProof("one of its parts is not a part of a proof")
    if any(_head(part) != _head(first) for part in others):
        raise BadProof("the tournament has changed while its parts were read: read them again")
    joined = {**first, "parts": 1}
    for name in _names_in_parts(first):
        joined[name] = [row for part in parts for row in part[name]]
    return joined


def planned_matches(proof: Proof) -> list[PlannedMatch]:
    """Return the matches of a proof."""
    return [PlannedMatch(*row) for row in proof["matches"]]


def _check_shape(proof: object) -> None:
    if not isinstance(proof, dict):
        raise BadProof("a proof is a JSON object")
    if proof.get("format") != FORMAT or proof.get("columns") != list(COLUMNS):
        raise BadProof(f"this is not a proof of format {FORMAT}")
    if proof.get("parts", 1) != 1:
        raise BadProof(f"this is one of {proof['parts']} parts: the address has all of them")
    document = proof.get("document")
    if not isinstance(document, dict) or document.get("format") != DOCUMENT_FORMAT:
        raise BadProof("the tournament began before seeds were sealed: there is nothing to check")


def _head(proof: Proof) -> dict[str, Any]:  # Any: JSON
    apart = {"part", *_names_in_parts(proof)}
    return {name: value for name, value in proof.items() if name not in apart}


def _names_in_parts(part: object) -> tuple[str, ...]:
    """Return which lists come in parts: a ladder has nearly as many batches as blocks."""
    return ("matches", "batches") if isinstance(part, dict) and is_ladder(part) else ("matches",)


def _checks(proof: Proof, noted: str | None) -> Iterator[Check]:
    yield _check_commitment(proof, noted)
    yield _check_secret(proof)
    yield _check_document(proof)
    yield _check_event_key(proof)
    matches = planned_matches(proof)
    yield _check_blocks(matches)
    if replaced := _replacements(proof):
        yield _check_replacements(proof, replaced, matches)
    if proof["event_key"] is None:
        waiting = "the event key is sealed until the tournament closes"
        yield Check("schedule", SEALED, waiting)
        yield Check("seeds", SEALED, _seeds_so_far(matches))
        yield Check("aliases", SEALED, waiting)
        return
    try:
        # The last batch of a cancelled tournament may not be there in full.
        is_cut = proof["state"] == "cancelled"
        drawn = draw_proof(proof)[: len(matches) if is_cut else None]
    except (UnknownScheduler, OtherBatch) as error:
        yield Check("schedule", FAILED, str(error))
        return
    yield _check_schedule(matches, drawn)
    yield _compare("seeds", matches, drawn, lambda match: match.seed, lambda pair: pair.seed)
    yield _compare("aliases", matches, drawn, lambda match: match.alias, lambda pair: pair.alias)
    yield _check_results(proof, matches)


def _check_results(proof: Proof, matches: Sequence[PlannedMatch]) -> Check:
    """Check that the noted results are those of the matches, and forfeits those of leavers."""
    if is_ladder(proof):
        return Check("results", OK, "they decided later blocks through ratings, which are noted")
    notes = [Note.from_json(noted) for *_, noted, _ in proof["batches"] if noted is not None]
    legs: dict[int, list[StatedMatch]] = {}
    for match in matches:
        legs.setdefault(match.block, []).append(StatedMatch(match.index, match.seats, match.ranks))
    problem = find_wrong_result(
        notes,
        legs,
        came_back={each.entry for each in _replacements(proof)},
        replayed=proof["replayed"],
    )
    if problem is not None:
        return Check("results", FAILED, problem)
    count = sum(len(note.results) for note in notes)
    forfeited = sum(len(missed) for note in notes for missed in note.forfeits.values())
    also = f", {forfeited} of their matches forfeited by bots that had left" if forfeited else ""
    return Check("results", OK, f"{count} blocks decided later ones by their results{also}")


def _check_commitment(proof: Proof, noted: str | None) -> Check:
    stated = proof["commitment"]
    if proof["document"]["commitment"] != stated:
        return Check("commitment", FAILED, "the document names a different commitment")
    if noted is not None and noted.lower() != stated:
        return Check("commitment", FAILED, f"you noted {noted}, but the proof states {stated}")
    also = "the one you noted and " if noted else ""
    return Check("commitment", OK, f"it equals {also}the one in the document")


def _check_secret(proof: Proof) -> Check:
    if proof["secret"] is None:
        return Check("secret", SEALED, "shown when the tournament closes")
    secret = bytes.fromhex(proof["secret"])
    if len(secret) != SECRET_BYTES or commitment_to(secret) != proof["commitment"]:
        return Check("secret", FAILED, "its SHA-256 is not the commitment")
    return Check("secret", OK, "its SHA-256 is the commitment")


def _check_document(proof: Proof) -> Check:
    if proof["document_hash"] is None:
        return Check("document", SEALED, "it is fixed at the start")
    if document_hash(proof["document"]) != proof["document_hash"]:
        return Check("document", FAILED, "its SHA-256 differs from the stated hash")
    return Check("document", OK, f"its SHA-256 is {proof['document_hash']}")


def _check_event_key(proof: Proof) -> Check:
    secret, stated = proof["secret"], proof["event_key"]
    if secret is None or stated is None:
        is_odd = stated is not None
        detail = "shown without its secret" if is_odd else "it follows from the secret"
        return Check("event key", FAILED if is_odd else SEALED, detail)
    if event_key_of(bytes.fromhex(secret), document_hash(proof["document"])).hex() != stated:
        return Check("event key", FAILED, "it does not follow from the secret and the document")
    return Check("event key", OK, "HMAC-SHA256 of the document's hash under the secret")


def _check_blocks(matches: Sequence[PlannedMatch]) -> Check:
    """Check what needs no secret: a block has one seed and seats its bots in turn."""
    blocks: dict[int, list[PlannedMatch]] = {}
    for match in matches:
        blocks.setdefault(match.block, []).append(match)
    for number, legs in blocks.items():
        if not _is_balanced([leg.seats for leg in legs]):
            return Check("blocks", FAILED, f"block {number} does not seat its bots in turn")
        if len({leg.seed for leg in legs}) > 1:
            return Check("blocks", FAILED, f"block {number} has more than one seed")
    return Check("blocks", OK, f"{len(blocks)}, each with one seed and its bots in turn")


def _replacements(proof: Proof) -> list[StatedReplacement]:
    return [StatedReplacement.from_json(row) for row in proof.get("replacements", [])]


def _check_replacements(
    proof: Proof, replaced: Sequence[StatedReplacement], matches: Sequence[PlannedMatch]
) -> Check:
    """Check that each file replaced the one before it, and kept only blocks of its entry."""
    blocks: dict[int, set[int]] = {}
    for match in matches:
        blocks.setdefault(match.block, set()).update(match.seats)
    for problem in find_problems(_entered_files(proof), replaced, blocks=blocks):
        return Check("replacements", FAILED, problem)
    return Check("replacements", OK, "; ".join(each.sentence() for each in replaced))


def _entered_files(proof: Proof) -> list[str]:
    entered = proof["entries"] if is_ladder(proof) else proof["document"]["entries"]
    return [entry["hash"] for entry in entered]


def _is_balanced(seatings: Sequence[Sequence[int]]) -> bool:
    """Return whether all bots that are in every match have every seat equally often."""
    always = set(seatings[0]).intersection(*seatings)
    if len(always) < len(seatings[0]):
        # Two bots in turn take one chair against the same others.
        return len({bot for seating in seatings for bot in seating} - always) <= _TWO
    places = Counter((seat, bot) for seating in seatings for seat, bot in enumerate(seating))
    return len(set(places.values())) == 1 and len(places) == len(always) ** 2


def _seeds_so_far(matches: Sequence[PlannedMatch]) -> str:
    blocks = {match.block for match in matches}
    shown = {match.block for match in matches if match.seed is not None}
    return f"{len(shown)} of {len(blocks)} blocks are done and show their seeds"


def _check_schedule(matches: Sequence[PlannedMatch], drawn: Sequence[Pairing]) -> Check:
    if len(matches) != len(drawn):
        detail = f"{len(drawn)} matches follow from the event key, the proof has {len(matches)}"
        return Check("schedule", FAILED, detail)
    for match, pairing in zip(matches, drawn, strict=True):
        told = (match.index, match.round, match.block, tuple(match.seats))
        if told != (pairing.index, pairing.round, pairing.block, pairing.seating):
            detail = f"match {match.index} should be {pairing.seating} in block {pairing.block}"
            return Check("schedule", FAILED, detail)
    return Check("schedule", OK, f"{len(matches)} matches follow from the event key")


def _compare(
    name: str,
    matches: Sequence[PlannedMatch],
    drawn: Sequence[Pairing],
    told: Callable[[PlannedMatch], object],
    follows: Callable[[Pairing], object],
) -> Check:
    expected = {pairing.index: follows(pairing) for pairing in drawn}
    for match in matches:
        if told(match) != expected.get(match.index):
            detail = f"match {match.index} has {told(match)}, not {expected.get(match.index)}"
            return Check(name, FAILED, detail)
    return Check(name, OK, f"all {len(matches)} follow from the event key")


def _record_checks(proof: Proof, records: Iterable[Json]) -> Iterator[Check]:
    by_alias = {match.alias: match for match in planned_matches(proof) if match.alias}
    courses: dict[int, str] = {}
    for record in records:
        alias = record.get("match")
        match = by_alias.get(alias) if isinstance(alias, str) else None
        problem = "not a match of the tournament" if match is None else None
        if match is not None:
            problem = _problem_of(record, match, proof)
        if match is not None and problem is None:
            courses[match.index] = course(record)
        else:
            yield Check("record", FAILED, f"{alias}: {problem}")
    if courses:
        agreed = f"{len(courses)} re-simulate and have the expected headers"
        yield Check("records", OK, agreed)
    if courses and reads_repeats(proof):
        yield _check_repeats(proof, courses)


def _check_repeats(proof: Proof, courses: Mapping[int, str]) -> Check:
    """Check the matches that are noted as repeats against the records at hand."""
    notes = [Note.from_json(noted) for *_, noted, _ in proof["batches"] if noted is not None]
    legs: list[Leg] = []
    made: Counter[int] = Counter()
    for match in planned_matches(proof):
        shown = courses.get(match.index)
        played = None if shown is None else (shown, *map(str, match.seats))
        if match.state == "done":
            legs.append(Leg(match.block, made[match.block], played))
        made[match.block] += 1
    problem = find_wrong_repeat(notes, legs, replayed=proof["replayed"])
    if problem is not None:
        return Check("repeats", FAILED, problem)
    count = sum(len(which) for note in notes for which in note.repeats.values())
    return Check("repeats", OK, f"{count} noted, none of them contradicted by the records given")


def _problem_of(record: Json, match: PlannedMatch, proof: Proof) -> str | None:
    document = proof["document"]
    lineup = Lineup(_entered_files(proof), _replacements(proof))
    files = [lineup.files(entry, match.block) for entry in match.seats]
    expected = {
        "game": document["game"],
        "rules": document["rules"],
        "limits": document["limits"],
        "seed": match.seed,
        "chain": match.chain,
    }
    for name, value in expected.items():
        if record.get(name) != value:
            return f"{name} is {record.get(name)!r}, not {value!r}"
    if "fork" in record:
        return "it continues from a ply of another match"
    played = [bot.get("hash") for bot in record["bots"]]
    if len(played) != len(files) or any(
        file not in may for file, may in zip(played, files, strict=True)
    ):
        return "other bots played"
    options = record["options"]
    if any(options.get(name) != value for name, value in document["options"].items()):
        return "it was played with other options"
    try:
        verify_record(record)
    except BadRecord as error:
        return str(error)
    return None
