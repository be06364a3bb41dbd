"""Why a bot lost, in the words and with the figures that its owner needs; for the owner only."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from pentathlon.accounts.models import User
from pentathlon.core.errors import NotFound
from pentathlon.matches.models import Match, MatchSeat, SeatLog
from pentathlon.matches.replays.services import read_record
from pentathlon_engines import GAMES
from pentathlon_engines.contract.info import ordinal
from pentathlon_engines.match.events import Event
from pentathlon_engines.match.faults import FaultKind, manner_of_end
from pentathlon_engines.match.traces import LINE_BYTES_KEPT, Trace, TraceLine, printable
from pentathlon_engines.record.advice import what_to_do
from pentathlon_engines.record.answers import answer_at_fault
from pentathlon_engines.record.bundle import file_name, pack_bundle
from pentathlon_engines.record.record import position
from pentathlon_engines.record.rerun import lines_of, recorded_fault
from pentathlon_engines.record.shape import Record

_BEATEN: Final = (
    "Nothing went wrong: it kept the protocol and its limits, others were better. Step through "
    "the replay to find where it fell behind."
)
_AHEAD: Final = "Nothing: nobody was ranked ahead of it."


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestCost:
    """One request to a bot, and the time it took."""

    ply: int
    cpu_ms: int
    wall_ms: int
    is_fault: bool = False
    """Whether it ended with a fault of the bot."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LimitUsage:
    """One figure of a match, and the limit it must not pass."""

    name: str
    label: str
    used: float
    limit: float | None
    unit: str

    @property
    def share(self) -> float | None:
        """How much of the limit was used, at most 1; None without a limit."""
        return min(1.0, self.used / self.limit) if self.limit else None


def request_costs(seat: MatchSeat, record: Record, trace: Trace | None) -> list[RequestCost]:
    """Return all requests to this seat's bot, including a last one that ended with its fault."""
    costs = [
        RequestCost(ply=ply, cpu_ms=event.cpu_ms, wall_ms=event.wall_ms)
        for ply, event in enumerate(map(Event.of, record["events"]))
        if event.seat == seat.seat and event.is_by_bot
    ]
    # A bot that ran out of turn had no request.
    was_asked = seat.fault_kind != FaultKind.OUT_OF_TURN
    if trace is not None and trace.requests and seat.fault_ply is not None and was_asked:
        cpu_ms, wall_ms = trace.cpu_ms, trace.wall_ms
        costs.append(
            RequestCost(ply=seat.fault_ply, cpu_ms=cpu_ms, wall_ms=wall_ms, is_fault=True)
        )
    return costs


def limit_usage(seat: MatchSeat, record: Record, trace: Trace | None) -> list[LimitUsage]:
    """Return what the bot used, next to what it was allowed."""
    costs, limits = request_costs(seat, record, trace), record["limits"]
    cpu = [cost.cpu_ms / 1000 for cost in costs]
    idle = [max(0, cost.wall_ms - cost.cpu_ms) / 1000 for cost in costs]
    rows = (
        ("action_cpu", "CPU time, slowest action", _most(cpu), "action_cpu_s", "s"),
        ("match_cpu", "CPU time, all actions", sum(cpu), "match_cpu_s", "s"),
        ("process_cpu", "CPU time with its start", seat.cpu_ms / 1000, None, "s"),
        ("action_wall", "Asleep at most, one action", _most(idle), "action_wall_s", "s"),
        ("match_wall", "Asleep at most, all actions", sum(idle), "match_wall_s", "s"),
        ("memory", "Memory at its peak", seat.memory_peak_mb, "memory_mb", "MiB"),
        ("stdout", "Standard output", seat.stdout_bytes, "stdout_bytes", "bytes"),
        ("stderr", "Standard error", seat.stderr_bytes, "stderr_bytes", "bytes"),
    )
    return [
        # An old record lacks limits that were introduced after it.
        LimitUsage(name=name, label=label, used=used, limit=limits.get(limit or ""), unit=unit)
        for name, label, used, limit, unit in rows
    ]


def _most(values: Sequence[float]) -> float:
    return max(values, default=0.0)


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


def as_text(explanation: Explanation) -> str:
    """Return all of an explanation as text, section by section."""
    sections = (
        tuple(_head(explanation)),
        (f"Position at ply {explanation.ply}", str(_position(explanation))),
        ("Use and limits", *map(_use, explanation.uses)),
        ("CPU and wall milliseconds of each request", *_turns(explanation)),
        (_lines_title(explanation), *map(line_as_text, explanation.lines)),
        ("Notes", *(f"ply {ply}: {note}" for ply, note in explanation.notes)),
        ("Standard error, its end", printable(explanation.log).rstrip("\n")),
        ("Again, at your desk", _command(explanation)),
    )
    return "\n\n".join("\n".join(section) for section in sections if any(section[1:])) + "\n"


def line_as_text(line: TraceLine) -> str:
    """Return a line of the protocol with its direction, and how much of it was cut off."""
    text = line.text.replace("\n", f"\n{line.way} ")
    if line.size > LINE_BYTES_KEPT:
        return f"{line.way} {text}… ({line.size:,} bytes in all)"
    return f"{line.way} {text}" if line.is_whole else f"{line.way} {text} (not one whole line)"


def figure(value: float, unit: str) -> str:
    """Return a figure as text, with as many digits as a reader may want."""
    if unit == "bytes":
        return f"{value:,}"
    return f"{value:.{1 if unit == 'MiB' else 3}f}".rstrip("0").rstrip(".")


def _head(explanation: Explanation) -> Iterator[str]:
    place, record = explanation.place, explanation.record
    title = GAMES[record["game"]].info.title
    yield f"Match {place.match_id} of {title}, seat {place.seat}: {place.version}"
    yield f"Cause: {explanation.code}"
    yield f"What happened: {explanation.what_happened}"
    if explanation.answer:
        yield f"Its answer: {explanation.answer}"
    yield f"What to do: {explanation.what_to_do}"
    yield f"Its process: {explanation.ending}"


def _position(explanation: Explanation) -> object:
    return position(explanation.record, explanation.ply)


def _use(use: LimitUsage) -> str:
    limit = "" if use.limit is None else f" of {figure(use.limit, use.unit)}"
    return f"{use.label + ':':27}{figure(use.used, use.unit)}{limit} {use.unit}"


def _turns(explanation: Explanation) -> Iterator[str]:
    for turn in explanation.turns:
        mark = "  fault" if turn.is_fault else ""
        yield f"ply {turn.ply:5}{turn.cpu_ms:9,}{turn.wall_ms:9,}{mark}"


def _lines_title(explanation: Explanation) -> str:
    how = ", made from the record, without clocks" if explanation.lines_are_rebuilt else ""
    return f"Last lines (> to the bot, < from it{how})"


def _command(explanation: Explanation) -> str:
    place = explanation.place
    name = file_name(place.match_id, place.seat)
    return f"pentathlon play {name} FOLDER_OF_YOUR_BOT"
