"""Reads of analyses, for pages and the API."""

from __future__ import annotations

from typing import Any, Final

from pentathlon.core.errors import NotFound
from pentathlon.insight.analyses.models import Analysis, AnalysisState
from pentathlon.insight.analyses.services import ask_for_analysis
from pentathlon.matches.models import Match, MatchState
from pentathlon_engines.commentary.words import count

NOT_READY: Final = "analysis_not_ready"


def read_curve(match: Match) -> dict[str, Any]:  # Any: JSON
    """Return the curve of a match; if there is none yet, have it computed soon.

    Raises:
        NotFound: `match_not_done`; `analysis_not_ready`: ask again in some minutes;
            `analysis_failed`: the curve cannot be computed; `analysis_hidden`: it is not computed
            before everybody may see the match.
    """
    if match.state != MatchState.DONE:
        raise NotFound(
            f"Match {match.pk} is not done: its chances are computed when it is over.",
            code="match_not_done",
        )
    if match.is_private:
        raise NotFound(
            f"Not everybody may see match {match.pk}: its chances are computed when its results "
            "are released.",
            code="analysis_hidden",
        )
    found = Analysis.objects.filter(pk=match.pk).first()
    if found is None or found.asked_at is None:
        ask_for_analysis(match)
    if found is not None and found.curve is not None:
        curve: dict[str, Any] = found.curve  # Any: JSON
        return curve
    if found is not None and found.state == AnalysisState.FAILED:
        raise NotFound(
            f"The chances of match {match.pk} cannot be computed ({found.error}). The operators "
            "of this site can say why; its replay is not affected.",
            code="analysis_failed",
        )
    raise NotFound(
        f"The chances of match {match.pk} are not computed yet: workers do that when nothing "
        f"waits to be played, or beside matches for one replay at a time. {_how_far(found)}",
        code=NOT_READY,
    )


def _how_far(found: Analysis | None) -> str:
    rows = (found.measured or {}).get("rows", []) if found is not None else []
    if rows:
        return f"Measured so far: {count(len(rows), 'position')}; the others follow."
    return "Your request is noted. Ask again in about two minutes."
