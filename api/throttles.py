"""How often one person or address may ask; 429 comes with `Retry-After`."""

from rest_framework.request import Request

from pentathlon.common.rates import Rate


class Visitors(Rate):
    """All requests of one address without a person."""

    scope = "visitors"

    def get_cache_key(self, request: Request, view: object) -> str | None:
        """Count by address."""
        if request.user.is_authenticated:
            return None
        return f"rate:{self.scope}:{self.get_ident(request)}"


class People(Rate):
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
