"""How often somebody may ask for something, counted in the cache that all web processes share."""

from django.conf import settings
from rest_framework.throttling import SimpleRateThrottle


class Rate(SimpleRateThrottle):
    """A rate with a name in `settings.API_RATES`."""

    def get_rate(self) -> str | None:
        """Read the rate when it is needed: settings may change."""
        rates: dict[str, str] = settings.API_RATES
        return rates[self.scope or ""]
