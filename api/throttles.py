"""Limits on how often a person or address may send requests; 429 has `Retry-After`."""

from rest_framework.request import Request
from rest_framework.throttling import BaseThrottle

from pentathlon.common.throttle import count, home_of
from pentathlon.server.limits import allowance


class Everybody(BaseThrottle):
    """All requests of one person, or of one address without a person."""

    wait_s = 0

    def allow_request(self, request: Request, view: object) -> bool:
        """Count the request, and once more where its address has a rate of its own."""
        person = request.user.pk if request.user.is_authenticated else None
        who = home_of(request.META.get("REMOTE_ADDR", "")) if person is None else person
        self.wait_s = count("visitors" if person is None else "people", who)
        own = allowance(request.path).rate_of(request.method or "GET")
        if own is not None and not self.wait_s:
            self.wait_s = count(own, who)
        return not self.wait_s

    def wait(self) -> float:
        """Return when to come back."""
        return self.wait_s
