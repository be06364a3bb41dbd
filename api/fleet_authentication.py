"""Authentication at `/api/v1/fleet/`: by a worker token and nothing else."""

from django.contrib.auth.models import AnonymousUser
from drf_spectacular.extensions import OpenApiAuthenticationExtension
from rest_framework.authentication import BaseAuthentication, get_authorization_header
from rest_framework.exceptions import AuthenticationFailed
from rest_framework.permissions import BasePermission
from rest_framework.request import Request

from api.protocol.throttles import CountingThrottle
from pentathlon.fleet.models import WorkerToken
from pentathlon.fleet.tokens import find_worker_token

_PARTS = 2


class WorkerAuthentication(BaseAuthentication):
    """`Authorization: Bearer ptw_...`."""

    def authenticate(self, request: Request) -> tuple[AnonymousUser, WorkerToken] | None:
        """Return the token without a person, since a worker is none.

        Raises:
            AuthenticationFailed: `worker_token_unknown`, `worker_token_revoked` or
                `worker_token_quarantined`.
        """
        header = get_authorization_header(request).split()
        if len(header) != _PARTS or header[0].lower() != b"bearer":
            return None
        token = find_worker_token(header[1].decode("latin-1"))
        if token is None:
            raise AuthenticationFailed(
                "No worker has this token. Ask the staff of this site for one.",
                code="worker_token_unknown",
            )
        if token.revoked_at is not None:
            raise AuthenticationFailed(
                "This worker token was revoked. Stop the worker.", code="worker_token_revoked"
            )
        if token.quarantined_at is not None:
            raise AuthenticationFailed(
                "This worker token is in quarantine, because other workers got different results "
                "for its matches, or because it held matches and did not play them. Stop the "
                "worker and ask the staff of this site.",
                code="worker_token_quarantined",
            )
        return AnonymousUser(), token

    def authenticate_header(self, request: Request) -> str:
        """Name the missing credentials, so that a refusal is a 401."""
        return "Bearer"


class WorkersOnly(BasePermission):
    """Admits only workers with a token."""

    def has_permission(self, request: Request, view: object) -> bool:
        """Return whether the request is by a worker."""
        return isinstance(request.auth, WorkerToken)


class RateOfWorkers(CountingThrottle):
    """All requests by one token."""

    def allow_request(self, request: Request, view: object) -> bool:
        """Count the request."""
        token = request.auth
        return not isinstance(token, WorkerToken) or self._admits("workers", token.pk)


class WorkerScheme(OpenApiAuthenticationExtension):  # type: ignore[no-untyped-call]  # spectacular
    """How the OpenAPI document describes worker tokens."""

    target_class = WorkerAuthentication
    name = "worker"

    def get_security_definition(self, auto_schema: object) -> dict[str, str]:
        """Return the security scheme."""
        return {
            "type": "http",
            "scheme": "bearer",
            "description": "The token of a worker; staff make it.",
        }
