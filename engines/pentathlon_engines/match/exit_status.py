"""Exit statuses in words."""

from __future__ import annotations

import signal
from typing import Final

_OF_SHELLS: Final = {
    126: "in a shell: program cannot be executed",
    127: "in a shell: program not found",
}


def manner_of_end(exit_status: int) -> str:
    """Describe how a process ended by itself; a signal is negative, as in `subprocess`.

    >>> manner_of_end(3)
    'ended with exit status 3'
    >>> manner_of_end(-11)
    'was ended by SIGSEGV'
    >>> manner_of_end(127)
    'ended with exit status 127 (in a shell: program not found)'
    """
    if exit_status in _OF_SHELLS:
        return f"ended with exit status {exit_status} ({_OF_SHELLS[exit_status]})"
    if exit_status >= 0:
        return f"ended with exit status {exit_status}"
    try:
        name = signal.Signals(-exit_status).name
    except ValueError:
        name = f"signal {-exit_status}"
    if name == "SIGKILL":
        return "was killed, or closed its output"
    return f"was ended by {name}"
