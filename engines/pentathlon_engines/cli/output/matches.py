"""One match as people and scripts read it: its table, its faults in words, its record.

A series says the words of each kind of fault once.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from pentathlon_engines.cli.output import streams
from pentathlon_engines.cli.output.tables import print_table
from pentathlon_engines.commentary.words import count
from pentathlon_engines.contract.info import ordinal
from pentathlon_engines.match.faults import RecordedFault
from pentathlon_engines.record.advice import what_to_do
from pentathlon_engines.record.answers import answer_at_fault
from pentathlon_engines.record.record import events_by
from pentathlon_engines.runner import MatchReport


def ply_progress(*, as_json: bool) -> Callable[[int], None] | None:
    """Return the display of a running match's ply, or None without a terminal."""
    if as_json or not streams.is_terminal():
        return None
    return lambda ply: streams.show_on_one_line(f"ply {ply}")


def summarize_match(report: MatchReport, path: Path | None) -> dict[str, Any]:
    """Return a match as JSON; `path` is that of its record."""
    record = report.record
    return {
        "game": record["game"],
        "seed": record["seed"],
        "bots": record["bots"],
        "sandbox": record["sandbox"],
        "outcome": record["outcome"],
        "faults": [{**fault, "answer": wrong_answer(report, fault)} for fault in record["faults"]],
        "plies": len(record["events"]),
        "cpu_s": [round(usage.cpu_s, 3) for usage in report.usage],
        "memory_peak_mb": [round(usage.memory_peak_mb, 1) for usage in report.usage],
        "notes": report.notes,
        "logs": [log.decode(errors="replace") for log in report.logs],
        "chain": record["chain"],
        "record": None if path is None else str(path),
    }


def show_match(report: MatchReport) -> None:
    """Print the table of a match, and explain its faults."""
    record = report.record
    outcome = record["outcome"]
    streams.print_text(
        f"{record['game']}, seed {record['seed']}: {outcome['reason']} "
        f"after {count(len(record['events']), 'ply')}"
    )
    print_table(
        ("seat", "bot", "rank", "points", "cpu", "slowest"),
        [_row(report, seat) for seat in range(record["seats"])],
    )
    for fault in record["faults"]:
        explain_fault(report, fault)


def explain_fault(report: MatchReport, fault: RecordedFault) -> None:
    """Explain what a bot did wrong: what it wrote, what was expected, and what to do."""
    seat = fault["seat"]
    name = report.record["bots"][seat]["name"]
    streams.say(f"seat {seat} ({name}): {fault['kind']} at ply {fault['ply']}: {fault['detail']}")
    if answer := wrong_answer(report, fault):
        streams.say(answer)
    log = report.logs[seat]
    streams.show_log(log, report.notes[seat])
    said = log.decode(errors="replace")
    again = f"With the same bots, seats and options, `play --seed {report.record['seed']}`"
    streams.say(what_to_do(fault["kind"], log=said, limits=report.record["limits"], again=again))


def wrong_answer(report: MatchReport, fault: RecordedFault) -> str | None:
    """Return what a bot wrote and what was expected, in the words of the server."""
    return answer_at_fault(report.record, fault, report.traces[fault["seat"]]) or None


def _row(report: MatchReport, seat: int) -> tuple[str, ...]:
    outcome = report.record["outcome"]
    scores = outcome["scores"]
    own = [event.cpu_ms for event in events_by(report.record, seat)]
    return (
        str(seat),
        report.record["bots"][seat]["name"],
        ordinal(outcome["ranks"][seat]),
        "" if scores is None else str(scores[seat]),
        f"{report.usage[seat].cpu_s:.2f} s",
        f"{max(own, default=0)} ms",
    )


class FaultExamples:
    """Keeps the first fault of each kind by bot."""

    def __init__(self) -> None:
        self._examples: dict[tuple[int, str], tuple[MatchReport, RecordedFault]] = {}
        self._counts: Counter[tuple[int, str]] = Counter()

    def take(self, report: MatchReport, players: Sequence[int]) -> None:
        """Count the faults of a match; its players are in the order of the seats."""
        for fault in report.record["faults"]:
            key = (players[fault["seat"]], fault["kind"])
            self._counts[key] += 1
            self._examples.setdefault(key, (report, fault))

    def explain(self) -> None:
        """Print the faults to standard error."""
        for key, (report, fault) in sorted(self._examples.items()):
            streams.say("")
            explain_fault(report, fault)
            streams.say(f"That was match {report.record['match']}, seed {report.record['seed']}.")
            if self._counts[key] > 1:
                streams.say(f"{key[1]}: {self._counts[key]} times in all.")
