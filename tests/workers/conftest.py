from collections.abc import Iterator

import pytest

from workers.bot_files import BotFiles


@pytest.fixture
def files() -> Iterator[BotFiles]:
    files = BotFiles()
    yield files
    files.close()
