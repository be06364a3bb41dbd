import errno
from datetime import timedelta

import pytest
from celery.signals import worker_init
from django.db.models.functions import Now
from pytest_django.fixtures import Settings

from pentathlon.matches.models import Match, MatchState
from pentathlon.matches.publishing import RESEND_LOST_S
from pentathlon_engines.match.launcher import SandboxLevel
from tests.factories import make_match, make_worker
from workers import tasks
from workers.backoff import Backoff
from workers.celery_app import app
from workers.sandbox.errors import LayerMissing
from workers.sandbox.probe import Probe
from workers.tasks import publish_waiting_matches


def _forget_everything() -> None:
    with app.connection_or_acquire() as connection:
        connection.default_channel.queue_purge(app.conf.task_default_queue)


@pytest.mark.django_db
def test_hint_goes_out_again_soon_if_the_broker_has_lost_it() -> None:
    make_worker()
    make_match()
    _forget_everything()

    assert publish_waiting_matches() == 1
    Match.objects.update(sent_at=Now() - timedelta(seconds=RESEND_LOST_S + 1))
    assert publish_waiting_matches() == 0, "the broker still has it"
    _forget_everything()
    assert publish_waiting_matches() == 1

    _forget_everything()


def test_worker_that_cannot_shut_bots_in_does_not_start(monkeypatch: pytest.MonkeyPatch) -> None:
    def find_no_level(**_: object) -> None:
        raise LayerMissing("namespaces", reason="refused by the kernel", remedy="Allow them.")

    monkeypatch.setattr(tasks, "choose_probe", find_no_level)
    tasks.sandbox_probe.cache_clear()

    with pytest.raises(SystemExit) as caught:
        worker_init.send(sender=None)

    assert "'namespaces' is not available: refused by the kernel" in str(caught.value)


def made_of(level: SandboxLevel) -> Probe | None:
    return None if level is SandboxLevel.PROCESS else Probe(level=level, findings=())


@pytest.mark.parametrize(
    ("is_production", "asked_for", "least"),
    [
        (True, None, SandboxLevel.NAMESPACES),
        (False, None, SandboxLevel.LANDLOCK),
        (False, "process", SandboxLevel.PROCESS),
        (True, "landlock", SandboxLevel.LANDLOCK),
    ],
)
def test_weakest_sandbox_depends_on_who_runs_the_platform(
    is_production: bool,
    asked_for: str | None,
    least: SandboxLevel,
    settings: Settings,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    settings.PRODUCTION, settings.SANDBOX_LEVEL = is_production, asked_for
    monkeypatch.setattr(tasks, "choose_probe", lambda *, least, warn: made_of(least))
    tasks.sandbox_probe.cache_clear()

    assert tasks.sandbox_level() is least

    tasks.sandbox_probe.cache_clear()


@pytest.mark.django_db
def test_slot_that_cannot_be_opened_leaves_its_matches_to_others(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def open_on_a_full_disk(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    match = make_match()
    Match.objects.update(sent_at=Now())
    monkeypatch.setattr(tasks, "_slot", open_on_a_full_disk)
    monkeypatch.setattr(tasks, "_backoff", Backoff(first_s=0.0))

    tasks.play_matches([match.pk])

    match.refresh_from_db()
    assert (match.state, match.sent_at, match.attempts_made) == (MatchState.PENDING, None, 0)
