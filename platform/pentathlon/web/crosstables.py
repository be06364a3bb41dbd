"""The crosstable of a tournament, cell by cell."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pentathlon.tournaments.standings import CrosstableRow, Score, Standing

_BOUNDS = (0.25, 0.45, 0.55, 0.75)
"""Shares at which the tint changes; both middle ones still count as level."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """What one bot version won from another."""

    points: float
    tint: str
    said: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One bot version against all; None stands for itself."""

    standing: Standing
    cells: list[Cell | None]


def crosstable_rows(rows: Sequence[CrosstableRow]) -> list[Row]:
    """Return the rows with tints and the sentences that screen readers say."""
    return [Row(standing=row.standing, cells=list(_cells(row, rows))) for row in rows]


def tint(share: float | None) -> str:
    """Return the class of a share of points: t1 (lost) to t5 (won); none before a match."""
    if share is None:
        return ""
    low, below, above, high = _BOUNDS
    if share <= low:
        return "t1"
    if share < below:
        return "t2"
    if share <= above:
        return "t3"
    return "t4" if share < high else "t5"


def _cells(row: CrosstableRow, rows: Sequence[CrosstableRow]) -> Iterator[Cell | None]:
    for other, score in zip(rows, row.cells, strict=True):
        yield None if score is None else _cell(row.standing, other.standing, score)


def _cell(standing: Standing, other: Standing, score: Score) -> Cell:
    names = f"{standing.version.bot.name} against {other.version.bot.name}"
    return Cell(
        points=score.points,
        tint=tint(score.share),
        said=f"{names}: {score.points:g} of {score.meetings}",
    )
