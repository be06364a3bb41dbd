"""How often passwords may be tried from one address, by the API and on pages together."""

from math import ceil

from django.http import HttpRequest
from rest_framework.request import Request
from rest_framework.views import APIView

from pentathlon.common.rates import Rate


class SignIns(Rate):
    """Tries of passwords from one address; asked before the password is looked at."""

    scope = "sign_ins"

    def get_cache_key(self, request: Request, view: object) -> str | None:
        """Count by address."""
        return f"rate:{self.scope}:{self.get_ident(request)}"


def count_try(request: HttpRequest) -> int:
    """Count a try from this address; return for how many seconds it is refused, 0 if it counts."""
    rate = SignIns()
    if rate.allow_request(Request(request), APIView()):
        return 0
    return max(1, ceil(rate.wait() or 0))
