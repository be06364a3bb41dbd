"""How often one person or address may ask; 429 comes with `Retry-After`."""

from django.conf import settings
from rest_framework.request import Request
from rest_framework.throttling import SimpleRateThrottle


class _Rate(SimpleRateThrottle):
    def get_rate(self) -> str | None:
        """Read the rate when it is needed: settings may change."""
        rates: dict[str, str] = settings.API_RATES
        return rates[self.scope or ""]


class Visitors(_Rate):
    """All requests of one address without a person."""

    scope = "visitors"

    def get_cache_key(self, request: Request, view: object) -> str | None:
        """Count by address."""
        if request.user.is_authenticated:
            return None
        return f"rate:{self.scope}:{self.get_ident(request)}"


class People(_Rate):
    """All requests of one person."""

    scope = "people"

    def get_cache_key(self, request: Request, view: object) -> str | None:
        """Count by person."""
        if not request.user.is_authenticated:
            return None
        return f"rate:{self.scope}:{request.user.pk}"


class Uploads(People):
    """Uploads of one person."""

    scope = "uploads"


class SignIns(_Rate):
    """Tries of passwords from one address; asked before the password is looked at."""

    scope = "sign_ins"

    def get_cache_key(self, request: Request, view: object) -> str | None:
        """Count by address."""
        return f"rate:{self.scope}:{self.get_ident(request)}"
