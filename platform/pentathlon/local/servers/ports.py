"""Find a port that no process listens on."""

import errno
import socket
from contextlib import closing
from typing import Final

_TRIES = 50
_LAST: Final = 65_535


class NoPort(Exception):
    """Every port that was tried is taken."""

    code = "no_port"


class BadAddress(Exception):
    """A host or a port that no process can listen on here."""

    code = "bad_address"


def free_port(host: str, wanted: int) -> int:
    """Return `wanted`, or the next port above it that is free."""
    if not 1 <= wanted <= _LAST:
        raise BadAddress(f"--port takes a number from 1 to {_LAST}, not {wanted}.")
    last = min(wanted + _TRIES - 1, _LAST)
    for port in range(wanted, last + 1):
        if _is_free(host, port):
            return port
    raise NoPort(f"Ports {wanted} to {last} are all taken: name another by --port.")


def _is_free(host: str, port: int) -> bool:
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    except (OSError, UnicodeError) as error:
        raise BadAddress(f"--host {host} is not an address: the name is unknown.") from error
    family, kind, _, _, address = found[0]
    with closing(socket.socket(family, kind)) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(address)
        except OSError as error:
            if error.errno == errno.EADDRINUSE:
                return False
            raise BadAddress(f"Cannot listen on {host}, port {port}: {error.strerror}.") from error
    return True
