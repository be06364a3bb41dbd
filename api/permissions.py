"""Permissions that are checked before a service runs."""

from rest_framework.exceptions import PermissionDenied
from rest_framework.permissions import SAFE_METHODS, BasePermission
from rest_framework.request import Request

from pentathlon.accounts.models import ApiToken, Scope


class ReadOrSignedIn(BasePermission):
    """Everybody may read public things; writing and reading private things needs a person.

    A view says which scope a token needs: `write_scope`, and `private_scopes` by action.
    """

    def has_permission(self, request: Request, view: object) -> bool:
        """Tell whether this person, with this token, may try."""
        needed = _needed_scope(request, view)
        if needed is None:
            return request.method in SAFE_METHODS or request.user.is_authenticated
        if isinstance(request.auth, ApiToken) and needed not in request.auth.scopes:
            raise PermissionDenied(
                f"This token lacks the scope {needed}. Make one that has it.",
                code="missing_scope",
            )
        return request.user.is_authenticated


class SignedIn(BasePermission):
    """Only for people who have signed in, whatever they do."""

    def has_permission(self, request: Request, view: object) -> bool:
        """Tell whether there is a person."""
        return request.user.is_authenticated


class StaffOnly(BasePermission):
    """Only for those who run the platform."""

    def has_permission(self, request: Request, view: object) -> bool:
        """Tell whether somebody of the staff asks; who is not signed in may still do so."""
        user = request.user
        if user.is_authenticated and not (user.is_staff or user.is_superuser):
            raise PermissionDenied("Only for the staff of this site.", code="staff_only")
        return user.is_authenticated


def _needed_scope(request: Request, view: object) -> Scope | None:
    private: dict[str, Scope] = getattr(view, "private_scopes", {})
    if request.method in SAFE_METHODS:
        return private.get(getattr(view, "action", ""))
    scope: Scope | None = getattr(view, "write_scope", None)
    return scope
