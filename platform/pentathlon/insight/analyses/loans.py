"""Loans: slots that compute analyses for a short stretch while matches wait.

Where ladders play without end, no slot is ever idle. So a slot is lent to a match that somebody
has opened. What a loan measures is kept, and the next loan continues from there. A loan has its
price: for each second that it held the slot, no other loan begins for `1 / (SHARE * slots)`
seconds. So matches lose no more than `SHARE` of the slots' time.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Final

SHARE: Final = 0.03
"""The share of all slots' time that loans may take from waiting matches."""
LOAN_S: Final = 20.0
"""Seconds after which the slot returns to matches, if the loan has measured something."""
LONGEST_LOAN_S: Final = 120.0
"""Seconds after which a loan ends in any case: on a very busy host, one ply may take a minute."""
PATIENCE_S: Final = 10.0
"""Seconds that a requested analysis waits for an idle slot before it may get a loan."""


def next_loan_at(*, begun_at: datetime, held_s: float | None, slots: int) -> datetime:
    """Return when the next loan may begin after a loan that held its slot for `held_s` seconds.

    A loan that still runs, or whose worker has died (`held_s` None), counts as one of the longest.
    """
    charged_s = LONGEST_LOAN_S if held_s is None else held_s
    return begun_at + timedelta(seconds=pause_s(charged_s, slots=slots))


def pause_s(held_s: float, *, slots: int) -> float:
    """Return the time from the beginning of a loan to that of the next.

    >>> round(pause_s(3.6, slots=2))
    60
    """
    return held_s / (SHARE * max(1, slots))
