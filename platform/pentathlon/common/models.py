from __future__ import annotations

from django.db import models


class Lease(models.Model):
    """The right to do one kind of work alone for a while, such as reconciling."""

    name = models.CharField(max_length=40, primary_key=True)
    holder = models.CharField(max_length=80)
    until = models.DateTimeField()

    def __str__(self) -> str:
        return f"{self.name} held by {self.holder}"
