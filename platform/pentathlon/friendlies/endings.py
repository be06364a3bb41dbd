"""Stores the state of a friendly after a move, and its record when the friendly is over."""

from __future__ import annotations

from django.db.models.functions import Now

from pentathlon.fleet.capabilities import least_sandbox
from pentathlon.friendlies.models import Friendly, FriendlyState
from pentathlon.matches.replays.codec import CODEC, pack
from pentathlon_engines.match.limits import Limits
from pentathlon_engines.match.referee import Referee
from pentathlon_engines.record.record import canonical, seal, verify_record
from pentathlon_engines.record.shape import Header, Record

PERSON_HASH = ""
"""Stands in a record where a bot's content hash would be."""


def store_progress(friendly: Friendly, referee: Referee) -> Friendly:
    """Store the events of a locked friendly, and whose turn it is now."""
    mover = referee.seat_to_ask()
    friendly.events = [event.to_row() for event in referee.events]
    friendly.faults = [fault.to_json() for fault in referee.faults]
    friendly.ply = referee.ply
    friendly.moved_at = Now()
    friendly.token = friendly.lease_until = friendly.sent_at = None
    friendly.host_faults, friendly.state_reason = 0, ""
    if mover is None:
        _close(friendly, referee)
    else:
        is_person = mover == friendly.seat
        friendly.state = FriendlyState.PERSON if is_person else FriendlyState.BOT
    friendly.save()
    friendly.refresh_from_db()
    return friendly


def _close(friendly: Friendly, referee: Referee) -> None:
    outcome = referee.final_outcome()
    header = _header(friendly)
    record: Record = seal(header, events=referee.events, faults=referee.faults, outcome=outcome)
    verify_record(record)
    friendly.state = FriendlyState.DONE
    friendly.finished_at = Now()
    friendly.outcome_reason = outcome.reason
    friendly.ranks = record["outcome"]["ranks"]
    friendly.scores = record["outcome"]["scores"]
    friendly.chain = record["chain"]
    friendly.codec, friendly.data = CODEC, pack(canonical(record))
    # The record has the events.
    friendly.events = []


def _header(friendly: Friendly) -> Header:
    seats = friendly.seats.select_related("version__bot").order_by("seat")
    header: Header = {
        "game": friendly.game,
        "rules": friendly.rules_version,
        "seats": len(seats),
        "options": friendly.options,
        "seed": friendly.seed,
        "match": friendly.alias,
        "bots": [
            {
                "name": friendly.name_of(each),
                "hash": PERSON_HASH if each.version is None else each.version.archive_id,
            }
            for each in seats
        ],
        "limits": Limits().to_json(),
        "sandbox": friendly.sandbox or least_sandbox().value,
        "layers": friendly.layers,
        "person": {"seat": friendly.seat, "resigned_at": friendly.resigned_at},
    }
    if friendly.given:
        header["fork"] = {"chain": friendly.origin_chain, "ply": friendly.given}
    return header
