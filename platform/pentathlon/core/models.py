from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.db import models
from django.db.models import Case, Expression, Field, Value, When


class Damageable(models.Model):
    """A row by whose content, hash or signature damage to it is seen; see `operations.damage`."""

    damaged_at = models.DateTimeField(null=True, editable=False)
    """When scrubbing found that this is not what was stored."""

    class Meta:
        abstract = True


class Leadership(models.Model):
    """The right of one process to do one kind of work alone for a while, such as reconciling.

    `matches.expiry` keeps the times of its checks in two rows of this table, `operations.backups`
    that of the last backup in a third, and `operations.times` the latest that it has seen in a
    fourth.
    """

    name = models.CharField(max_length=40, primary_key=True)
    holder = models.CharField(max_length=80)
    until = models.DateTimeField()

    def __str__(self) -> str:
        return f"{self.name} held by {self.holder}"


def by_id(values: Mapping[Any, object], field: Field[Any, Any]) -> Case:  # Any: as the field's
    """Return an expression with the value of each row, by the row's id."""
    cases = (
        When(pk=key, then=value if isinstance(value, Expression) else Value(value, field))
        for key, value in values.items()
    )
    return Case(*cases, output_field=field)
