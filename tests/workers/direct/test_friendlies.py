"""A worker beside the database moves bots of friendlies."""

from __future__ import annotations

from uuid import uuid4

import pytest

from pentathlon.friendlies.models import Friendly, FriendlyState
from pentathlon.friendlies.stretches import publish_friendlies
from tests.factories import make_worker
from tests.pentathlon.friendlies.acting import answered, begun, claimed, move, result_of
from tests.workers.test_platforms import announced
from workers.direct.friendlies import DirectFriendlies

pytestmark = pytest.mark.django_db
DIRECT = DirectFriendlies()


def test_claim_takes_each_friendly_once() -> None:
    friendly = move(begun())

    first = DIRECT.claim([friendly.pk], slot="host/1.0", announcement=announced())
    second = DIRECT.claim([friendly.pk], slot="host/1.0", announcement=announced())

    assert [stretch.friendly_id for stretch in first] == [friendly.pk]
    assert second == []


def test_friendly_of_a_bot_that_cannot_run_here_is_left_to_others() -> None:
    friendly = move(begun())

    assert DIRECT.claim([friendly.pk], slot="h/1.0", announcement=announced(runtimes=())) == []


def test_friendly_that_is_passed_on_is_sent_again() -> None:
    make_worker(slots=2)
    friendly = begun(seat=1)
    sent: list[int] = []
    publish_friendlies(sent.extend)

    DIRECT.publish_again([friendly.pk])
    publish_friendlies(sent.extend)

    assert sent == [friendly.pk, friendly.pk]


def test_lease_holds_for_its_owner_only() -> None:
    stretch = claimed(move(begun()))

    assert DIRECT.renew(stretch.friendly_id, stretch.token, ply=1)
    assert not DIRECT.renew(stretch.friendly_id, uuid4(), ply=1)


def test_result_after_the_friendly_was_given_back_is_not_wanted() -> None:
    stretch = claimed(move(begun()))
    held = stretch.friendly_id, stretch.token

    assert DIRECT.fail(*held, reason="draining", counts=False)
    assert not DIRECT.finish(*held, result=result_of(answered(stretch)))

    friendly = Friendly.objects.get()
    assert (friendly.state, friendly.ply, friendly.host_faults) == (FriendlyState.BOT, 1, 0)
