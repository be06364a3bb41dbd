"""Limits on how often a person or address may send requests; 429 has `Retry-After`."""

from datetime import timedelta
from typing import Any, Final

from django.utils import timezone
from rest_framework.exceptions import ErrorDetail, Throttled
from rest_framework.request import Request
from rest_framework.throttling import BaseThrottle

from pentathlon.core.server.limits import allowance
from pentathlon.core.throttle import RateCount, count_request, home_of

_WINDOWS: Final = {60: "minute", 3600: "hour", 86_400: "day"}


class RateReached(Throttled):
    """Too many requests of one kind: says which rate it was, its size, and when it ends."""

    def __init__(self, count: RateCount) -> None:
        super().__init__(count.wait_s)
        until = timezone.now() + timedelta(seconds=count.resets_s)
        # The framework would append a sentence of its own.
        self.detail = ErrorDetail(
            f"The rate {count.rate} allows {count.limit} requests in one "
            f"{_WINDOWS[count.window_s]}. Try again in {count.wait_s} seconds, at "
            f"{until:%H:%M:%S} UTC.",
            code=self.default_code,
        )
        self.allowed: dict[str, Any] = {  # Any: JSON
            "rate": count.rate,
            "requests": count.limit,
            "window_s": count.window_s,
            "resets_at": until.isoformat(timespec="seconds"),
        }


class CountingThrottle(BaseThrottle):
    """Counts a request against one rate or more, until one of them refuses it."""

    def __init__(self) -> None:
        self.counts: list[RateCount] = []

    def wait(self) -> float:
        """Return the seconds until the request would be admitted."""
        return max((each.wait_s for each in self.counts), default=0)

    def _admits(self, rate: str, who: object) -> bool:
        self.counts.append(count_request(rate, who))
        return not self.counts[-1].wait_s


class Everybody(CountingThrottle):
    """All requests of one person, or of one address without a person."""

    def allow_request(self, request: Request, view: object) -> bool:
        """Count the request, and again if its address has a rate of its own."""
        person = request.user.pk if request.user.is_authenticated else None
        who = home_of(request.META.get("REMOTE_ADDR", "")) if person is None else person
        own = allowance(request.path).rate_of(request.method or "GET")
        general = "visitors" if person is None else "people"
        return self._admits(general, who) and (own is None or self._admits(own, who))
