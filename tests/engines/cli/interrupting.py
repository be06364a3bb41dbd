"""Ctrl-C in the middle of a command."""

import os
import signal
from typing import Any

import pytest

from pentathlon_engines.desk import match_pool
from pentathlon_engines.runner import MatchReport
from tests.engines.desk.acting import play_in_process


def interrupt_after(matches: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Press Ctrl-C while the match after so many others is played."""
    played = []

    def play(**facts: Any) -> MatchReport:
        played.append(facts["match"])
        if len(played) == matches + 1:
            os.kill(os.getpid(), signal.SIGINT)
        if len(played) > matches:
            while True:  # until the tick abandons it
                facts["on_tick"](0)
        return play_in_process(**facts)

    monkeypatch.setattr(match_pool, "play_match", play)
