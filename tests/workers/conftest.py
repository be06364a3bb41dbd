from collections.abc import Iterator

import pytest

from tests.workers.playing import bot_files
from workers.sandbox.files import runtime
from workers.sandbox.files.staging import Staging
from workers.slots.bot_files import BotFiles

_NOBODY = 65534


@pytest.fixture(scope="session", autouse=True)
def _engines_within_reach() -> Iterator[None]:
    """Copy the engines of a private clone once, not for each launcher of each test.

    Every launcher makes a copy of 700 files, in .7 s of CPU time, where no other user can read
    ours; continuous integration often clones to such a place.
    """
    staging = Staging()
    package, *_ = runtime._stage_engines(staging, uid=_NOBODY)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(runtime, "_package", lambda: package)
        yield
    staging.close()


@pytest.fixture
def files() -> Iterator[BotFiles]:
    files = bot_files()
    yield files
    files.close()
