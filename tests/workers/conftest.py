from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.workers.playing import bot_files
from workers.sandbox.files import memory, runtime
from workers.sandbox.files.memory import MemoryFiles
from workers.sandbox.files.runtime import Runtime
from workers.sandbox.files.staging import Staging
from workers.sandbox.profiles import Profile
from workers.slots.bot_files import BotFiles

_NOBODY = 65534


@pytest.fixture(scope="session", autouse=True)
def _engines_within_reach() -> Iterator[Path]:
    """Copy the engines of a private clone once, not for each launcher of each test.

    Every launcher makes a copy of 700 files, in .7 s of CPU time, where no other user can read
    ours; continuous integration often clones to such a place.
    """
    staging = Staging()
    package, *_ = runtime._stage_engines(staging, uid=_NOBODY)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(runtime, "_package", lambda: package)
        yield package
    staging.close()


@pytest.fixture(scope="session", autouse=True)
def _copies_in_memory(_engines_within_reach: Path) -> Iterator[None]:
    """Keep what launchers copy to memory until the end, as a second worker of this host would.

    Every launcher plans and copies 60 MB for its first bot, in .7 s of CPU time.
    """
    plan, copy = memory._plan, MemoryFiles._copy
    plans: dict[tuple[Runtime, str], memory._Plan] = {}
    others: list[MemoryFiles] = []

    def plan_once(runtime: Runtime, profile: Profile) -> memory._Plan:
        key = (runtime, profile.name)
        return plans[key] if key in plans else plan(runtime, profile)

    def copy_and_keep(files: MemoryFiles, runtime: Runtime, profile: Profile) -> Runtime:
        copied, key = copy(files, runtime, profile), (runtime, profile.name)
        if _engines_within_reach in runtime.engines and key not in plans:
            plans[key] = plan(runtime, profile)
            others.append(MemoryFiles(files.parent))
            copy(others[-1], runtime, profile)
        return copied

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(memory, "_plan", plan_once)
        patch.setattr(MemoryFiles, "_copy", copy_and_keep)
        yield
    for other in others:
        other.close()


@pytest.fixture
def files() -> Iterator[BotFiles]:
    files = bot_files()
    yield files
    files.close()
