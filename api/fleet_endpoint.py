"""The base of all endpoints below `/api/v1/fleet/`."""

from __future__ import annotations

from typing import Any, TypeVar, cast

from django.db.models import Model
from rest_framework.request import Request

from api.fleet_authentication import RateOfWorkers, WorkerAuthentication, WorkersOnly
from api.protocol.endpoint import Endpoint
from api.protocol.requests import RequestSerializer
from pentathlon.fleet.models import WorkerToken

M = TypeVar("M", bound=Model)


class FleetEndpoint(Endpoint[M]):
    """Answers workers, which send their token with every request."""

    authentication_classes = (WorkerAuthentication,)
    permission_classes = (WorkersOnly,)
    throttle_classes = (RateOfWorkers,)
    filter_backends = ()
    pagination_class = None
    takes_idempotency_key = False  # tokens of attempts make every request repeatable

    @property
    def token(self) -> WorkerToken:
        """The token of the worker that asks."""
        return cast(WorkerToken, self.request.auth)

    def name_here(self, name: str) -> str:
        """Return the site's name for a worker or slot; no token can name workers of another."""
        return f"{self.token.prefix}{name}"


def read(kind: type[RequestSerializer], request: Request) -> dict[str, Any]:  # Any: JSON
    """Return the validated request of a worker."""
    given = kind(data=request.data)
    given.is_valid(raise_exception=True)
    checked: dict[str, Any] = given.validated_data
    return checked
