from collections.abc import Iterator

import pytest
from django.core.cache import cache
from pytest_django import Settings
from rest_framework.test import APIClient


@pytest.fixture(autouse=True)
def _own_cache(settings: Settings) -> Iterator[None]:
    """Keep counts of requests apart from those of other tests."""
    settings.CACHES = {
        "default": {"BACKEND": "django.core.cache.backends.locmem.LocMemCache"},
    }
    cache.clear()
    yield
    cache.clear()


@pytest.fixture
def anonymous() -> APIClient:
    """Return a client without a person."""
    return APIClient()
