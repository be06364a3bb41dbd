"""The site that a command uses, and its user.

The environment comes first (`PENTATHLON_SITE`, `PENTATHLON_TOKEN`: for scripts), then what
`pentathlon login` has stored, then the site that this very package was installed from.
"""

from __future__ import annotations

import json
import os
import re
from importlib.metadata import PackageNotFoundError, distribution
from typing import Final
from urllib.parse import SplitResult, urlsplit

from pentathlon_engines.cli.client.credentials import Credentials
from pentathlon_engines.cli.client.http_site import Site
from pentathlon_engines.cli.failure import CommandFailed

SITE_VARIABLE: Final = "PENTATHLON_SITE"
TOKEN_VARIABLE: Final = "PENTATHLON_TOKEN"  # noqa: S105  the name of a variable
_LOOPBACK = re.compile(r"localhost|127(\.\d+){3}|\[::1\]")
_NUMBER = re.compile(r"\d{1,18}")


def connect(address: str | None = None) -> Site:
    """Return the site at this address, or the default one, with the stored token."""
    known = Credentials.load()
    origin = origin_of(address) if address else usual_site(known)
    token = os.environ.get(TOKEN_VARIABLE)
    if token and (not address or origin == _site_of_environment()):
        return Site(origin, token=token.strip(), named_by=TOKEN_VARIABLE)
    stored = known.by_site.get(origin)
    return Site(origin, token=stored.token if stored else None)


def connect_as_person(address: str | None = None) -> Site:
    """Return the site as `connect` does; fail if the user has not signed in there."""
    site = connect(address)
    if site.token is None:
        raise CommandFailed(
            f"You have not signed in to {site.origin}.",
            try_next=f"pentathlon login {site.origin}",
        )
    return site


def usual_site(known: Credentials) -> str:
    """Return the default site."""
    found = _site_of_environment() or known.site or _installed_from()
    if found is None:
        raise CommandFailed(
            "No site is given, and none is known from an earlier login.",
            try_next="pentathlon login http://localhost:8000",
        )
    return found


def origin_of(address: str) -> str:
    """Return scheme, host and port of a pasted address: a page or a bare host."""
    try:
        if "://" not in address:
            scheme = "http" if _is_loopback(urlsplit(f"//{address}")) else "https"
            address = f"{scheme}://{address}"
        parts = urlsplit(address)
        _ = parts.port
    except ValueError:
        parts = urlsplit("")
    if parts.scheme not in ("http", "https") or not parts.hostname or "@" in parts.netloc:
        raise CommandFailed(
            f"{address} is not the address of a site.",
            try_next="pentathlon login http://localhost:8000",
        )
    return f"{parts.scheme}://{parts.netloc.lower()}"


def is_private_line(origin: str) -> bool:
    """Return whether the connection to this site is private."""
    parts = urlsplit(origin)
    return parts.scheme == "https" or _is_loopback(parts)


def split_address(text: str, kind: str) -> tuple[str | None, int | None]:
    """Return the origin and number of an object, from its address or its number alone."""
    if _NUMBER.fullmatch(text):
        return None, int(text)
    found = re.fullmatch(rf"(https?://[^/]+)/(?:api/v1/)?{kind}/(\d{{1,18}})(?:[/?#].*)?", text)
    return (found[1], int(found[2])) if found else (None, None)


def _is_loopback(parts: SplitResult) -> bool:
    host = parts.netloc.removesuffix(f":{parts.port}")
    return bool(_LOOPBACK.fullmatch(host))


def _site_of_environment() -> str | None:
    named = os.environ.get(SITE_VARIABLE)
    return origin_of(named) if named else None


def _installed_from() -> str | None:
    """Return the site that served this wheel, as recorded by pip."""
    try:
        noted = distribution("pentathlon-engines").read_text("direct_url.json")
        address = json.loads(noted or "{}").get("url", "")
    except (PackageNotFoundError, ValueError, OSError):
        return None
    is_kit = address.startswith(("http://", "https://")) and "/kit/" in address
    return origin_of(address) if is_kit else None
