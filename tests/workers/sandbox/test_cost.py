"""What the sandbox costs over a plain process can be measured on every machine."""

from __future__ import annotations

import os
import re

import pytest

from workers.sandbox import cost


@pytest.mark.deep
def test_every_level_and_every_step_is_measured(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    own = os.sched_getaffinity(0)
    monkeypatch.setattr(cost, "_ROUNDS", 1)

    try:
        assert cost.main() == 0
    finally:
        os.sched_setaffinity(0, own)

    *kinds, forks, steps = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in kinds] == ["plain", "forks", "bubblewrap", "landlock"]
    assert all(re.search(r"\d", line) for line in kinds)
    assert forks.startswith("CPU ms of a fork: ")
    assert steps.startswith("CPU ms of bubblewrap: ")
