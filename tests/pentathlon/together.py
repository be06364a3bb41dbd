"""Do things at the same moment, each in a thread with its own database connection."""

import threading
from collections.abc import Callable, Sequence
from typing import Any

from django.db import connection

from tests.patience import PATIENCE_S


def all_at_once(actions: Sequence[Callable[[], object]]) -> list[Any]:  # Any: what they return
    """Start all actions together; return what each returned or raised, in order."""
    start = threading.Barrier(len(actions))
    outcomes: list[object] = [RuntimeError("did not end")] * len(actions)

    def act(index: int, action: Callable[[], object]) -> None:
        try:
            start.wait(PATIENCE_S)
            outcomes[index] = action()
        except Exception as error:
            outcomes[index] = error
        finally:
            connection.close()

    threads = [threading.Thread(target=act, args=pair) for pair in enumerate(actions)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(PATIENCE_S)
    return outcomes
