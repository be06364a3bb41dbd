"""Who asks for a page."""

from django.core.exceptions import PermissionDenied
from django.http import HttpRequest

from pentathlon.accounts.models import User


def person(request: HttpRequest) -> User | None:
    """Return the person who is signed in, or None."""
    return request.user if isinstance(request.user, User) else None


def signed_in(request: HttpRequest) -> User:
    """Return the person of a page that demands signing in."""
    user = person(request)
    if user is None:
        raise PermissionDenied("Sign in first.")
    return user
