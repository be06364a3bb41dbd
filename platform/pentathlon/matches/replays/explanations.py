"""Why a bot lost, in the words and with the figures that its owner needs; for the owner only."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from pentathlon.accounts.models import User
from pentathlon.core.errors import NotFound
from pentathlon.matches.models import Match, MatchSeat, SeatLog
from pentathlon.matches.replays.services import read_record
from pentathlon.matches.replays.usage import LimitUsage, RequestCost, limit_usage, request_costs
from pentathlon_engines.contract.info import ordinal
from pentathlon_engines.match.faults import FaultKind, manner_of_end
from pentathlon_engines.match.traces import Trace, TraceLine
from pentathlon_engines.record.advice import what_to_do
from pentathlon_engines.record.answers import answer_at_fault
from pentathlon_engines.record.bundle import file_name, pack_bundle
from pentathlon_engines.record.rerun import lines_of, recorded_fault
from pentathlon_engines.record.shape import Record

_BEATEN: Final = (
    "Nothing went wrong: it kept the protocol and its limits, others were better. Step through "
    "the replay to find where it fell behind."
)
_AHEAD: Final = "Nothing: nobody was ranked ahead of it."


@dataclass(frozen=True, slots=True, kw_only=True)
class Explanation:
    """The explanation of a match for one bot in one seat."""

    place: MatchSeat
    record: Record
    code: str
    """The kind of the bot's fault, or the reason why the game ended."""
    what_happened: str
    answer: str
    """What the bot wrote instead of an answer, and what was expected; otherwise empty."""
    what_to_do: str
    ply: int
    """The ply of the fault, or the last ply if there was none."""
    ending: str
    """How the bot's process ended."""
    turns: list[RequestCost]
    uses: list[LimitUsage]
    lines: list[TraceLine]
    lines_are_rebuilt: bool
    """Whether the lines were made from the record, without clocks, instead of kept verbatim."""
    log: str
    notes: list[tuple[int, str]]

    @property
    def is_fault(self) -> bool:
        """Return whether the bot committed a fault."""
        return bool(self.place.fault_kind)

    @property
    def has_lost(self) -> bool:
        """Return whether the bot committed a fault, or another seat was ranked ahead of it."""
        return self.is_fault or bool(self.place.rank)


@dataclass(frozen=True, slots=True, kw_only=True)
class Bundle:
    """A file with which a bot can play its seat again at home."""

    name: str
    data: bytes


def explain_match(*, match: Match, actor: User) -> list[Explanation]:
    """Explain a finished match seat by seat, own seats only; load seats before.

    Raises:
        NotFound: the match is not done.
    """
    places = _own_places(match, actor)
    if not places:
        return []
    record = _record(match)
    logs = SeatLog.objects.readable_by(actor).filter(seat__match=match).in_bulk()
    return [_explain(place, record, logs.get(place.pk)) for place in places]


def explain_seat(*, match: Match, actor: User, seat: int) -> Explanation:
    """Explain one seat of a finished match to the owner of its bot; load seats before.

    Raises:
        NotFound: there is no such seat, it is not this person's, or the match is not done.
    """
    place = _own_place(match, actor, seat)
    log = SeatLog.objects.readable_by(actor).filter(pk=place.pk).first()
    return _explain(place, _record(match), log)


def bundle_seat(*, match: Match, actor: User, seat: int) -> Bundle:
    """Pack the bundle of one seat for the owner of its bot, as `explain_seat` explains it."""
    _own_place(match, actor, seat)
    record = _record(match)
    name = file_name(match.pk, seat)
    return Bundle(name=name, data=pack_bundle(record, seat=seat, file=name))


def _own_places(match: Match, actor: User) -> list[MatchSeat]:
    places = [place for place in match.seats.all() if place.version.bot.owner_id == actor.pk]
    return sorted(places, key=lambda place: place.seat)


def _own_place(match: Match, actor: User, seat: int) -> MatchSeat:
    for place in _own_places(match, actor):
        if place.seat == seat:
            return place
    raise NotFound(f"None of your bots has seat {seat} of match {match.pk}.")


def _record(match: Match) -> Record:
    if not hasattr(match, "replay"):
        raise NotFound(f"Match {match.pk} is not done: there is nothing to explain yet.")
    return read_record(match.replay)


def _explain(place: MatchSeat, record: Record, log: SeatLog | None) -> Explanation:
    trace = _read_trace(log.trace if log else None)
    said = log.text if log else ""
    return Explanation(
        place=place,
        record=record,
        code=place.fault_kind or record["outcome"]["reason"],
        what_happened=" ".join(_what_happened(place, record, trace)),
        answer=_wrong_answer(place, record, trace),
        what_to_do=_what_to_do(place, record, said),
        ply=len(record["events"]) if place.fault_ply is None else place.fault_ply,
        ending=_ending(place, trace),
        turns=request_costs(place, record, trace),
        uses=limit_usage(place, record, trace),
        lines=trace.lines if trace else lines_of(record, place.seat),
        lines_are_rebuilt=trace is None,
        log=said,
        notes=[(ply, note) for ply, note in log.notes] if log else [],
    )


def _read_trace(stored: dict[str, Any] | None) -> Trace | None:  # Any: JSON
    if stored is None:
        return None
    return Trace(**{**stored, "lines": [TraceLine(*line) for line in stored["lines"]]})


def _what_happened(place: MatchSeat, record: Record, trace: Trace | None) -> Iterator[str]:
    if not place.fault_kind:
        reason = record["outcome"]["reason"].replace("_", " ")
        how = "another’s fault" if reason == "fault" else reason
        came = f"{ordinal(place.rank or 0)} of {record['seats']}"
        yield f"The match ended by {how}; it came {came}, without a fault."
        return
    yield f"{_when(place, trace)}, it was expelled: {place.fault_detail.rstrip('.')}."
    if len(record["faults"]) == record["seats"]:
        yield "So did every other seat: all have lost, and no rating changes."
    elif record["outcome"]["reason"] == "fault":
        yield "The match was over with that."
    else:
        yield "It ranks behind all without a fault; a stand-in played on in its place."


def _when(place: MatchSeat, trace: Trace | None) -> str:
    if place.fault_kind == FaultKind.OUT_OF_TURN:
        return f"At ply {place.fault_ply}, out of its turn"
    if place.fault_kind == FaultKind.STARTUP or (trace and not trace.requests):
        return "At its start"
    return f"Asked for an action at ply {place.fault_ply}"


def _wrong_answer(place: MatchSeat, record: Record, trace: Trace | None) -> str:
    fault = recorded_fault(record, place.seat)
    return "" if fault is None or trace is None else answer_at_fault(record, fault, trace)


def _what_to_do(place: MatchSeat, record: Record, log: str) -> str:
    if place.fault_kind:
        return what_to_do(place.fault_kind, log=log, limits=record["limits"])
    return _BEATEN if place.rank else _AHEAD


def _ending(place: MatchSeat, trace: Trace | None) -> str:
    if place.exit_status is None:
        return "Not recorded."
    manner = manner_of_end(place.exit_status)
    if trace is None:
        was_killed = place.exit_status == -9  # noqa: PLR2004  # SIGKILL
        return "It was stopped after the match." if was_killed else f"After the match it {manner}."
    return f"It {manner}." if trace.ended else "It still ran, and was stopped after its fault."
