"""Plays a tournament on this machine and shows its progress."""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from pentathlon_engines.cli.failure import CommandFailed
from pentathlon_engines.cli.output.matches import FaultExamples
from pentathlon_engines.cli.output.streams import is_terminal, show_on_one_line
from pentathlon_engines.cli.output.tables import print_table
from pentathlon_engines.cli.series import records_failed
from pentathlon_engines.desk.match_pool import (
    Finished,
    Setting,
    play_all,
    result_of,
    stop_on_interrupt,
)
from pentathlon_engines.desk.record_files import write_whole
from pentathlon_engines.desk.report_page import report_page
from pentathlon_engines.desk.standings import DeskStanding, standings
from pentathlon_engines.desk.tournament import DeskTournament
from pentathlon_engines.desk.tournament_folder import TournamentFolder, open_folder
from pentathlon_engines.errors import BadFolder
from pentathlon_engines.tournament.document import TournamentDocument

REPORT: Final = "report.html"
"""The name of the file with a tournament's page, in its folder."""
_EARLY: Final = 5
_MOST_COLUMNS: Final = 12

Describe = Callable[[DeskTournament], str]
"""A function that describes the progress in a few words."""


class TournamentRun:
    """A tournament and its folder."""

    def __init__(
        self,
        document: TournamentDocument,
        *,
        published: Mapping[str, Any],  # Any: JSON
        path: Path,
        secret: bytes | None,
        hashes: Sequence[str],
    ) -> None:
        """Open or create the folder; its stored matches count as played."""
        try:
            self.folder: TournamentFolder = open_folder(
                path, document=published, hashes=hashes, secret=secret
            )
        except BadFolder as error:
            raise CommandFailed(
                f"{error}.", try_next="the same command with another --records"
            ) from error
        except OSError as error:
            raise records_failed(path, error) from error
        self.tournament = DeskTournament(
            document, secret=self.folder.secret, published=published, find=self.folder.find
        )
        self.is_interrupted = False
        self._faults = FaultExamples()
        self._played = 0
        self._began_s = time.monotonic()

    def keeping(self, setting: Setting) -> Setting:
        """Return the setting, with records written to the folder."""
        return replace(setting, keep=self.folder.keep_record)

    def play(self, setting: Setting, *, concurrency: int, describe: Describe | None) -> None:
        """Play the remaining matches until the end or Ctrl-C; with `describe`, show progress."""
        with stop_on_interrupt() as stop:
            try:
                for finished in play_all(
                    self.tournament.next_match, setting.play, concurrency=concurrency, stop=stop
                ):
                    self._take(finished)
                    if describe is not None and is_terminal():
                        show_on_one_line(self._progress(describe))
            except OSError as error:
                raise records_failed(self.folder.path, error) from error
        self.is_interrupted = self.tournament.over is None or any(
            not block.is_complete for block in self.tournament.blocks
        )

    def write_report(self, *, name: str) -> Path:
        """Write the page of the tournament into its folder."""
        path = self.folder.path / REPORT
        try:
            write_whole(path, report_page(self.tournament, name=name).encode())
        except OSError as error:
            raise records_failed(self.folder.path, error) from error
        return path

    def explain_faults(self) -> None:
        """Explain one fault of each kind that happened in this run."""
        self._faults.explain()

    def _take(self, finished: Finished) -> None:
        match, report = finished.match, finished.report
        self._played += 1
        if report is None:
            self.folder.keep_void(match, finished.problem)
            self.tournament.take(match, None)
            return
        self._faults.take(report, match.players)
        self.tournament.take(match, result_of(report.record))

    def _progress(self, describe: Describe) -> str:
        tournament = self.tournament
        ended, expected = len(tournament.results), tournament.size.expected
        parts = [f"{ended} of {max(ended, expected)} matches", describe(tournament)]
        if self._played >= _EARLY:
            per_s = self._played / max(time.monotonic() - self._began_s, 1e-9)
            parts.append(f"{per_s:.1f} matches/s")
            parts.append(f"about {max(0, expected - ended) / per_s:.0f} s left")
        return " · ".join(part for part in parts if part)


def describe_round(tournament: DeskTournament) -> str:
    """Name the round of the latest block."""
    return f"round {tournament.blocks[-1].round}" if tournament.blocks else ""


def show_standings(rows: Sequence[DeskStanding]) -> None:
    """Print the table and, if it fits a terminal, the crosstable."""
    print_table(
        ("#", "bot", "strength", "ranks", "best", "points", "won", "drawn", "lost", "faults"),
        [_table_row(row) for row in rows],
    )
    if len(rows) > _MOST_COLUMNS:
        return
    print_table(
        ("", "points against", *(f"{row.place}." for row in rows)),
        [(f"{row.place}.", row.name, *(_cell(row, other) for other in rows)) for row in rows],
    )


def summarize_tournament(run: TournamentRun) -> dict[str, Any]:
    """Return all of a tournament as JSON; seats have numbers of entries, from 0."""
    tournament = run.tournament
    rows = standings(tournament)
    over = tournament.over
    return {
        "document": tournament.document.to_json(),
        "records": str(run.folder.path),
        "complete": not run.is_interrupted,
        "remark": over.remark if over else None,
        "places": None if over is None or over.places is None else [list(p) for p in over.places],
        "standings": [_summarize_row(row) for row in rows],
        "matches": [
            {
                "index": index,
                "round": tournament.rounds[tournament.matches[index].block],
                "block": tournament.matches[index].block,
                "seed": tournament.matches[index].seed,
                "seats": list(tournament.matches[index].players),
                "ranks": None if result is None else list(result.ranks),
                "reason": None if result is None else result.reason,
                "chain": None if result is None else result.chain,
            }
            for index, result in sorted(tournament.results.items())
        ],
    }


def _summarize_row(row: DeskStanding) -> dict[str, Any]:
    low, high = row.interval
    return {
        "place": row.place,
        "entry": row.number,
        "bot": row.name,
        "strength": round(row.strength, 3),
        "low": round(low, 3),
        "high": round(high, 3),
        "ranks": [row.ranks.best, row.ranks.worst],
        "chance_of_best": round(row.chance_of_best, 4),
        "group": row.group,
        "points": row.points,
        "byes": row.byes,
        "matches": row.line.matches,
        "wins": row.line.wins,
        "draws": row.line.draws,
        "losses": row.line.losses,
        "faults": row.line.faults,
        "tie_breaks": dict(row.tie_breaks),
        "against": {str(other): counts for other, counts in sorted(row.line.against.items())},
    }


def _table_row(row: DeskStanding) -> tuple[str, ...]:
    counts = (row.line.wins, row.line.draws, row.line.losses, row.line.faults)
    return (
        str(row.place),
        row.name,
        f"{row.strength:.1f} ± {row.reach:.1f}",
        str(row.ranks),
        f"{row.chance_of_best:.0%}",
        f"{row.points:g}",
        *map(str, counts),
    )


def _cell(row: DeskStanding, other: DeskStanding) -> str:
    if row.number == other.number:
        return "·"
    won, level, lost = row.line.against.get(other.number, (0, 0, 0))
    return f"{won + level / 2:g}/{won + level + lost}" if won + level + lost else "–"
