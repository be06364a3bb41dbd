"""The redirect addresses of an app, which must match exactly.

Only the port of a loopback address is free, because a program on somebody's machine takes
whichever port it gets (RFC 8252, 7.3).
"""

from __future__ import annotations

from typing import Final
from urllib.parse import SplitResult, urlsplit

from pentathlon.core.errors import InvalidInput

MOST: Final = 10
LONGEST: Final = 300
_LOOPBACK: Final = ("127.0.0.1", "::1")


def checked_redirects(addresses: list[str]) -> list[str]:
    """Return the addresses without duplicates, or refuse them.

    Raises:
        InvalidInput: `bad_redirect_uri`, or `required`.
    """
    wanted = list(dict.fromkeys(address.strip() for address in addresses if address.strip()))
    if not 1 <= len(wanted) <= MOST:
        raise InvalidInput(
            f"Name 1 to {MOST} addresses to which people are sent back.",
            code="required",
            field="redirect_uris",
        )
    for address in wanted:
        if (fault := _fault(address)) is not None:
            raise InvalidInput(
                f"{address[:80]!r} {fault}", code="bad_redirect_uri", field="redirect_uris"
            )
    return wanted


def is_allowed(registered: list[str], asked: str) -> bool:
    """Return whether an app may send people to this address."""
    return asked in registered or any(_differ_in_port(each, asked) for each in registered)


def origin_of(address: str) -> str:
    """Return scheme, host and port of an address."""
    parts = urlsplit(address)
    return f"{parts.scheme}://{parts.netloc}"


def _fault(address: str) -> str | None:
    if len(address) > LONGEST or not address.isascii() or not address.isprintable():
        return f"has more than {LONGEST} characters, or characters that are not printable ASCII."
    parts = _parts(address)
    if parts is None or not parts.hostname or set(address) & set(' "<>\\^`{|};,*'):
        return "is not an address. Write it in full, such as https://example.org/callback."
    if "#" in address or "@" in parts.netloc:
        return "has a fragment, a name or a password. Leave them out."
    is_loopback = parts.scheme == "http" and parts.hostname in _LOOPBACK
    if parts.scheme != "https" and not is_loopback:
        return (
            "is neither https nor http://127.0.0.1 or http://[::1], for programs on "
            "a user's machine."
        )
    return None


def _differ_in_port(registered: str, asked: str) -> bool:
    """Return whether two loopback addresses are the same but for their ports."""
    one, other = _parts(registered), _parts(asked)
    if one is None or other is None or one.scheme != "http" or one.hostname not in _LOOPBACK:
        return False
    host = f"[{one.hostname}]" if ":" in (one.hostname or "") else str(one.hostname)
    port = "" if other.port is None else f":{other.port}"
    tail = registered[len(f"http://{one.netloc}") :]
    return asked == f"http://{host}{port}{tail}"


def _parts(address: str) -> SplitResult | None:
    try:
        parts = urlsplit(address)
        _ = parts.port
    except ValueError:
        return None
    return parts
