from __future__ import annotations

from dataclasses import replace

import pytest

from pentathlon_engines.match.faults import FaultKind
from pentathlon_engines.match.launcher import Usage
from pentathlon_engines.match.limits import Limits
from workers.sandbox.resources.breaches import Evidence, Footprint, breach_of, explain_end

LIMITS = Limits(memory_mb=64, scratch_mb=16, scratch_files=100, tasks=8)
MEBIBYTE = 1 << 20
LIGHT = Footprint(threads=1, resident_bytes=MEBIBYTE, scratch_files=1, scratch_bytes=0)
FULL = Evidence(scratch_bytes=16 * MEBIBYTE)
REFUSED = Evidence(task_refused=True)
OUT_OF_MEMORY = Evidence(killed_for_memory=True)


def ended(exit_status: int) -> Usage:
    return Usage(cpu_s=0.1, wall_s=1.0, memory_peak_mb=10.0, exit_status=exit_status)


@pytest.mark.parametrize(
    ("held", "kind", "words"),
    [
        ({}, None, ""),
        ({"resident_bytes": 65 * MEBIBYTE}, FaultKind.MEMORY, "held 65 MiB of memory; 64 MiB"),
        ({"threads": 9}, FaultKind.PROCESSES, "9 threads; 8 are allowed"),
        ({"scratch_files": 101}, FaultKind.SCRATCH, "more than 100 files"),
        ({"scratch_bytes": 17 * MEBIBYTE}, FaultKind.SCRATCH, "more than 16 MiB"),
    ],
)
def test_footprint_breaks_the_limit_that_it_exceeds(
    held: dict[str, int], kind: FaultKind | None, words: str
) -> None:
    breach = breach_of(replace(LIGHT, **held), LIMITS)

    assert (breach.kind if breach else None) == kind
    assert words in (breach.detail if breach else "")


@pytest.mark.parametrize(
    ("exit_status", "evidence", "kind"),
    [
        pytest.param(1, Evidence(), None, id="a crash"),
        pytest.param(1, FULL, FaultKind.SCRATCH, id="a full scratch folder"),
        pytest.param(-6, FULL, FaultKind.SCRATCH, id="an abort on a full scratch folder"),
        pytest.param(0, FULL, None, id="a good end"),
        pytest.param(-9, FULL, None, id="a kill on a full scratch folder"),
        pytest.param(1, REFUSED, FaultKind.PROCESSES, id="a refused thread"),
        pytest.param(-6, REFUSED, FaultKind.PROCESSES, id="an abort after a refused thread"),
        pytest.param(0, REFUSED, None, id="a good end after a refused thread"),
        pytest.param(-9, REFUSED, None, id="a kill after a refused thread"),
        pytest.param(-9, OUT_OF_MEMORY, FaultKind.MEMORY, id="a kill for memory"),
        pytest.param(1, OUT_OF_MEMORY, FaultKind.MEMORY, id="a child killed for memory"),
        pytest.param(-31, OUT_OF_MEMORY, FaultKind.SECURITY, id="a forbidden call"),
        pytest.param(-24, FULL, FaultKind.CPU_TIME, id="too much CPU time"),
    ],
)
def test_end_is_explained_by_what_the_kernel_noted(
    exit_status: int, evidence: Evidence, kind: FaultKind | None
) -> None:
    breach = explain_end(ended(exit_status), LIMITS, evidence)

    assert (breach.kind if breach else None) == kind
