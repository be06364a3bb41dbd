"""Results of stretches as workers hand them in. Free of Django."""

from __future__ import annotations

from typing import Final

import msgspec

from pentathlon.core.errors import InvalidInput
from pentathlon.friendlies.jobs import StretchResult
from pentathlon_engines.match.faults import FaultKind
from pentathlon_engines.match.launcher import SandboxLevel

_MOST_TEXTS: Final = 64
_LONGEST_TEXT: Final = 300


def stretch_result_from_json(told: object) -> StretchResult:
    """Read a result; raise `InvalidInput` for anything else."""
    try:
        result = msgspec.convert(told, StretchResult)
        SandboxLevel(result.sandbox)
        for fault in result.faults:
            FaultKind(fault["kind"])
    except (msgspec.ValidationError, ValueError) as error:
        raise InvalidInput(f"The result cannot be read: {error}.", code="bad_result") from error
    texts = [*result.layers, *(fault["detail"] for fault in result.faults)]
    if len(texts) > _MOST_TEXTS or any(len(text) > _LONGEST_TEXT for text in texts):
        raise InvalidInput("The result has too much text.", code="bad_result")
    return result
