"""The values that a worker receives and hands in for an analysis. Free of Django."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, ClassVar
from uuid import UUID

import msgspec

from pentathlon.fleet.announcements import ANALYSE_MATCH
from pentathlon_engines.record.shape import Record

Row = list[Any]  # Any: JSON
"""A measurement as `pentathlon_engines.analysis.curve.Measurement.to_json` writes it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AnalysisJob:
    """The input of a worker that computes the curve of a match."""

    task: ClassVar[str] = ANALYSE_MATCH
    limits: ClassVar[dict[str, float | int]] = {}
    id: int
    token: UUID
    record: Record
    measured: list[Row]
    """The measurements of earlier attempts."""
    is_lent: bool
    """Whether the slot is lent, so that it may be kept for a while although matches wait."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AnalysisResult:
    """A curve, or why it cannot be computed."""

    task: ClassVar[str] = ANALYSE_MATCH
    id: int
    token: UUID
    cpu_ms: Annotated[int, msgspec.Meta(ge=0, le=2**31 - 1)] = 0
    curve: dict[str, Any] | None = None  # Any: JSON
    error: Annotated[str, msgspec.Meta(pattern=r"^[a-z_]{0,30}$")] = ""
