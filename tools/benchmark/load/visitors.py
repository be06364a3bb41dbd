"""Visitors of the API for locust, which runs this file in the environment of the benchmarks.

`paths.json` in the current folder lists the addresses; each visitor asks for them by lot.
"""

import json
import random
from itertools import count
from pathlib import Path
from typing import Any

from gevent import get_hub
from locust import HttpUser, events, task
from requests.adapters import HTTPAdapter

_PATHS = json.loads(Path("paths.json").read_text())
_numbers = count(1)


@events.init.add_listener  # type: ignore[untyped-decorator]  # locust is installed elsewhere
def _set_clock(**_: object) -> None:
    """Count the run from now: gevent's clock still stands where the slow imports began.

    On a busy machine the time would be over before the first request.
    """
    get_hub().loop.update_now()


class _From(HTTPAdapter):
    """Sends requests from one network address of this machine."""

    def __init__(self, address: str) -> None:
        self._address = address
        super().__init__()

    def init_poolmanager(self, *arguments: Any, **options: Any) -> None:  # Any: urllib3's
        """Bind each connection to the address."""
        super().init_poolmanager(*arguments, source_address=(self._address, 0), **options)


class Visitor(HttpUser):
    """One client that asks again as soon as it has its answer."""

    def on_start(self) -> None:
        """Come from a network address of its own, because rates are counted by address."""
        self.client.mount("http://", _From(f"127.0.4.{next(_numbers)}"))

    @task  # type: ignore[untyped-decorator]  # locust is installed elsewhere
    def read(self) -> None:
        """Read one address."""
        self.client.get(random.choice(_PATHS))
