"""Quotas: how much of something one person may have, and how much they have."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from pentathlon.core.errors import Conflict


@dataclass(frozen=True, slots=True, kw_only=True)
class Quota:
    """A limit for one person, and how much of it is used now."""

    key: str
    """A stable name for machines."""
    about: str
    """What is counted, in words for people."""
    limit: int
    used: int
    unit: str = ""
    """The unit, such as "bytes"; empty where things are counted."""
    renews_at: datetime | None = None
    """When some of it becomes free again by itself; None if it does not."""
    code: str
    """The error code for somebody who wants more than is left."""

    @property
    def left(self) -> int:
        """How much may still be used."""
        return max(0, self.limit - self.used)

    def check_left(self, detail: str, *, wanted: int = 1, field: str | None = None) -> None:
        """Refuse somebody who wants more than is left; `detail` says what to do.

        Raises:
            Conflict: with the code of this quota.
        """
        if wanted > self.left:
            raise Conflict(detail, code=self.code, field=field)
