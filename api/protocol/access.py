"""Who may send what: authentication, permissions and rates."""

from __future__ import annotations

from datetime import timedelta
from typing import Any, Final

from django.utils import timezone
from drf_spectacular.extensions import OpenApiAuthenticationExtension
from knox.auth import TokenAuthentication
from rest_framework.authentication import BasicAuthentication
from rest_framework.exceptions import (
    AuthenticationFailed,
    ErrorDetail,
    PermissionDenied,
    Throttled,
)
from rest_framework.permissions import SAFE_METHODS, BasePermission
from rest_framework.request import Request
from rest_framework.throttling import BaseThrottle

from pentathlon.accounts.models import ApiToken, Scope, User
from pentathlon.accounts.oauth.access import AppAccess, find_app_access
from pentathlon.accounts.oauth.protocol import ACCESS_PREFIX
from pentathlon.accounts.second_factors import has_second_factor
from pentathlon.accounts.services import note_token_use
from pentathlon.core.server.limits import allowance
from pentathlon.core.throttle import RateCount, count_request, count_sign_in_as, home_of

_WINDOWS: Final = {60: "minute", 3600: "hour", 86_400: "day"}


class RateReached(Throttled):
    """Too many requests of one kind: says which rate it was, its size, and when it ends."""

    def __init__(self, count: RateCount) -> None:
        super().__init__(count.wait_s)
        until = timezone.now() + timedelta(seconds=count.resets_s)
        # The framework would append a sentence of its own.
        self.detail = ErrorDetail(
            f"The rate {count.rate} allows {count.limit} requests in one "
            f"{_WINDOWS[count.window_s]}. Try again in {count.wait_s} seconds, at "
            f"{until:%H:%M:%S} UTC.",
            code=self.default_code,
        )
        self.allowed: dict[str, Any] = {  # Any: JSON
            "rate": count.rate,
            "requests": count.limit,
            "window_s": count.window_s,
            "resets_at": until.isoformat(timespec="seconds"),
        }


class CountingThrottle(BaseThrottle):
    """Counts a request against one rate or more, until one of them refuses it."""

    def __init__(self) -> None:
        self.counts: list[RateCount] = []

    def wait(self) -> float:
        """Return the seconds until the request would be admitted."""
        return max((each.wait_s for each in self.counts), default=0)

    def _admits(self, rate: str, who: object) -> bool:
        self.counts.append(count_request(rate, who))
        return not self.counts[-1].wait_s


class Everybody(CountingThrottle):
    """All requests of one person, or of one address without a person."""

    def allow_request(self, request: Request, view: object) -> bool:
        """Count the request, and again if its address has a rate of its own."""
        person = request.user.pk if request.user.is_authenticated else None
        who = home_of(request.META.get("REMOTE_ADDR", "")) if person is None else person
        own = allowance(request.path).rate_of(request.method or "GET")
        general = "visitors" if person is None else "people"
        return self._admits(general, who) and (own is None or self._admits(own, who))


class BearerAuthentication(TokenAuthentication):
    """`Authorization: Bearer ptl_...`, or `pta_...` for an app that acts for somebody."""

    def authenticate_credentials(self, token: bytes) -> tuple[User, ApiToken | AppAccess]:
        """Return the person and the token, and remember that it was used."""
        if token.startswith(ACCESS_PREFIX.encode()):
            access = find_app_access(token.decode("ascii", "replace"))
            if access is None:
                raise AuthenticationFailed("This token has expired, or its access was ended.")
            return access.person, access
        try:
            person, found = super().authenticate_credentials(token)  # type: ignore[no-untyped-call]  # knox
        except UnicodeDecodeError as error:
            raise AuthenticationFailed("Invalid token.") from error
        note_token_use(token=found)
        return person, found


class PasswordAuthentication(BasicAuthentication):
    """`Authorization: Basic ...`, for making the first token."""

    def authenticate_credentials(
        self, userid: str, password: str, request: Request | None = None
    ) -> tuple[User, None]:
        """Return the person.

        Raises:
            Throttled: too many tries for this account.
            AuthenticationFailed: name or password is wrong, or no database can look them up.
            PermissionDenied: both are right, but this account has a second factor.
        """
        if "\0" in userid:
            raise AuthenticationFailed("Invalid username/password.")
        address = "" if request is None else request.META.get("REMOTE_ADDR", "")
        wait_s = count_sign_in_as(userid, address=address)
        if wait_s:
            raise Throttled(wait_s)
        person: User = super().authenticate_credentials(userid, password, request)[0]
        if has_second_factor(person):
            raise PermissionDenied(
                "This account has a second factor, so its password alone is not enough. Run "
                "pentathlon login, or make the token on your account page.",
                code="second_factor_required",
            )
        return person, None


class BearerScheme(OpenApiAuthenticationExtension):  # type: ignore[no-untyped-call]  # spectacular
    """How the OpenAPI document describes tokens."""

    target_class = BearerAuthentication
    name = "token"
    priority = 1

    def get_security_definition(self, auto_schema: object) -> dict[str, str]:
        """Return the security scheme."""
        return {
            "type": "http",
            "scheme": "bearer",
            "description": "A token from your account page, from `POST /api/v1/tokens/`, or "
            "from an app: see `/docs/apps/`.",
        }


class PasswordScheme(OpenApiAuthenticationExtension):  # type: ignore[no-untyped-call]  # spectacular
    """How the OpenAPI document describes username and password."""

    target_class = PasswordAuthentication
    name = "password"

    def get_security_definition(self, auto_schema: object) -> dict[str, str]:
        """Return the security scheme."""
        return {"type": "http", "scheme": "basic"}


class ReadOrSignedIn(BasePermission):
    """Everybody may read public things; writing and reading private things needs a person.

    A view says which scope a token needs: `write_scope`, and `private_scopes` by action.
    """

    def has_permission(self, request: Request, view: object) -> bool:
        """Return whether this person may send the request, with this token."""
        needed = _needed_scope(request, view)
        if needed is None and request.method in SAFE_METHODS:
            return True
        if needed is None:
            _refuse_apps(request)
        elif lacks_scope(request, needed):
            raise _missing(needed)
        return request.user.is_authenticated


class SignedIn(BasePermission):
    """Only for signed-in people, whatever the method.

    Apps are admitted only if the view names a scope for them: `app_scope`.
    """

    def has_permission(self, request: Request, view: object) -> bool:
        """Return whether a person has signed in."""
        scope: str | None = getattr(view, "app_scope", None)
        if scope is None:
            _refuse_apps(request)
        elif isinstance(request.auth, AppAccess) and scope not in request.auth.scopes:
            raise _missing(scope)
        return request.user.is_authenticated


class StaffOnly(BasePermission):
    """Only for the staff of the platform."""

    def has_permission(self, request: Request, view: object) -> bool:
        """Return whether a member of staff has signed in; refuse other people."""
        user = request.user
        if user.is_authenticated and not (user.is_staff or user.is_superuser):
            raise PermissionDenied("Only for the staff of this site.", code="staff_only")
        return user.is_authenticated


def lacks_scope(request: Request, scope: str) -> bool:
    """Return whether a request comes with a token that does not have a scope."""
    token = request.auth
    return isinstance(token, ApiToken | AppAccess) and scope not in token.scopes


def _refuse_apps(request: Request) -> None:
    """Refuse an app, because no scope would admit it."""
    if isinstance(request.auth, AppAccess):
        raise PermissionDenied("No app may do this, only people themselves.", code="not_for_apps")


def _missing(scope: str) -> PermissionDenied:
    return PermissionDenied(
        f"This token lacks the scope {scope}. Make a token that has it.", code="missing_scope"
    )


def _needed_scope(request: Request, view: object) -> Scope | None:
    private: dict[str, Scope] = getattr(view, "private_scopes", {})
    if request.method in SAFE_METHODS:
        return private.get(getattr(view, "action", ""))
    scope: Scope | None = getattr(view, "write_scope", None)
    return scope
