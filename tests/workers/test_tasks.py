from datetime import timedelta

import pytest
from django.db.models.functions import Now

from pentathlon.matches.models import Match
from pentathlon.matches.services import RESEND_LOST_S
from tests.factories import make_match
from workers.celery_app import app
from workers.tasks import publish_waiting_matches

pytestmark = pytest.mark.django_db


def _forget_everything() -> None:
    with app.connection_or_acquire() as connection:
        connection.default_channel.queue_purge(app.conf.task_default_queue)


def test_hint_goes_out_again_soon_if_the_broker_has_lost_it() -> None:
    make_match()
    _forget_everything()

    assert publish_waiting_matches() == 1
    Match.objects.update(sent_at=Now() - timedelta(seconds=RESEND_LOST_S + 1))
    assert publish_waiting_matches() == 0, "the broker still has it"
    _forget_everything()
    assert publish_waiting_matches() == 1

    _forget_everything()
