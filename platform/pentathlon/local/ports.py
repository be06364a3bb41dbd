"""Find a port that nobody listens on."""

import socket
from contextlib import closing

_TRIES = 50


class NoPort(Exception):
    """Every port that was tried is taken."""

    code = "no_port"


def free_port(host: str, wanted: int) -> int:
    """Return `wanted`, or the next port above it that is free."""
    for port in range(wanted, wanted + _TRIES):
        if _is_free(host, port):
            return port
    raise NoPort(f"Ports {wanted} to {wanted + _TRIES - 1} are all taken: name another by --port.")


def _is_free(host: str, port: int) -> bool:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with closing(socket.socket(family, socket.SOCK_STREAM)) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError:
            return False
    return True
