"""The faults of many matches: one of each kind is explained, the others are counted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from pentathlon_engines.cli.output.matches import explain_fault
from pentathlon_engines.cli.output.streams import say
from pentathlon_engines.match.faults import RecordedFault
from pentathlon_engines.runner import MatchReport


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
            say("")
            explain_fault(report, fault)
            say(f"That was match {report.record['match']}, seed {report.record['seed']}.")
            if self._counts[key] > 1:
                say(f"{key[1]}: {self._counts[key]} times in all.")
