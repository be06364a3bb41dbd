"""Cases of wide tables: a few of them in every run, all of them in `manage.py test deep`."""

from collections.abc import Container, Iterable

import pytest


def mostly_deep(cases: Iterable[object], *, keep: Container[object]) -> list[object]:
    """Return the cases for `parametrize`, with those that are not kept marked `deep`."""
    return [case if case in keep else pytest.param(case, marks=pytest.mark.deep) for case in cases]
