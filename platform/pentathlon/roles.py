"""The kind of this process, and how long such a process waits for the database.

Every wait has an end, so that one process that hangs, or a network that swallows packets, does
not stop all others. Free of Django: the entry points take their role before settings exist.
"""

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final


class Role(StrEnum):
    """Kinds of processes that talk to the database."""

    WEB = "web"
    WORKER = "worker"
    RECONCILER = "reconciler"
    COMMAND = "command"


@dataclass(frozen=True, slots=True, kw_only=True)
class Patience:
    """Timeouts of a process, in seconds; 0 means none."""

    connect_s: int = 5
    """The wait for a connection, or for a sign of life from one that was left idle."""
    statement_s: float
    """The time for one statement; the server cancels it after that."""
    answer_s: float
    """The wait for any sign of life during a statement; longer, in case the server itself
    hangs."""
    lock_s: float = 10
    """The wait for a lock that somebody else holds."""
    idle_in_transaction_s: float = 15
    """The time without a statement after which the server ends an open transaction."""


PATIENCE: Final = {
    # A person waits; if they ask again soon, any healthy process answers.
    Role.WEB: Patience(connect_s=3, statement_s=15, answer_s=20),
    # As long as a lease: a claim or a result that takes longer comes too late.
    Role.WORKER: Patience(statement_s=30, answer_s=40),
    Role.RECONCILER: Patience(statement_s=120, answer_s=130),
    # Migrations, recomputes and backups may take any time, but must not wait long for a lock:
    # everybody else would have to wait behind a waiting `ALTER TABLE`.
    Role.COMMAND: Patience(statement_s=0, answer_s=0, idle_in_transaction_s=300),
}

_COMMANDS: Final = {"reconcile": Role.RECONCILER, "serve": Role.WEB}
_taken: list[Role] = []


def worker_command(*, slots: int) -> list[str]:
    """Return the command of a Celery worker that plays `slots` matches at a time."""
    return [
        *(sys.executable, "-m", "celery", "-A", "workers.celery_app", "worker"),
        *(f"--concurrency={slots}", "--loglevel=info"),
        *("--without-gossip", "--without-mingle", "--without-heartbeat"),
    ]


def take_role(role: Role) -> None:
    """Set the role of this process; the first call decides."""
    _taken.append(role)


def current_role() -> Role:
    """Return the role that this process has taken, else the role of its command line."""
    return _taken[0] if _taken else role_of_command(sys.argv)


def role_of_command(arguments: Sequence[str]) -> Role:
    """Return the role of a process with this command line."""
    command = next(iter(arguments[1:2]), "")
    return _COMMANDS.get(command, Role.COMMAND)
