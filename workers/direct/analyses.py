"""Analyses from the database, for workers on the platform's own machine."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from pentathlon.insight.analyses.jobs import ClaimedAnalysis, Row
from pentathlon.insight.analyses.services import (
    claim_analysis,
    end_loan,
    fail_analysis,
    renew_analysis,
    return_analysis,
    store_curve,
)
from pentathlon.matches.models import Match
from workers.direct.adapter import asking


class DirectAnalyses:
    """Calls the services of the platform; raises `PlatformAway` when the database is away."""

    look_s = 0.5

    @asking()
    def claim(self, match_id: int, *, is_lent: bool) -> ClaimedAnalysis | None:
        """Take a waiting analysis; None if there is none."""
        return claim_analysis(match_id, is_lent=is_lent)

    @asking()
    def end_loan(self, match_id: int, *, held_s: float) -> None:
        """Return a lent slot, which was used for this many seconds."""
        end_loan(match_id=match_id, held_s=held_s)

    @asking()
    def has_waiting_matches(self) -> bool:
        """Return whether a match waits for a slot."""
        return Match.objects.sent().exists()

    @asking()
    def renew(self, match_id: int, token: UUID) -> bool:
        """Renew the lease of an analysis; return whether it is still this worker's."""
        return renew_analysis(match_id=match_id, token=token)

    @asking()
    def store(
        self,
        match_id: int,
        token: UUID,
        *,
        curve: dict[str, Any],  # Any: JSON
        cpu_ms: int,
    ) -> None:
        """Hand in a curve."""
        store_curve(match_id=match_id, token=token, curve=curve, cpu_ms=cpu_ms)

    @asking()
    def fail(self, match_id: int, token: UUID, *, error: str) -> None:
        """Report that the curve cannot be computed."""
        fail_analysis(match_id=match_id, token=token, error=error)

    @asking()
    def give_back(
        self,
        match_id: int,
        token: UUID,
        *,
        has_died: bool = False,
        measured: Sequence[Row] = (),
        cpu_ms: int = 0,
    ) -> None:
        """Give back an analysis with what was measured; any worker may continue it later."""
        return_analysis(
            match_id=match_id, token=token, has_died=has_died, measured=measured, cpu_ms=cpu_ms
        )
