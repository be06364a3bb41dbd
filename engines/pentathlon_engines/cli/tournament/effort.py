"""The effort of a tournament: measured by a site, or estimated from its game."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any, Final, NamedTuple

import pentathlon_engines
from pentathlon_engines import GAMES
from pentathlon_engines.cli.client.connection import connect_as_person
from pentathlon_engines.light_json import read_data
from pentathlon_engines.match.limits import Limits
from pentathlon_engines.tournament.document import TournamentDocument

_S_PER_HOUR: Final = 3600
_START_S: Final = 0.1
"""The CPU time that a small Python bot needs to start."""
_QUICK_S: Final = 0.001
"""The CPU time of an answer by a bot that does not search."""


class Effort(NamedTuple):
    """CPU hours, and seconds until the end: the least and the most, equal where measured."""

    basis: str
    """Where the figures come from: "measured" or "estimated"."""
    cpu_hours: tuple[float, float]
    takes_s: tuple[float, float] | None
    """The fewest and the most seconds until the end; None if unknown (see `remark`)."""
    remark: str

    def to_json(self) -> dict[str, Any]:  # Any: JSON
        """Return the effort as JSON."""
        takes_s = None if self.takes_s is None else list(self.takes_s)
        return {
            "basis": self.basis,
            "cpu_hours": list(self.cpu_hours),
            "takes_s": takes_s,
            "remark": self.remark,
        }

    def lines(self, now: datetime) -> list[str]:
        """Return the effort as lines for people."""
        hours = _range(*(f"{each:.2g}" for each in self.cpu_hours))
        lines = [f"CPU hours, {self.basis}: {hours}."]
        if self.takes_s is not None:
            ends = [now + timedelta(seconds=each) for each in self.takes_s]
            when = _range(*(f"{each:%d %B %H:%M}" for each in ends), word=" and ")
            start = "about" if ends[0] == ends[1] or " and " not in when else "between"
            lines.append(f"Finish, {self.basis}: {start} {when}, if it starts now.")
        return [*lines, *filter(None, [self.remark])]


def estimate_effort(document: TournamentDocument, *, matches: int, concurrency: int) -> Effort:
    """Estimate the effort from the requests of a match, for quick bots and for slow ones."""
    info = GAMES[document.game].info
    sizes = read_data(pentathlon_engines.__file__, f"{document.game}/match_sizes.json")
    requests, seats = sizes["requests"][1], document.table_seats or info.default_seats
    limits = Limits.from_json(dict(document.limits))
    start_s = seats * _START_S
    least_s = start_s + requests * _QUICK_S
    most_s = start_s + min(requests * limits.action_cpu_s, seats * limits.match_cpu_s)
    spent_s = [matches * each for each in (least_s, max(least_s, most_s))]
    return Effort(
        basis="estimated",
        cpu_hours=(spent_s[0] / _S_PER_HOUR, spent_s[1] / _S_PER_HOUR),
        takes_s=(spent_s[0] / concurrency, spent_s[1] / concurrency),
        remark=f"Nothing was measured: a match of {info.title} asks about {requests} times; bots "
        f"may answer at once or use all of their limits. {concurrency} at a time.",
    )


def measured_effort(document: Mapping[str, Any], *, site: str) -> Effort | None:  # Any: JSON
    """Ask a site what a document's matches would take there; None if it has measured none."""
    told = connect_as_person(site).post("tournaments/dry-run/", {"document": dict(document)})
    if told["cpu_hours"] is None:
        return None
    takes_s = told["takes_s"]
    return Effort(
        basis="measured",
        cpu_hours=(told["cpu_hours"], told["cpu_hours"]),
        takes_s=None if takes_s is None else (takes_s, takes_s),
        remark=told["reason"]
        or f"By the latest {told['measured_matches']} matches there, with all free slots.",
    )


def _range(least: str, most: str, *, word: str = " to ") -> str:
    return least if least == most else f"{least}{word}{most}"
