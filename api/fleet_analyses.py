"""Win-chance curves that workers without keys compute: `workers.remote.analyses` is the client."""

from http import HTTPStatus
from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework.decorators import action
from rest_framework.request import Request
from rest_framework.response import Response

from api import fleet_requests as told
from api.fleet_endpoint import FleetEndpoint, read
from pentathlon.core.errors import NotFound
from pentathlon.fleet.announcements import Work
from pentathlon.insight.analyses import services
from pentathlon.insight.analyses.models import Analysis
from pentathlon.insight.analyses.wire import curve_from_json, measured_from_json
from pentathlon.matches.models import Match, MatchSeat


class FleetAnalysisViewSet(FleetEndpoint[Analysis]):
    """Claims, leases and results of analyses."""

    noun = "analysis"
    queryset = Analysis.objects.none()
    serializer_class = told.WasHeldSerializer

    @extend_schema(request=told.AnalysisClaimSerializer, responses=told.AnalysisJobSerializer)
    @action(detail=False, methods=["post"])
    def claims(self, request: Request) -> Response:
        """Claim a waiting analysis for a minute: token, record and earlier measurements."""
        facts = read(told.AnalysisClaimSerializer, request)
        is_trusted = Work.ANALYSES in self.token.work
        claimed = services.claim_analysis(**facts) if is_trusted else None
        token, record, measured = claimed or (None, None, [])
        return Response({"token": token, "record": record, "measured": measured})

    @extend_schema(request=told.LoanSerializer, responses={204: None})
    @action(detail=False, methods=["post"])
    def loans(self, request: Request) -> Response:
        """Report that a slot lent to an analysis is free again."""
        services.end_loan(**read(told.LoanSerializer, request))
        return Response(status=HTTPStatus.NO_CONTENT)

    @extend_schema(request=told.NothingSerializer, responses=told.DemandSerializer)
    @action(detail=False, methods=["post"])
    def demand(self, request: Request) -> Response:
        """Return whether matches are waiting; if so, slots give their analyses back."""
        read(told.NothingSerializer, request)
        return Response({"has_waiting_matches": Match.objects.sent().exists()})

    @extend_schema(request=told.HeldMatchSerializer, responses=told.WasHeldSerializer)
    @action(detail=False, methods=["post"])
    def leases(self, request: Request) -> Response:
        """Keep an analysis for another minute."""
        held = read(told.HeldMatchSerializer, request)
        return Response({"was_held": services.renew_analysis(**held)})

    @extend_schema(request=told.AnalysisResultSerializer, responses=told.WasHeldSerializer)
    @action(detail=False, methods=["post"])
    def results(self, request: Request) -> Response:
        """Submit a curve, or report why there is none: an error, or a job for others to try."""
        facts = read(told.AnalysisResultSerializer, request)
        return Response({"was_held": _end(facts)})


def _end(facts: dict[str, Any]) -> bool:  # Any: JSON
    held = {"match_id": facts["match_id"], "token": facts["token"]}
    cpu_ms = facts["cpu_ms"]
    if "curve" in facts:
        curve = curve_from_json(facts["curve"], **_size_of(facts["match_id"]))
        return services.store_curve(**held, curve=curve, cpu_ms=cpu_ms)
    if facts["error"]:
        return services.fail_analysis(**held, error=facts["error"])
    measured = []
    if facts["measured"]:
        measured = measured_from_json(facts["measured"], **_size_of(facts["match_id"]))
    died = facts["has_died"]
    return services.return_analysis(**held, has_died=died, measured=measured, cpu_ms=cpu_ms)


def _size_of(match_id: int) -> dict[str, int]:
    """Return the seats and plies of a match."""
    plies = Match.objects.filter(pk=match_id).values_list("ply", flat=True).first()
    if plies is None:
        raise NotFound(f"There is no match {match_id}.")
    return {"seats": MatchSeat.objects.filter(match=match_id).count(), "plies": plies}
