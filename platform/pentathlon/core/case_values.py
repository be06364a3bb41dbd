"""Updates of many rows to different values, in one query."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.db.models import Case, Field, Value, When


def by_id(values: Mapping[int, object], field: Field[Any, Any]) -> Case:
    """Return an expression with the value of each row, by the row's id."""
    return by(values, column="pk", field=field)


def by(values: Mapping[Any, object], *, column: str, field: Field[Any, Any]) -> Case:
    """Return an expression with the value of each row, by the row's `column`."""
    cases = (When(**{column: key}, then=Value(value, field)) for key, value in values.items())
    return Case(*cases, output_field=field)
