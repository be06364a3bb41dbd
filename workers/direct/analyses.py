"""Analyses from the database, for workers on the platform's own machine."""

from __future__ import annotations

from pentathlon.insight.analyses import services
from pentathlon.matches.models import Match
from workers.direct.adapter import asking


class DirectAnalyses:
    """Calls the services of the platform; raises `PlatformAway` when the database is away."""

    look_s = 0.5
    claim = staticmethod(asking()(services.claim_analysis))
    end_loan = staticmethod(asking()(services.end_loan))
    renew = staticmethod(asking()(services.renew_analysis))
    store = staticmethod(asking()(services.store_curve))
    fail = staticmethod(asking()(services.fail_analysis))
    give_back = staticmethod(asking()(services.return_analysis))

    @asking()
    def has_waiting_matches(self) -> bool:
        """Return whether a match waits for a slot."""
        return Match.objects.sent().exists()
