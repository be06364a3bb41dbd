import logging
import resource
import threading
from argparse import ArgumentParser
from typing import Any, Final

import uvicorn
from django.conf import settings
from django.core.management.base import BaseCommand

from pentathlon.core.server.connection import Connection
from pentathlon.core.server.limits import IDLE_S, MOST_CONNECTIONS
from pentathlon.core.wheel import engines_wheel

_OPEN_FILES: Final = 4 * MOST_CONNECTIONS
"""Files that may be open: connections, temporary files, databases and static files."""


class Command(BaseCommand):
    """Serve pages, API and streams on one port until SIGTERM."""

    help = "Serve pages, API and streams on one port; on shutdown, finish running requests."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Add the options of the address."""
        parser.add_argument("--host", default="127.0.0.1", help="address to listen on")
        parser.add_argument("--port", type=int, default=8000)

    def handle(self, *args: Any, **options: Any) -> None:  # Any: Django's own signature
        """Listen until SIGTERM."""
        _allow_open_files()
        # Malformed requests of strangers are not worth a warning in our log.
        logging.getLogger("uvicorn.error").setLevel(logging.ERROR)
        # Made ahead, because pages that print the install command would wait for it, at worst
        # seconds.
        threading.Thread(target=engines_wheel, daemon=True).start()
        uvicorn.run(
            "pentathlon.asgi:application",
            host=options["host"],
            port=options["port"],
            http=Connection,
            ws="none",
            lifespan="on",
            log_config=None,
            log_level="error",
            access_log=False,
            server_header=False,
            proxy_headers=False,  # pentathlon.core.server.proxies decides whom to trust
            timeout_keep_alive=int(IDLE_S),
            # Without a limit an open stream would keep the server from ever stopping.
            timeout_graceful_shutdown=settings.SERVE_GRACE_S,
        )


def _allow_open_files() -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = _OPEN_FILES if hard == resource.RLIM_INFINITY else min(_OPEN_FILES, hard)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
