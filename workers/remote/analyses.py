"""Analyses over HTTPS, for workers with a worker token."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from pentathlon.insight.analyses.jobs import ClaimedAnalysis, Row
from workers.remote.adapter import RemotePlatform


class RemoteAnalyses:
    """Asks the site."""

    look_s = 2.0

    def __init__(self, platform: RemotePlatform) -> None:
        self._platform = platform

    def claim(self, match_id: int, *, is_lent: bool = False) -> ClaimedAnalysis | None:
        """Take a waiting analysis; None if there is none."""
        answer = self._ask("claims", {"match_id": match_id, "is_lent": is_lent})
        if not answer["token"]:
            return None
        return ClaimedAnalysis(UUID(answer["token"]), answer["record"], answer["measured"])

    def end_loan(self, match_id: int, *, held_s: float) -> None:
        """Return a lent slot, which was used for this many seconds."""
        self._ask("loans", {"match_id": match_id, "held_s": held_s})

    def has_waiting_matches(self) -> bool:
        """Return whether a match waits for a slot."""
        return bool(self._ask("demand", {})["has_waiting_matches"])

    def renew(self, match_id: int, token: UUID) -> bool:
        """Renew the lease of an analysis; return whether it is still this worker's."""
        return self._held("leases", match_id, token)

    def store(
        self,
        match_id: int,
        token: UUID,
        *,
        curve: dict[str, Any],  # Any: JSON
        cpu_ms: int,
    ) -> bool:
        """Hand in a curve; return whether it was still this worker's to compute."""
        return self._held("results", match_id, token, curve=curve, cpu_ms=cpu_ms)

    def fail(self, match_id: int, token: UUID, *, error: str) -> bool:
        """Report that the curve cannot be computed; return the same."""
        return self._held("results", match_id, token, error=error)

    def give_back(
        self,
        match_id: int,
        token: UUID,
        *,
        has_died: bool = False,
        measured: Sequence[Row] = (),
        cpu_ms: int = 0,
    ) -> bool:
        """Give it back with what was measured, for any worker to continue; return the same."""
        told = {"has_died": has_died, "measured": list(measured), "cpu_ms": cpu_ms}
        return self._held("results", match_id, token, **told)

    def _held(self, path: str, match_id: int, token: UUID, **told: Any) -> bool:  # Any: JSON
        attempt = {"match_id": match_id, "token": str(token)}
        return bool(self._ask(path, {**attempt, **told})["was_held"])

    def _ask(self, path: str, told: dict[str, Any]) -> dict[str, Any]:  # Any: JSON
        return self._platform.post(f"analyses/{path}", told)
