"""Win-chance curves as workers hand them in. Free of Django.

A curve does not follow from the record alone: playouts are drawn. So nobody can compute it again
cheaply, and only its shape is checked here.
"""

from __future__ import annotations

from typing import Annotated, Any

import msgspec

from pentathlon.core.errors import InvalidInput
from pentathlon.insight.analyses.jobs import AnalysisResult, Row
from pentathlon_engines.analysis.curve import METHOD

_Count = Annotated[int, msgspec.Meta(ge=0, le=10**9)]
_Thousandth = Annotated[int, msgspec.Meta(ge=0, le=1000)]
_Thousandths = list[_Thousandth]
_Figure = Annotated[float, msgspec.Meta(ge=-1000, le=1000)]
_Share = Annotated[float, msgspec.Meta(ge=0, le=1.001)]
"""A share from 0 to 1; a sum of floats may end slightly above 1."""
_Word = Annotated[str, msgspec.Meta(pattern=r"^[a-z_]{1,30}$")]
_MOST = 4096
_Json = dict[str, Any]  # Any: JSON


class _Mark(msgspec.Struct, forbid_unknown_fields=True):
    ply: _Count
    kind: _Word
    cause: _Word
    seat: Annotated[int, msgspec.Meta(ge=0, le=7)] | None
    before: _Thousandths
    after: _Thousandths


class _Accuracy(msgspec.Struct, forbid_unknown_fields=True):
    value: _Figure | None
    error: _Figure
    decisions: _Count
    loss: _Figure


class _Point(msgspec.Struct, array_like=True, forbid_unknown_fields=True):
    ply: _Count
    playouts: _Count
    chances: _Thousandths
    errors: _Thousandths
    shares: _Thousandths


class _Measurement(msgspec.Struct, array_like=True, forbid_unknown_fields=True):
    ply: _Count
    again: Annotated[int, msgspec.Meta(ge=0, le=1)]
    playouts: _Count
    chances: list[_Share]
    errors: list[_Share]
    shares: list[_Share]


class _Curve(msgspec.Struct, forbid_unknown_fields=True):
    method: Annotated[int, msgspec.Meta(ge=METHOD, le=METHOD)]
    plies: _Count
    points: Annotated[list[_Point], msgspec.Meta(min_length=1, max_length=_MOST)]
    marks: Annotated[list[_Mark], msgspec.Meta(max_length=_MOST)]
    accuracies: Annotated[list[_Accuracy], msgspec.Meta(max_length=8)]
    playouts: _Count


def result_from_json(told: object) -> AnalysisResult:
    """Read a result; raise `InvalidInput` for anything else. `curve_from_json` reads the curve."""
    try:
        result = msgspec.convert(told, AnalysisResult)
    except msgspec.ValidationError as error:
        raise InvalidInput(f"The result cannot be read: {error}.", code="bad_result") from error
    if result.curve is None and not result.error:
        raise InvalidInput("The result has neither a curve nor an error.", code="bad_result")
    return result


def curve_from_json(told: object, *, seats: int, plies: int) -> _Json:
    """Return a curve of a match as it is stored; raise `InvalidInput` for anything else."""
    try:
        found = msgspec.convert(told, _Curve)
    except msgspec.ValidationError as error:
        raise _refusal(str(error)) from error
    marks = [side for mark in found.marks for side in (mark.before, mark.after)]
    points = [
        side for point in found.points for side in (point.chances, point.errors, point.shares)
    ]
    if {len(found.accuracies), *map(len, marks), *map(len, points)} != {seats}:
        raise _refusal(f"each figure is needed for each of {seats} seats")
    named = [mark.ply for mark in found.marks] + [point.ply for point in found.points]
    if found.plies != plies or max(named) > plies:
        raise _refusal(f"the match has {plies} plies")
    if any(mark.seat is not None and mark.seat >= seats for mark in found.marks):
        raise _refusal(f"the match has {seats} seats")
    curve: _Json = msgspec.to_builtins(found)
    return curve


def measured_from_json(told: object, *, seats: int, plies: int) -> list[Row]:
    """Return measurements as they are stored; raise `InvalidInput` for anything else."""
    try:
        found = msgspec.convert(told, list[_Measurement])
    except msgspec.ValidationError as error:
        raise _refusal(str(error)) from error
    sides = [side for each in found for side in (each.chances, each.errors, each.shares)]
    if any(len(side) != seats for side in sides):
        raise _refusal(f"each figure is needed for each of {seats} seats")
    if any(each.ply > plies for each in found):
        raise _refusal(f"the match has {plies} plies")
    rows: list[Row] = msgspec.to_builtins(found)
    return rows


def _refusal(reason: str) -> InvalidInput:
    return InvalidInput(f"The curve cannot be read: {reason}.", code="bad_curve", field="curve")
