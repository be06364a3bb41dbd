"""The way of workers without keys to a broker of ours: a port, and a user who may only take."""

from secrets import token_hex
from typing import Final
from urllib.parse import urlsplit

from pentathlon.fleet.queues import QUEUES, WORKER, worker_line

VARIABLE: Final = "PENTATHLON_WORKER_BROKER"


def worker_broker(port: int, *, of: str = "") -> str:
    """Return the address of a user that takes hints; with `of`, of that user at another port."""
    password = urlsplit(of).password or token_hex(20)
    return f"redis://{WORKER}:{password}@127.0.0.1:{port}/0"


def broker_options(url: str) -> list[str]:
    """Return what a command of Valkey needs in addition, to be reached at such an address."""
    parts = urlsplit(url)
    _, *rules = worker_line(password=str(parts.password), queues=QUEUES).split()
    return ["--port", str(parts.port), "--user", *rules]
