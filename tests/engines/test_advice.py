"""Every fault comes with what its author can do about it."""

from __future__ import annotations

import pytest

from pentathlon_engines.advice import what_to_do
from pentathlon_engines.faults import FaultKind


@pytest.mark.parametrize("kind", list(FaultKind))
def test_every_kind_of_fault_has_advice(kind: FaultKind) -> None:
    assert what_to_do(kind.value).endswith(".")
