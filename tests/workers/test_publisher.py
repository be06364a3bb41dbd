"""Hints about waiting matches reach the broker, and lost ones are sent again."""

from collections.abc import Callable
from datetime import timedelta

import pytest
from django.db.models.functions import Now
from pytest_django import DjangoAssertNumQueries
from redis import RedisError
from structlog.testing import capture_logs

from pentathlon.fleet.announcements import Work
from pentathlon.fleet.queues import FRIENDLIES, LADDERS, MATCHES, QUEUES
from pentathlon.insight.analyses.services import ask_for_analysis
from pentathlon.matches.dispatch.publishing import RESEND_LOST_S
from pentathlon.matches.models import Match, MatchKind, MatchState
from tests.factories import make_match, make_worker
from tests.pentathlon.friendlies.acting import begun
from tests.pentathlon.insight.analyses.test_services import make_played
from workers import publisher as publisher_module
from workers.celery_app import app
from workers.publisher import Publisher, hints_in_broker
from workers.tasks import play_matches

pytestmark = pytest.mark.django_db


def empty_the_broker() -> None:
    with app.connection_or_acquire() as connection:
        for queue in app.conf.task_queues:
            connection.default_channel.queue_purge(queue)


def test_one_hint_names_several_short_matches() -> None:
    make_worker()
    make_match()
    make_match()
    empty_the_broker()

    assert Publisher().publish_matches() == 2
    assert 1 <= hints_in_broker() <= 2

    empty_the_broker()


def test_lost_hint_is_sent_again_soon() -> None:
    make_worker()
    make_match()
    empty_the_broker()
    publisher = Publisher()

    assert publisher.publish_matches() == 1
    Match.objects.update(sent_at=Now() - timedelta(seconds=RESEND_LOST_S + 1))
    assert publisher.publish_matches() == 0, "the broker still has it"
    empty_the_broker()
    assert publisher.publish_matches() == 1

    empty_the_broker()


def test_work_counts_as_sent_while_the_broker_is_away_and_is_published_when_it_is_back(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    make_worker()
    make_match()
    empty_the_broker()
    publisher = Publisher()

    with monkeypatch.context() as patch, capture_logs() as logs:
        patch.setattr(app, "connection_or_acquire", away)
        patch.setattr(play_matches, "apply_async", away)
        assert publisher.publish_matches() == 1
        assert publisher.publish_matches() == 0
        assert Match.objects.sent().count() == 1, "workers find it at the site"
    with capture_logs() as logs_after:
        assert publisher.publish_matches() == 1
    assert publisher.publish_matches() == 0

    assert hints_in_broker() == 1
    assert [line["event"] for line in logs] == ["broker away, workers ask the site"]
    assert [line["event"] for line in logs_after] == ["broker answers again"]
    empty_the_broker()


def away(*_: object, **__: object) -> None:
    raise RedisError("no route")


def test_hints_that_nobody_takes_do_not_pile_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(publisher_module, "MOST_IN_BROKER", 2)
    empty_the_broker()

    for _ in range(2):
        play_matches.delay([1])
    assert hints_in_broker() == 2
    play_matches.delay([1])

    assert [hints_in_broker(), hints_in_broker()] == [0, 0]


def test_hints_of_ladders_have_a_queue_that_all_workers_read() -> None:
    make_worker()
    make_match(kind=MatchKind.LADDER)
    empty_the_broker()

    assert Publisher().publish_matches() == 1
    assert (hints_in_broker(), hints_in_broker(LADDERS)) == (0, 1)
    assert set(app.conf.task_queues) == set(QUEUES)

    empty_the_broker()


def test_idle_site_asks_neither_fleet_nor_broker(
    django_assert_num_queries: DjangoAssertNumQueries, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_worker()
    make_match(state=MatchState.DONE)
    monkeypatch.setattr(app, "connection_or_acquire", None)

    with django_assert_num_queries(1):
        assert Publisher().publish_matches() == 0


def friendly_of_a_bot() -> None:
    begun(seat=1)


def analysis_that_waits() -> None:
    ask_for_analysis(make_played())


@pytest.mark.parametrize(
    ("want", "publish", "queue"),
    [
        pytest.param(friendly_of_a_bot, Publisher.publish_friendlies, FRIENDLIES, id="friendly"),
        pytest.param(analysis_that_waits, Publisher.publish_analyses, MATCHES, id="analysis"),
    ],
)
@pytest.mark.parametrize("reads_queue", [True, False])
def test_queue_gets_only_what_somebody_takes_from_it(
    reads_queue: bool, want: Callable[[], None], publish: Callable[[Publisher], int], queue: str
) -> None:
    make_worker(slots=2, work=[*Work] if reads_queue else [Work.UNRATED, Work.ANALYSES])
    want()
    empty_the_broker()

    assert publish(Publisher()) == 1

    assert hints_in_broker(queue) == int(reads_queue)
    empty_the_broker()
