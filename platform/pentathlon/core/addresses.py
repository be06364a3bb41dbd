"""The address under which a person uses this site."""

from django.http import HttpRequest
from django.http.request import split_domain_port


def site_of(request: HttpRequest) -> str:
    """Return the scheme, host and port of a request, for links in letters and answers."""
    return request.build_absolute_uri("/").rstrip("/")


def host_of(request: HttpRequest) -> str:
    """Return the name by which the person reached the site, without a port."""
    return split_domain_port(request.get_host())[0]
