"""What an address and its headers ask for."""

from django.http import HttpRequest

_MOST_DIGITS = 15
_LONGEST_TEXT = 64


def query_number(request: HttpRequest, name: str) -> int | None:
    """Return a whole number of the query; None if there is none, or none that can be meant."""
    return _number(request.GET.get(name, ""))


def query_text(request: HttpRequest, name: str) -> str:
    """Return a text of the query, cut to what a search may hold.

    PostgreSQL stores no zero bytes, so a text with one could only match nothing.
    """
    return request.GET.get(name, "").replace("\0", "").strip()[:_LONGEST_TEXT]


def posted_number(request: HttpRequest, name: str) -> int:
    """Return a whole number of a form; 0, which no row has, if there is none that can be meant."""
    return _number(request.POST.get(name, "")) or 0


def wants_part(request: HttpRequest) -> bool:
    """Tell whether an open page asks for the part of it that may have changed."""
    return request.headers.get("HX-Request") == "true"


def _number(text: str) -> int | None:
    is_number = text.isascii() and text.isdigit() and len(text) <= _MOST_DIGITS
    return int(text) if is_number else None
