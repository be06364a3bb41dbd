"""The address under which a person uses this site."""

from django.http import HttpRequest


def site_of(request: HttpRequest) -> str:
    """Return scheme, host and port by which a request came, for links in letters and answers."""
    return request.build_absolute_uri("/").rstrip("/")
