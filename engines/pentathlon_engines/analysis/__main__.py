"""Compute the curve of a record in a process of its own: `python -m pentathlon_engines.analysis`.

The process reads `{"record": {...}, "measured": [...]}` as JSON from standard input: a record, and
the measurements of an earlier try. It writes a line `{"measured": [...], "cpu_ms": 12}` for each
new measurement, so its parent sees progress, and can stop the process and continue later. It ends
when nobody reads its output any more. The last line is `{"curve": {...}}`, or
`{"error": code, "detail": sentence}`.

The process gives way to all others, unless its argument is another niceness than 19, and the
kernel ends it if it computes for too long.
"""

from __future__ import annotations

import json
import os
import resource
import sys
from typing import Any, Final

from pentathlon_engines.analysis.curve import Measurement, draw_curve
from pentathlon_engines.errors import EngineError
from pentathlon_engines.record.shape import check_shape

MOST_CPU_S: Final = 300
MOST_MEMORY_MB: Final = 1024
_NICE: Final = 19


def main(*, niceness: int = _NICE) -> None:
    """Read a record, and write its curve."""
    os.nice(niceness)
    resource.setrlimit(resource.RLIMIT_CPU, (MOST_CPU_S, MOST_CPU_S + 5))
    memory = MOST_MEMORY_MB * 1024 * 1024
    resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    try:
        asked = json.load(sys.stdin)
        known = [Measurement.of(row) for row in asked["measured"]]
        curve = draw_curve(check_shape(asked["record"]), known=known, on_point=_tell_measured)
    except (EngineError, ValueError) as error:
        _tell({"error": getattr(error, "code", "bad_record"), "detail": str(error)})
        return
    _tell({"curve": curve.to_json(), "cpu_ms": _cpu_ms()})


def _tell_measured(found: Measurement) -> None:
    _tell({"measured": found.to_json(), "cpu_ms": _cpu_ms()})


def _cpu_ms() -> int:
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return round(1000 * (usage.ru_utime + usage.ru_stime))


def _tell(message: dict[str, Any]) -> None:  # Any: JSON
    sys.stdout.write(json.dumps(message, separators=(",", ":")) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main(niceness=int(sys.argv[1]) if len(sys.argv) > 1 else _NICE)
