"""Curves as workers hand them in, without any playout."""

from typing import Any

from pentathlon.insight.analyses.models import Analysis
from pentathlon.insight.analyses.services import ask_for_analysis, claim_analysis, store_curve
from pentathlon.matches.models import Match
from pentathlon_engines.analysis.curve import METHOD


def make_curve(plies: int, **changes: Any) -> dict[str, Any]:  # Any: JSON
    """Return a curve of two seats: seat 1 blunders at ply 2, and chance favours it at ply 4."""
    points = [[0, 96, [500, 500], [50, 50], [500, 500]]]
    points += [[ply, 96, [700, 300], [46, 46], [700, 300]] for ply in range(2, min(4, plies))]
    points.append([plies, 0, [0, 1000], [0, 0], [0, 1000]])
    marks = [
        {"ply": 2, "kind": "blunder", "cause": "action", "seat": 1}
        | {"before": [500, 500], "after": [700, 300]},
        {"ply": 4, "kind": "turning_point", "cause": "chance", "seat": None}
        | {"before": [700, 300], "after": [200, 800]},
    ]
    return {
        "method": METHOD,
        "plies": plies,
        "points": points,
        "marks": marks,
        "accuracies": [
            {"value": 91.5, "error": 4.2, "decisions": 7, "loss": 0.02},
            {"value": None, "error": 0.0, "decisions": 3, "loss": 0.0},
        ],
        "playouts": 300,
        **changes,
    }


def analyse(match: Match, **changes: Any) -> Analysis:  # Any: JSON
    """Store a curve of a finished match."""
    ask_for_analysis(Match.objects.with_privacy().get(pk=match.pk))
    claimed = claim_analysis(match.pk)
    assert claimed is not None
    curve = make_curve(match.ply, **changes)
    assert store_curve(match_id=match.pk, token=claimed.token, curve=curve, cpu_ms=1200)
    return Analysis.objects.get(pk=match.pk)
