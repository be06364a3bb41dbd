"""The addresses that an endpoint may have: none inside the network of this server.

A URL is checked when it is given, and again each time before something is sent: the name is
resolved once, every address that it has must be allowed, and exactly these addresses are used. So
a name that resolves to another address a moment later changes nothing.
"""

from __future__ import annotations

import re
import socket
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from typing import Final
from urllib.parse import SplitResult, urlsplit

from pentathlon.core.errors import InvalidInput
from pentathlon.webhooks.models import LONGEST_URL

PORTS: Final = (443, 8443)
"""The ports for https; others would let people probe the services of other hosts."""
_MOST_ADDRESSES: Final = 4
_DEFAULT_PORTS: Final = {"https": 443, "http": 80}
_HOST: Final = re.compile(
    r"[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)*\.?"
)
_INTERNAL_NAMES: Final = ("localhost", "local", "internal", "lan", "intranet", "home.arpa")
_UNICAST_V6: Final = ip_network("2000::/3")
_NOT_PUBLIC: Final = tuple(
    ip_network(network)
    for network in (
        "192.88.99.0/24",  # relays of 6to4
        "192.0.0.0/24",
        "2001::/23",  # Teredo, ORCHID, benchmarks: addresses for protocols only
        "2001:db8::/32",
        "2002::/16",  # 6to4 carries any IPv4 address
        "3fff::/20",
        "5f00::/16",
    )
)
Resolve = Callable[[str, int], Iterable[str]]


class ForbiddenAddress(Exception):
    """A place where nothing is sent."""

    code = "forbidden_address"


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """The exact destination of a request."""

    is_tls: bool
    host: str
    port: int
    addresses: tuple[str, ...]
    """The addresses of the host, resolved once; nothing else is connected to."""
    path: str
    """The path with its query."""

    @property
    def authority(self) -> str:
        """The value of the header `Host`."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        is_usual = self.port == _DEFAULT_PORTS["https" if self.is_tls else "http"]
        return host if is_usual else f"{host}:{self.port}"


def check_url(url: str, *, allows_loopback: bool) -> str:
    """Return the URL of an endpoint, or refuse it; names are resolved only when something is sent.

    Raises:
        InvalidInput: `bad_url`.
    """
    try:
        parts = _split(url.strip())
        _check_port(parts, allows_loopback=allows_loopback)
        _check_host(parts, allows_loopback=allows_loopback)
    except (ForbiddenAddress, ValueError) as error:
        raise InvalidInput(
            f"This cannot be the address of a webhook: {error}. Give an https address that "
            f"everybody can reach, on port {' or '.join(map(str, PORTS))}.",
            code="bad_url",
            field="url",
            allowed={"schemes": ["https"], "ports": list(PORTS)},
        ) from error
    return url.strip()


def resolve_target(url: str, *, allows_loopback: bool, resolve: Resolve | None = None) -> Target:
    """Resolve the host of a URL and return where exactly to connect.

    Raises:
        ForbiddenAddress: the URL, or one of the addresses of its host, is not allowed.
        OSError: the name does not resolve.
    """
    parts = _split(url)
    _check_port(parts, allows_loopback=allows_loopback)
    host = (parts.hostname or "").rstrip(".")
    port = parts.port or _DEFAULT_PORTS[parts.scheme]
    found = tuple(dict.fromkeys((resolve or _resolve)(host, port)))
    if not found:
        raise ForbiddenAddress(f"{host} has no address")
    for text in found:
        address = ip_address(text)
        # One forbidden address refuses them all, since any of them might be connected to.
        check_address(address, allows_loopback=allows_loopback)
        _check_scheme(parts, is_here=address.is_loopback)
    path = parts.path or "/"
    return Target(
        is_tls=parts.scheme == "https",
        host=host,
        port=port,
        addresses=found[:_MOST_ADDRESSES],
        path=f"{path}?{parts.query}" if parts.query else path,
    )


def check_address(address: IPv4Address | IPv6Address, *, allows_loopback: bool) -> None:
    """Refuse an address that is not public.

    Raises:
        ForbiddenAddress: it is private, loopback, multicast or reserved, or embeds another
        address.
    """
    if allows_loopback and isinstance(address, IPv4Address) and address.is_loopback:
        return
    is_public = address.is_global and not address.is_multicast and not address.is_reserved
    if isinstance(address, IPv6Address):
        # Other ranges hold mapped and translated IPv4 (::ffff:0:0/96, 64:ff9b::/96), site-local …
        is_public = address in _UNICAST_V6 and not address.is_multicast
    if not is_public or any(address in network for network in _NOT_PUBLIC):
        raise ForbiddenAddress(f"{address} is not a public address")


def _split(url: str) -> SplitResult:
    if len(url) > LONGEST_URL:
        raise ForbiddenAddress(f"it has more than {LONGEST_URL} characters")
    if not url.isascii() or any(character <= " " or character == "\x7f" for character in url):
        raise ForbiddenAddress("it has characters that an address cannot have")
    if "\\" in url:
        raise ForbiddenAddress("it has a backslash")
    parts = urlsplit(url)
    if parts.scheme not in _DEFAULT_PORTS:
        raise ForbiddenAddress("it does not begin with https://")
    if parts.username is not None or parts.password is not None:
        raise ForbiddenAddress("it has a user name or a password; use the signature instead")
    if parts.fragment:
        raise ForbiddenAddress("it has a fragment behind #, which is never sent")
    if not parts.hostname:
        raise ForbiddenAddress("it names no host")
    return parts


def _check_port(parts: SplitResult, *, allows_loopback: bool) -> None:
    port = parts.port or _DEFAULT_PORTS[parts.scheme]
    if parts.scheme == "http" and not allows_loopback:
        raise ForbiddenAddress("it does not begin with https://")
    # On one's own machine a receiver may have any port; `resolve_target` checks its address.
    if port not in PORTS and not allows_loopback:
        raise ForbiddenAddress(f"port {port} is not one for https")


def _check_host(parts: SplitResult, *, allows_loopback: bool) -> None:
    host = parts.hostname or ""
    literal = _literal(host)
    if literal is not None:
        check_address(literal, allows_loopback=allows_loopback)
        _check_scheme(parts, is_here=literal.is_loopback)
    elif not allows_loopback or host.rstrip(".") != "localhost":
        _check_name(host)
        _check_scheme(parts, is_here=False)


def _check_scheme(parts: SplitResult, *, is_here: bool) -> None:
    if parts.scheme == "http" and not is_here:
        raise ForbiddenAddress("other machines are reached by https only")


def _check_name(host: str) -> None:
    name = host.rstrip(".")
    last = name.rpartition(".")[2]
    if not _HOST.fullmatch(name) or last.isdigit() or last.startswith("0x"):
        raise ForbiddenAddress(f"{host[:60]!r} is not a host name")
    if "." not in name or any(name == end or name.endswith(f".{end}") for end in _INTERNAL_NAMES):
        raise ForbiddenAddress(f"{host[:60]!r} is a name inside a network")


def _literal(host: str) -> IPv4Address | IPv6Address | None:
    try:
        return ip_address(host)
    except ValueError:
        return None


def _resolve(host: str, port: int) -> Iterable[str]:
    for *_, place in socket.getaddrinfo(host, port, type=socket.SOCK_STREAM):
        yield str(place[0]).partition("%")[0]
