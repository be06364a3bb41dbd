"""Hints about waiting matches reach the broker, and lost ones are sent again."""

from datetime import timedelta

import pytest
from django.db.models.functions import Now

from pentathlon.matches.dispatch.publishing import RESEND_LOST_S
from pentathlon.matches.models import Match
from tests.factories import make_match, make_worker
from workers.celery_app import app
from workers.publisher import Publisher, hints_in_broker

pytestmark = pytest.mark.django_db


def empty_the_broker() -> None:
    with app.connection_or_acquire() as connection:
        connection.default_channel.queue_purge(app.conf.task_default_queue)


def test_one_hint_names_several_short_matches() -> None:
    make_worker()
    make_match()
    make_match()
    empty_the_broker()

    assert Publisher().publish_waiting_matches() == 2
    assert 1 <= hints_in_broker() <= 2

    empty_the_broker()


def test_lost_hint_is_sent_again_soon() -> None:
    make_worker()
    make_match()
    empty_the_broker()
    publisher = Publisher()

    assert publisher.publish_waiting_matches() == 1
    Match.objects.update(sent_at=Now() - timedelta(seconds=RESEND_LOST_S + 1))
    assert publisher.publish_waiting_matches() == 0, "the broker still has it"
    empty_the_broker()
    assert publisher.publish_waiting_matches() == 1

    empty_the_broker()
