from datetime import timedelta
from itertools import count

import pytest
from django.db.models import F

from pentathlon.core.models import Leadership
from pentathlon.core.services import acquire_leadership, give_up_leadership

pytestmark = pytest.mark.django_db


def test_free_lease_is_taken() -> None:
    assert acquire_leadership(name="reconcile", holder="a", ttl_s=5)


def test_held_lease_is_refused_to_others() -> None:
    acquire_leadership(name="reconcile", holder="a", ttl_s=5)

    assert not acquire_leadership(name="reconcile", holder="b", ttl_s=5)
    assert Leadership.objects.get().holder == "a"


def test_holder_renews() -> None:
    acquire_leadership(name="reconcile", holder="a", ttl_s=5)
    before = Leadership.objects.get().until

    assert acquire_leadership(name="reconcile", holder="a", ttl_s=60)
    assert Leadership.objects.get().until > before + timedelta(seconds=50)


def test_expired_lease_goes_to_the_next() -> None:
    acquire_leadership(name="reconcile", holder="a", ttl_s=5)
    Leadership.objects.update(until=F("until") - timedelta(seconds=6))

    assert acquire_leadership(name="reconcile", holder="b", ttl_s=5)
    assert not acquire_leadership(name="reconcile", holder="a", ttl_s=5)


def test_lease_from_before_the_clock_was_set_back_is_free() -> None:
    acquire_leadership(name="reconcile", holder="a", ttl_s=5)
    Leadership.objects.update(until=F("until") + timedelta(hours=1))

    assert acquire_leadership(name="reconcile", holder="b", ttl_s=5)


def test_dropped_lease_goes_to_the_next() -> None:
    acquire_leadership(name="reconcile", holder="a", ttl_s=60)

    give_up_leadership(name="reconcile", holder="b")
    assert not acquire_leadership(name="reconcile", holder="b", ttl_s=60)
    give_up_leadership(name="reconcile", holder="a")
    assert acquire_leadership(name="reconcile", holder="b", ttl_s=60)


def test_leases_of_other_names_are_apart() -> None:
    holders = count()

    assert all(acquire_leadership(name=name, holder=str(next(holders)), ttl_s=5) for name in "xyz")


def test_lease_that_was_taken_while_others_waited_for_its_row_is_not_free() -> None:
    acquire_leadership(name="reconcile", holder="a", ttl_s=5)
    # A process that waited for the row compares `until` with the start of its own statement.
    Leadership.objects.update(until=F("until") + timedelta(seconds=8))

    assert not acquire_leadership(name="reconcile", holder="b", ttl_s=5)
