"""What an address and its headers ask for."""

from django.http import HttpRequest

_MOST_DIGITS = 15


def query_number(request: HttpRequest, name: str) -> int | None:
    """Return a whole number of the query; None if there is none, or none that can be meant."""
    text = request.GET.get(name, "")
    is_number = text.isascii() and text.isdigit() and len(text) <= _MOST_DIGITS
    return int(text) if is_number else None


def wants_part(request: HttpRequest) -> bool:
    """Tell whether an open page asks for the part of it that may have changed."""
    return request.headers.get("HX-Request") == "true"
