import pytest

from pentathlon.accounts.models import User
from tests.factories import make_user


@pytest.fixture
def organiser(db: None) -> User:
    """Return somebody who may arrange tournaments."""
    return make_user(organiser=True)
