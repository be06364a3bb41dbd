"""The tint of a cell in a crosstable: how much one bot took from another, in five steps."""

from typing import Final

_BOUNDS: Final = (0.25, 0.45, 0.55, 0.75)
"""Shares at which the tint changes; those between the middle two count as level."""


def tint(share: float) -> str:
    """Return the CSS class of a share of points, from t1 (lost) to t5 (won).

    >>> [tint(share) for share in (0.0, 0.4, 0.5, 0.6, 1.0)]
    ['t1', 't2', 't3', 't4', 't5']
    """
    low, below, above, high = _BOUNDS
    if share <= low:
        return "t1"
    if share < below:
        return "t2"
    if share <= above:
        return "t3"
    return "t4" if share < high else "t5"
