"""Permissions that are checked before a service runs."""

from rest_framework.exceptions import PermissionDenied
from rest_framework.permissions import SAFE_METHODS, BasePermission
from rest_framework.request import Request

from pentathlon.accounts.models import ApiToken, Scope
from pentathlon.accounts.oauth.access import AppAccess


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
