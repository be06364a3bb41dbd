"""The values that a worker needs to compute an analysis. Free of Django."""

from __future__ import annotations

from typing import Any, NamedTuple
from uuid import UUID

from pentathlon_engines.record.shape import Record

Row = list[Any]  # Any: JSON
"""A measurement as `pentathlon_engines.analysis.curve.Measurement.to_json` writes it."""


class ClaimedAnalysis(NamedTuple):
    """The right to hand in the curve of a record."""

    token: UUID
    record: Record
    measured: list[Row]
    """The measurements of earlier attempts."""
