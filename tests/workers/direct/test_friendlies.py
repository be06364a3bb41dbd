"""A worker beside the database moves bots of friendlies."""

from __future__ import annotations

from dataclasses import replace
from uuid import uuid4

import pytest

from pentathlon.fleet.announcements import MOVE_BOTS
from pentathlon.friendlies.models import Friendly, FriendlyState
from pentathlon.friendlies.stretches import publish_friendlies
from tests.factories import make_worker
from tests.pentathlon.friendlies.acting import begun, claimed, move, result_of
from tests.workers.test_platforms import announced
from workers.direct import DirectPlatform
from workers.port import Lease

pytestmark = pytest.mark.django_db
DIRECT = DirectPlatform()


def test_claim_takes_each_friendly_once() -> None:
    friendly = move(begun())

    first = DIRECT.claim([friendly.pk], task=MOVE_BOTS, slot="host/1.0", announcement=announced())
    second = DIRECT.claim([friendly.pk], task=MOVE_BOTS, slot="host/1.0", announcement=announced())

    assert [stretch.id for stretch in first] == [friendly.pk]
    assert second == []


def test_friendly_of_a_bot_that_cannot_run_here_is_left_to_others() -> None:
    friendly = move(begun())

    assert (
        DIRECT.claim(
            [friendly.pk], task=MOVE_BOTS, slot="h/1.0", announcement=announced(runtimes=())
        )
        == []
    )


def test_friendly_that_is_passed_on_is_sent_again() -> None:
    make_worker(slots=2)
    friendly = begun(seat=1)
    sent: list[int] = []
    publish_friendlies(sent.extend)

    DIRECT.publish_again([friendly.pk], task=MOVE_BOTS)
    publish_friendlies(sent.extend)

    assert sent == [friendly.pk, friendly.pk]


def test_lease_holds_for_its_owner_only() -> None:
    stretch = claimed(move(begun()))

    assert DIRECT.renew([Lease(job=stretch, ply=1)]) == []
    assert DIRECT.renew([Lease(job=replace(stretch, token=uuid4()), ply=1)]) == [stretch.id]


def test_result_after_the_friendly_was_given_back_is_not_wanted() -> None:
    stretch = claimed(move(begun()))

    assert DIRECT.give_back(stretch, reason="draining")
    (refusal,) = DIRECT.hand_in([result_of(stretch)])

    assert refusal is not None
    assert refusal.code == "stale_token"

    friendly = Friendly.objects.get()
    assert (friendly.state, friendly.ply, friendly.host_faults) == (FriendlyState.BOT, 1, 0)
