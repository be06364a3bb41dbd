from collections.abc import Iterator

import pytest

from tests.workers.playing import bot_files
from workers.bot_files import BotFiles


@pytest.fixture
def files() -> Iterator[BotFiles]:
    files = bot_files()
    yield files
    files.close()
