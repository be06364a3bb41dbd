"""Texts from other people's programs and for people, and the address of this site."""

from __future__ import annotations

from typing import Final

from django.http import HttpRequest
from django.http.request import split_domain_port

_LONG: Final = 90
"""From this number on, seconds are written as minutes, and minutes as hours."""


def storable(text: str) -> str:
    """Return a text without zero bytes and lone surrogates, which a database refuses."""
    return text.encode(errors="replace").decode().replace("\0", "\N{REPLACEMENT CHARACTER}")


def duration(seconds: float) -> str:
    """Write a duration in the unit a person would use.

    >>> duration(0.3), duration(80), duration(600), duration(9000)
    ('1 s', '80 s', '10 min', '2.5 h')
    """
    if seconds < _LONG:
        return f"{max(1, round(seconds))} s"
    if seconds < _LONG * 60:
        return f"{round(seconds / 60)} min"
    return f"{seconds / 3600:.1f} h"


def site_of(request: HttpRequest) -> str:
    """Return the scheme, host and port of a request, for links in letters and answers."""
    return request.build_absolute_uri("/").rstrip("/")


def host_of(request: HttpRequest) -> str:
    """Return the name by which the person reached the site, without a port."""
    return split_domain_port(request.get_host())[0]
