from collections.abc import Iterator

import pytest

from tests.workers.sandbox.hostile import Arenas


@pytest.fixture(scope="module")
def arenas() -> Iterator[Arenas]:
    """Let the hostile bots of a module loose in processes that its tests share."""
    opened = Arenas()
    yield opened
    opened.close()
