from datetime import timedelta
from itertools import count

import pytest
from django.db.models import F

from pentathlon.common.models import Lease
from pentathlon.common.services import drop_lease, take_lease

pytestmark = pytest.mark.django_db


def test_free_lease_is_taken() -> None:
    assert take_lease(name="reconcile", holder="a", ttl_s=5)


def test_held_lease_is_refused_to_others() -> None:
    take_lease(name="reconcile", holder="a", ttl_s=5)

    assert not take_lease(name="reconcile", holder="b", ttl_s=5)
    assert Lease.objects.get().holder == "a"


def test_holder_renews() -> None:
    take_lease(name="reconcile", holder="a", ttl_s=5)
    before = Lease.objects.get().until

    assert take_lease(name="reconcile", holder="a", ttl_s=60)
    assert Lease.objects.get().until > before + timedelta(seconds=50)


def test_expired_lease_goes_to_the_next() -> None:
    take_lease(name="reconcile", holder="a", ttl_s=5)
    Lease.objects.update(until=F("until") - timedelta(seconds=6))

    assert take_lease(name="reconcile", holder="b", ttl_s=5)
    assert not take_lease(name="reconcile", holder="a", ttl_s=5)


def test_lease_from_before_the_clock_was_set_back_is_free() -> None:
    take_lease(name="reconcile", holder="a", ttl_s=5)
    Lease.objects.update(until=F("until") + timedelta(hours=1))

    assert take_lease(name="reconcile", holder="b", ttl_s=5)


def test_dropped_lease_goes_to_the_next() -> None:
    take_lease(name="reconcile", holder="a", ttl_s=60)

    drop_lease(name="reconcile", holder="b")
    assert not take_lease(name="reconcile", holder="b", ttl_s=60)
    drop_lease(name="reconcile", holder="a")
    assert take_lease(name="reconcile", holder="b", ttl_s=60)


def test_leases_of_other_names_are_apart() -> None:
    holders = count()

    assert all(take_lease(name=name, holder=str(next(holders)), ttl_s=5) for name in "xyz")


def test_lease_that_was_taken_while_others_waited_for_its_row_is_not_free() -> None:
    take_lease(name="reconcile", holder="a", ttl_s=5)
    # Whoever waited for the row compares with the time at which its statement began.
    Lease.objects.update(until=F("until") + timedelta(seconds=8))

    assert not take_lease(name="reconcile", holder="b", ttl_s=5)
