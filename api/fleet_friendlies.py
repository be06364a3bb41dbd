"""Bots of friendlies, moved by workers without keys: `workers.remote.friendlies` is the client."""

from http import HTTPStatus

from drf_spectacular.utils import extend_schema
from rest_framework.decorators import action
from rest_framework.request import Request
from rest_framework.response import Response

from api import fleet_requests as told
from api.fleet_endpoint import FleetEndpoint, read
from pentathlon.core.errors import InvalidInput
from pentathlon.fleet.capabilities import Capabilities
from pentathlon.friendlies import stretches
from pentathlon.friendlies.models import Friendly
from pentathlon.friendlies.wire import stretch_result_from_json, stretch_to_json
from pentathlon.live.reports import note_moves
from pentathlon.matches.wire import announcement_from_json
from pentathlon_engines.errors import BadRecord


class FleetFriendlyViewSet(FleetEndpoint[Friendly]):
    """Claims, leases and results of stretches: play of bots between two actions of a person."""

    noun = "friendly"
    queryset = Friendly.objects.none()
    serializer_class = told.WasHeldSerializer

    @extend_schema(request=told.FriendlyClaimSerializer, responses=told.StretchesSerializer)
    @action(detail=False, methods=["post"])
    def claims(self, request: Request) -> Response:
        """Claim the listed friendlies that were sent out and that wait for a bot of this worker's.

        A token holds at most one for each of its slots.
        """
        facts = read(told.FriendlyClaimSerializer, request)
        announcement = announcement_from_json(facts["announcement"], name=facts["slot"])
        begun = stretches.claim_stretches(
            stretches.claimable_by(self.token, facts["friendly_ids"]),
            worker=self.name_here(facts["slot"]),
            capabilities=Capabilities.of(announcement).by_token(self.token),
        )
        note_moves([each.friendly_id for each in begun])
        return Response({"stretches": [stretch_to_json(each) for each in begun]})

    @extend_schema(request=told.FriendlyIdsSerializer, responses={204: None})
    @action(detail=False, methods=["post"], url_path="passed-hints")
    def passed_hints(self, request: Request) -> Response:
        """Leave friendlies to other workers; their hints are sent again."""
        stretches.publish_stretches_again(
            read(told.FriendlyIdsSerializer, request)["friendly_ids"]
        )
        return Response(status=HTTPStatus.NO_CONTENT)

    @extend_schema(request=told.FriendlyLeaseSerializer, responses=told.WasHeldSerializer)
    @action(detail=False, methods=["post"])
    def leases(self, request: Request) -> Response:
        """Keep a friendly for another 30 s, while its plies grow."""
        held = read(told.FriendlyLeaseSerializer, request)
        return Response({"was_held": stretches.renew_stretch(**held)})

    @extend_schema(request=told.StretchResultSerializer, responses=told.WasHeldSerializer)
    @action(detail=False, methods=["post"])
    def results(self, request: Request) -> Response:
        """Submit the bots' actions; the site replays them before they count."""
        facts = read(told.StretchResultSerializer, request)
        result = stretch_result_from_json(facts.pop("result"))
        try:
            was_held = stretches.finish_stretch(**facts, result=result)
        except BadRecord as error:
            raise InvalidInput(str(error), code="bad_record", field="result") from error
        note_moves([facts["friendly_id"]])
        return Response({"was_held": was_held})

    @extend_schema(request=told.FriendlyReturnSerializer, responses=told.WasHeldSerializer)
    @action(detail=False, methods=["post"])
    def returns(self, request: Request) -> Response:
        """Give a friendly back for other workers to play."""
        facts = read(told.FriendlyReturnSerializer, request)
        counts = facts.pop("has_failed")
        was_held = stretches.fail_stretch(**facts, counts=counts)
        note_moves([facts["friendly_id"]])
        return Response({"was_held": was_held})
