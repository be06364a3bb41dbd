from pathlib import Path

import pytest

from tests.workers.sites import Wire, make_worker_token, remote_platform
from workers.remote.adapter import RemotePlatform


@pytest.fixture
def wire() -> Wire:
    return Wire()


@pytest.fixture
def platform(wire: Wire, tmp_path: Path) -> RemotePlatform:
    """Return a worker's platform behind a wire that can be cut, with a token of its own."""
    return remote_platform(tmp_path, make_worker_token()[1], wire)
