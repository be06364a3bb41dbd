"""The values that a worker receives and hands in for an analysis. Free of Django."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Annotated, Any, ClassVar, Final
from uuid import UUID

import msgspec

from pentathlon.fleet.announcements import ANALYSE_MATCH
from pentathlon_engines.record.shape import Record

Row = list[Any]  # Any: JSON
"""A measurement as `pentathlon_engines.analysis.curve.Measurement.to_json` writes it."""
SHARE: Final = 0.03
"""The share of all slots' time that loans may take from waiting matches."""
LOAN_S: Final = 20.0
"""Seconds after which the slot returns to matches, if the loan has measured something."""
LONGEST_LOAN_S: Final = 120.0
"""Seconds after which a loan ends in any case: on a very busy host, one ply may take a minute."""
PATIENCE_S: Final = 10.0
"""Seconds that a requested analysis waits for an idle slot before it may get a loan."""


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


def next_loan_at(*, begun_at: datetime, held_s: float | None, slots: int) -> datetime:
    """Return when the next loan may begin after a loan that held its slot for `held_s` seconds.

    A loan that still runs, or whose worker has died (`held_s` None), counts as one of the longest.
    """
    charged_s = LONGEST_LOAN_S if held_s is None else held_s
    return begun_at + timedelta(seconds=pause_s(charged_s, slots=slots))


def pause_s(held_s: float, *, slots: int) -> float:
    """Return the time from the beginning of a loan to that of the next.

    >>> round(pause_s(3.6, slots=2))
    60
    """
    return held_s / (SHARE * max(1, slots))
