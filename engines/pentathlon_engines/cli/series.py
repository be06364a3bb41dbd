"""`pentathlon play --games`: many matches between the same bots, with the score as it grows."""

import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import typer

from pentathlon_engines.cli.failure import INTERRUPTED, CommandFailed, cannot_write
from pentathlon_engines.cli.output.matches import FaultExamples
from pentathlon_engines.cli.output.streams import (
    is_terminal,
    print_json,
    print_text,
    say,
    show_on_one_line,
)
from pentathlon_engines.cli.output.tables import print_table
from pentathlon_engines.commentary.words import count
from pentathlon_engines.desk.match_pool import (
    DeskMatch,
    Finished,
    Series,
    Setting,
    play_all,
    result_of,
    stop_on_interrupt,
)
from pentathlon_engines.desk.record_files import write_record
from pentathlon_engines.record.shape import Record
from pentathlon_engines.strength.sprt import BlockScore

_EARLY: Final = 5
"""How many matches must have ended before the time left is shown."""


class RecordFolder:
    """The folder for the records of a series; with None they are not stored."""

    def __init__(self, path: Path | None, *, game: str) -> None:
        self.path = path
        self._game = game

    def file_of(self, match: DeskMatch) -> Path | None:
        """Return the file of a match, by its seed and the number of the bot in each seat."""
        if self.path is None:
            return None
        seats = "".join(map(str, match.players))
        return self.path / f"{self._game}-{match.seed}-{seats}.json"

    def keep(self, match: DeskMatch, record: Record) -> None:
        """Write the record of a match that was played."""
        if (path := self.file_of(match)) is not None:
            write_record(path, record)


def play_series(
    setting: Setting, series: Series, *, folder: RecordFolder, concurrency: int, as_json: bool
) -> None:
    """Play all matches of a series and print what came out; exit with 130 if interrupted."""
    output = _Output(setting, series, folder, shows_progress=is_terminal() and not as_json)
    with stop_on_interrupt() as stop:
        try:
            for finished in play_all(
                series.next_match, setting.play, concurrency=concurrency, stop=stop
            ):
                output.take(finished)
        except OSError as error:
            raise records_failed(folder.path, error) from error
    is_whole = len(output.matches) == series.matches
    if as_json:
        print_json(output.summarize(is_interrupted=not is_whole))
    else:
        output.show()
    if is_whole:
        return
    kept = "" if folder.path is None else f" Their records are in {folder.path}."
    say(f"Interrupted after {len(output.matches)} of {count(series.matches, 'match')}.{kept}")
    raise typer.Exit(INTERRUPTED)


def records_failed(path: Path | None, error: OSError) -> CommandFailed:
    """Return the failure for a folder of records that cannot be written."""
    return cannot_write(path, error, try_next="the same command with another --records")


def describe_score(score: BlockScore | None) -> str:
    """Return a share of the points with its interval in words."""
    if score is None:
        return "no whole block yet"
    return f"{score.share:.1%} ({score.low:.0%}–{score.high:.0%})"


class _Output:
    """Counts the matches of a series and shows them."""

    def __init__(
        self, setting: Setting, series: Series, folder: RecordFolder, *, shows_progress: bool
    ) -> None:
        self.matches: list[dict[str, Any]] = []
        self._setting = setting
        self._series = series
        self._folder = folder
        self._shows_progress = shows_progress
        self._faults = FaultExamples()
        self._cpu_s = [0.0] * len(setting.bots)
        self._began_s = time.monotonic()

    def take(self, finished: Finished) -> None:
        """Count a match and show the score."""
        match, report = finished.match, finished.report
        result = None if report is None else result_of(report.record)
        self._series.take(match, result)
        line: dict[str, Any] = {"seed": match.seed, "match": match.alias, "block": match.block}
        line["seats"] = list(match.players)
        if report is None or result is None:
            line["problem"] = finished.problem
        else:
            self._faults.take(report, match.players)
            for player, usage in zip(match.players, report.usage, strict=True):
                self._cpu_s[player] += usage.cpu_s
            line |= {"ranks": list(result.ranks), "reason": result.reason, "plies": result.plies}
            line |= {"faults": report.record["faults"], "chain": result.chain}
            file = self._folder.file_of(match)
            line["record"] = None if file is None else str(file)
        self.matches.append(line)
        if self._shows_progress:
            show_on_one_line(self._progress())

    def summarize(self, *, is_interrupted: bool) -> dict[str, Any]:
        """Return everything as JSON."""
        return {
            "game": self._setting.game.info.key,
            "interrupted": is_interrupted,
            "played": len(self.matches) - self._series.void,
            "void": self._series.void,
            "matches_per_s": round(self._per_s(), 2),
            "bots": [self._summarize_bot(player) for player in range(len(self._setting.bots))],
            "matches": sorted(self.matches, key=lambda match: (match["block"], match["seats"])),
        }

    def show(self) -> None:
        """Print the table, then explain one fault of each kind."""
        print_text(
            f"{self._setting.game.info.key}: {count(len(self.matches), 'match')}, "
            f"{self._per_s():.1f} a second"
        )
        print_table(
            ("bot", "score", "won", "drawn", "lost", "faults", "cpu a match", "slowest"),
            [self._row(player) for player in range(len(self._setting.bots))],
        )
        if self._series.void:
            say(f"This machine could not play {count(self._series.void, 'match')}: void.")
        self._faults.explain()

    def _progress(self) -> str:
        ended, most = len(self.matches), self._series.matches
        first = self._setting.bots[0].name
        parts = [f"{ended} of {most}", f"{first} {describe_score(self._series.score(0))}"]
        if ended >= _EARLY:
            parts.append(f"{self._per_s():.1f} matches/s")
            parts.append(f"about {(most - ended) / self._per_s():.0f} s left")
        return " · ".join(parts)

    def _per_s(self) -> float:
        return len(self.matches) / max(time.monotonic() - self._began_s, 1e-9)

    def _row(self, player: int) -> Sequence[str]:
        line = self._series.tally.lines[player]
        cpu_s = self._cpu_s[player] / max(1, line.matches)
        counts = (line.wins, line.draws, line.losses, line.faults)
        return (
            self._setting.bots[player].name,
            describe_score(self._series.score(player)),
            *map(str, counts),
            f"{cpu_s:.2f} s",
            f"{line.slowest_ms} ms",
        )

    def _summarize_bot(self, player: int) -> dict[str, Any]:
        line, score = self._series.tally.lines[player], self._series.score(player)
        bot = self._setting.bots[player]
        return {
            "name": bot.name,
            "hash": bot.hash,
            "matches": line.matches,
            "wins": line.wins,
            "draws": line.draws,
            "losses": line.losses,
            "faults": line.faults,
            "points": line.points(len(self._setting.bots)),
            "share": None if score is None else round(score.share, 4),
            "low": None if score is None else round(score.low, 4),
            "high": None if score is None else round(score.high, 4),
            "cpu_s": round(self._cpu_s[player], 3),
            "slowest_ms": line.slowest_ms,
        }
