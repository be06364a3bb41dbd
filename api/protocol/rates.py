"""The state of the rates in the headers of every answer.

The fields are those of draft-ietf-httpapi-ratelimit-headers-09: `RateLimit-Policy` gives the
number of requests (`q`) in a window of seconds (`w`), and `RateLimit` the number that remains
(`r`) and the seconds until the window ends (`t`).
"""

from collections.abc import Sequence
from typing import NoReturn

from rest_framework.exceptions import Throttled
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.throttling import BaseThrottle
from rest_framework.views import APIView

from api.protocol.throttles import CountingThrottle, RateReached


class CountedView(APIView):
    """Puts the state of the rates that a request counts against into the headers of its answer."""

    throttles: Sequence[BaseThrottle] = ()
    """The throttles that have counted this request."""

    def get_throttles(self) -> list[BaseThrottle]:
        """Return the throttles of this request, and remember what they count."""
        self.throttles = made = super().get_throttles()
        return made

    def throttled(self, request: Request, wait: float) -> NoReturn:
        """Refuse the request, and name the rate that it has reached."""
        counting = (each for each in self.throttles if isinstance(each, CountingThrottle))
        reached = [count for each in counting for count in each.counts if count.wait_s]
        if not reached:
            raise Throttled(wait)
        raise RateReached(max(reached, key=lambda count: count.wait_s))

    def finalize_response(
        self, request: Request, response: Response, *args: object, **kwargs: object
    ) -> Response:
        """Write the headers."""
        answer = super().finalize_response(request, response, *args, **kwargs)
        counting = (each for each in self.throttles if isinstance(each, CountingThrottle))
        if counts := [count for each in counting for count in each.counts]:
            answer.headers["RateLimit-Policy"] = ", ".join(
                f'"{each.rate}";q={each.limit};w={each.window_s}' for each in counts
            )
            answer.headers["RateLimit"] = ", ".join(
                f'"{each.rate}";r={each.left};t={each.resets_s}' for each in counts
            )
        return answer
