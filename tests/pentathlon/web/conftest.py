from collections.abc import Iterator
from copy import deepcopy

import pytest
from pytest_django.plugin import DjangoDbBlocker

from tests.databases import rows_for_a_module
from tests.pentathlon.web.scene import Scene, make_scene


@pytest.fixture(scope="module")
def made_scene(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[Scene]:
    """Give one of everything for all tests of a module that ask for it."""
    with rows_for_a_module(django_db_blocker):
        yield make_scene()


@pytest.fixture
def scene(made_scene: Scene, db: None) -> Scene:
    """Give a test one of everything to read and to change."""
    return deepcopy(made_scene)
