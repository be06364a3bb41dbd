from functools import partial

import pytest

from pentathlon.core.services import acquire_leadership
from tests.pentathlon.together import all_at_once


@pytest.mark.django_db(transaction=True)
def test_one_of_many_takes_a_lease() -> None:
    takers = [partial(acquire_leadership, name="work", holder=str(n), ttl_s=30) for n in range(6)]

    assert sorted(all_at_once(takers)) == [False] * 5 + [True]
