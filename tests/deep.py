"""Cases of wide tables: a few of them in every run, all of them in `manage.py test deep`."""

from collections.abc import Container, Iterable, Sequence

import pytest


def mostly_deep(cases: Iterable[object], *, keep: Container[object]) -> list[object]:
    """Return the cases for `parametrize`, with those that are not kept marked `deep`."""
    return [case if case in keep else pytest.param(case, marks=pytest.mark.deep) for case in cases]


def by_turns(places: Sequence[object], cases: Iterable[tuple[object, ...]]) -> list[object]:
    """Return each case at each place, a value put before it; all but one place, in turns, deep."""
    return [
        pytest.param(
            place,
            *case,
            id="-".join(map(_name_of, (place, *case))),
            marks=[pytest.mark.deep] * (turn != number % len(places)),
        )
        for number, case in enumerate(cases)
        for turn, place in enumerate(places)
    ]


def _name_of(value: object) -> str:
    if isinstance(value, tuple):
        return "-".join(map(str, value))
    return getattr(value, "__name__", str(value))
