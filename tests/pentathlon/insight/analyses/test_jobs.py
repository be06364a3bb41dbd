"""Loans cost matches at most their share of the slots' time, whoever opens what."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from random import Random

import pytest

from pentathlon.insight.analyses.jobs import LOAN_S, LONGEST_LOAN_S, SHARE, next_loan_at, pause_s
from tests.deep import mostly_deep

BEGIN = datetime(2026, 1, 1, tzinfo=UTC)
DAY_S = 24 * 3600.0
ANALYSIS_S = (1.4, 2.4, 3.7, 11.0, LOAN_S)
"""The times that analyses of the games take; the last one fills a loan and goes on in the next."""


def play_for_a_day(slots: int, *, does_lend: bool, seed: int) -> int:
    """Return how many matches are played while matches and analyses always wait.

    Each slot takes what waits: a loan if one may begin, else a match of 1 to 8 s.
    """
    chance = Random(seed)
    free_at = [0.0] * slots
    lent_at, played = BEGIN, 0
    while (now := min(free_at)) < DAY_S:
        slot = free_at.index(now)
        if does_lend and BEGIN + timedelta(seconds=now) >= lent_at:
            held_s = chance.choice(ANALYSIS_S)
            begun_at = BEGIN + timedelta(seconds=now)
            lent_at = next_loan_at(begun_at=begun_at, held_s=held_s, slots=slots)
            free_at[slot] += held_s
        else:
            free_at[slot] += chance.uniform(1, 8)
            played += 1
    return played


@pytest.mark.parametrize("slots", mostly_deep([1, 2, 16], keep=[2]))
def test_matches_lose_no_more_than_the_share(slots: int) -> None:
    without = play_for_a_day(slots, does_lend=False, seed=slots)
    beside = play_for_a_day(slots, does_lend=True, seed=slots)

    # The lengths of matches are drawn for each run, so a difference of 0.01 may be chance.
    assert 1 - SHARE - 0.01 <= beside / without <= 1 - SHARE + 0.01


def test_running_loan_counts_in_full() -> None:
    running = next_loan_at(begun_at=BEGIN, held_s=None, slots=2)

    assert running == BEGIN + timedelta(seconds=pause_s(LONGEST_LOAN_S, slots=2))
