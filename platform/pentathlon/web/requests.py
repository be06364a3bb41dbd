"""What views read from requests, and how they answer: lists, polls, errors of services."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from typing import Concatenate, Final, Generic, ParamSpec, TypeVar
from urllib.parse import urlencode

from django import forms
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.db.models import Model, QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.http import require_http_methods, require_POST

from pentathlon.accounts.models import User
from pentathlon.accounts.services import find_person
from pentathlon.core.errors import DomainError, NotAllowed, NotFound, Problems
from pentathlon.tournaments.models import Tournament

_MOST_DIGITS = 15
_LONGEST_TEXT = 64
Row = TypeVar("Row", bound=Model)
PLACES: Final = ("before", "after")
"""The query parameters that say where a page begins."""
_NOT_KEPT: Final = {*PLACES, "mark"}
"""Query parameters that links to other pages drop; `mark` tells what one open page has shown."""
P = ParamSpec("P")
View = Callable[Concatenate[HttpRequest, P], HttpResponse]
T = TypeVar("T")


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


@dataclass(frozen=True, slots=True, kw_only=True)
class CursorPage(Generic[Row]):
    """Some rows of a list, newest first, and the addresses of the neighbouring pages."""

    rows: list[Row]
    newer: str
    """The query of the page with newer rows; empty if there is none."""
    older: str


def cursor_page(request: HttpRequest, rows: QuerySet[Row], *, size: int = 30) -> CursorPage[Row]:
    """Return the requested page: rows `before` or `after` an id."""
    before, after = query_number(request, "before"), query_number(request, "after")
    if after is not None:
        found = list(rows.filter(pk__gt=after).order_by("pk")[: size + 1])
        more, found = len(found) > size, found[:size][::-1]
        return _page(request, found, has_newer=more, has_older=True)
    if before is not None:
        rows = rows.filter(pk__lt=before)
    found = list(rows.order_by("-pk")[: size + 1])
    more, found = len(found) > size, found[:size]
    return _page(request, found, has_newer=before is not None, has_older=more)


def _page(
    request: HttpRequest, rows: list[Row], *, has_newer: bool, has_older: bool
) -> CursorPage[Row]:
    newer = _query(request, after=rows[0].pk) if rows and has_newer else ""
    older = _query(request, before=rows[-1].pk) if rows and has_older else ""
    return CursorPage(rows=rows, newer=newer, older=older)


def _query(request: HttpRequest, **place: int) -> str:
    kept = {key: value for key, value in request.GET.items() if key not in _NOT_KEPT}
    return "?" + urlencode({**kept, **place})


def handle_domain_errors(view: View[P]) -> View[P]:
    """Answer 404 and 403 if a service does; show other errors on the page before."""

    @wraps(view)
    def answer(request: HttpRequest, /, *args: P.args, **kwargs: P.kwargs) -> HttpResponse:
        try:
            return view(request, *args, **kwargs)
        except NotFound as error:
            raise Http404(error.detail) from error
        except NotAllowed as error:
            raise PermissionDenied(error.detail) from error
        except DomainError as error:
            messages.error(request, error.detail)
            return redirect(request.path.rstrip("/").rpartition("/")[0] + "/")

    return answer


def signed_in_post(view: View[P]) -> View[P]:
    """Let only people who have signed in post here; answer errors of services."""
    return login_required(require_POST(handle_domain_errors(view)))


def signed_in_form(view: View[P]) -> View[P]:
    """Let only people who have signed in see this form and send it; answer errors of services."""
    return login_required(require_http_methods(["GET", "POST"])(handle_domain_errors(view)))


def say(request: HttpRequest, sentence: str, to: str, *args: object) -> HttpResponse:
    """Go to a page that shows what was done."""
    messages.success(request, sentence)
    return redirect(to, *args)


def changes_since(request: HttpRequest, now: int) -> HttpResponse:
    """Answer a poll: 204 until there are new results, then how many."""
    seen = query_number(request, "since")
    if seen is None or now <= seen:
        return HttpResponse(status=204)
    return render(request, "web/parts/changed.html", {"new": now - seen})


def reload_page() -> HttpResponse:
    """Answer a poll: the whole page has changed."""
    return HttpResponse(headers={"X-Reload": "true"})


def call_service(
    form: forms.BaseForm, call: Callable[[], T], *, further: forms.BaseForm | None = None
) -> T | None:
    """Return what the service returns; on errors, add them to the form and return None.

    A form whose fields are not named like the service's maps the names in `field_of`. A `further`
    form of the same page shows the errors of its own fields.
    """
    try:
        return call()
    except DomainError as error:
        for each in error.errors if isinstance(error, Problems) else (error,):
            if further is not None and each.field in further.fields:
                further.add_error(each.field, each.detail)
            else:
                form.add_error(_field_of(form, each), each.detail)
        return None


def check_field(check: Callable[[], T]) -> T:
    """Return what a check of a service returns; its errors belong to the field that is cleaned.

    So a form shows them together with all others, not only once nothing else is wrong.
    """
    try:
        return check()
    except DomainError as error:
        told = error.errors if isinstance(error, Problems) else (error,)
        raise forms.ValidationError([each.detail for each in told]) from error


def _field_of(form: forms.BaseForm, error: DomainError) -> str | None:
    if (find := getattr(form, "field_of", None)) is not None:
        return str(name) if (name := find(error.field)) else None
    return error.field if error.field in form.fields else None
