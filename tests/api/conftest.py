import pytest
from rest_framework.test import APIClient


@pytest.fixture
def anonymous() -> APIClient:
    """Return a client without a person."""
    return APIClient()
