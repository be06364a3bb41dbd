"""Reads requests: their user, their numbers and texts, and where to go next."""

from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest
from django.shortcuts import get_object_or_404
from django.utils.http import url_has_allowed_host_and_scheme

from pentathlon.accounts.models import User
from pentathlon.accounts.services import find_person
from pentathlon.tournaments.models import Tournament

_MOST_DIGITS = 15
_LONGEST_TEXT = 64


def person(request: HttpRequest) -> User | None:
    """Return the user who is signed in, or None."""
    return request.user if isinstance(request.user, User) else None


def signed_in_user(request: HttpRequest) -> User:
    """Return the user who is signed in; refuse the page to anybody else."""
    user = person(request)
    if user is None:
        raise PermissionDenied("Sign in first.")
    return user


def person_or_404(username: str) -> User:
    """Return the user with this name, in capital or small letters."""
    found = find_person(username)
    if found is None:
        raise Http404(f"There is no user called {username[:60]!r}.")
    return found


def get_tournament(request: HttpRequest, tournament_id: int) -> Tournament:
    """Return a tournament that this person may see, with its owner and pool."""
    shown = Tournament.objects.visible_to(person(request)).select_related("owner", "pool")
    return get_object_or_404(shown, pk=tournament_id)


def query_number(request: HttpRequest, name: str) -> int | None:
    """Return a whole number from the query; None if it is missing or makes no sense."""
    return _number(request.GET.get(name, ""))


def query_numbers(request: HttpRequest, name: str) -> list[int]:
    """Return all whole numbers of this name in the query, in their order."""
    found = map(_number, request.GET.getlist(name))
    return [number for number in found if number is not None]


def query_text(request: HttpRequest, name: str) -> str:
    """Return a text from the query, cut to the longest search."""
    return request.GET.get(name, "").strip()[:_LONGEST_TEXT]


def posted_number(request: HttpRequest, name: str, *, otherwise: int = 0) -> int:
    """Return a whole number from a form; if it makes no sense, 0, which no row has."""
    number = _number(request.POST.get(name, ""))
    return otherwise if number is None else number


def posted_numbers(request: HttpRequest, name: str) -> list[int]:
    """Return all whole numbers of this name in a form, in their order."""
    found = map(_number, request.POST.getlist(name))
    return [number for number in found if number is not None]


def wants_part(request: HttpRequest) -> bool:
    """Return whether an open page asks only for the part that may have changed."""
    return request.headers.get("X-Part") == "true"


def local_address(request: HttpRequest) -> str:
    """Return the address in `next` if it is one of this site, else the home page."""
    wanted = request.POST.get("next", "")
    # Text without a slash would be taken for the name of a view.
    is_ours = wanted.startswith("/") and url_has_allowed_host_and_scheme(
        wanted, allowed_hosts={request.get_host()}
    )
    return wanted if is_ours else "/"


def _number(text: str) -> int | None:
    is_number = text.isascii() and text.isdigit() and len(text) <= _MOST_DIGITS
    return int(text) if is_number else None
