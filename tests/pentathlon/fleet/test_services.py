import time
from dataclasses import replace
from datetime import timedelta

import pytest
from django.db.models.functions import Now

from pentathlon.fleet import tokens as fleet
from pentathlon.fleet.announcements import Announcement
from pentathlon.fleet.capabilities import read_fleet
from pentathlon.fleet.models import Worker

pytestmark = pytest.mark.django_db

TOLD = Announcement(
    name="host/1",
    slots=2,
    games={"tuned": 1},
    runtimes=("python", "command"),
    sandbox="namespaces",
    layers=[],
    version="1",
    began_s=time.monotonic(),
)


def test_announced_worker_is_alive_with_what_it_offers() -> None:
    fleet.announce_worker(TOLD)

    found = read_fleet()
    assert (found.slots, found.runtimes) == (2, {"python", "command"})
    assert Worker.objects.filter(started_at__lte=Now()).exists()


def test_beat_keeps_a_worker_alive() -> None:
    fleet.announce_worker(TOLD)
    Worker.objects.update(seen_at=Now() - timedelta(minutes=1))
    assert read_fleet().slots == 0

    assert fleet.record_heartbeat(name="host/1")

    assert read_fleet().slots == 2


def test_beat_of_a_worker_that_nobody_knows_asks_for_an_announcement() -> None:
    assert not fleet.record_heartbeat(name="host/1")


def test_second_announcement_replaces_the_first() -> None:
    fleet.announce_worker(TOLD)
    fleet.mark_draining(name="host/1")

    fleet.announce_worker(replace(TOLD, slots=5))

    assert read_fleet().slots == 5


def test_worker_that_stops_is_not_counted() -> None:
    fleet.announce_worker(TOLD)

    fleet.mark_draining(name="host/1")

    assert read_fleet().slots == 0
    assert Worker.objects.get().is_draining


def test_fleet_may_have_what_one_worker_has_or_still_tries() -> None:
    assert read_fleet().may_have(frozenset({"java"}))

    fleet.announce_worker(replace(TOLD, name="host/1", untried=("build:javac", "java")))
    fleet.announce_worker(replace(TOLD, name="host/2", runtimes=("node",)))

    found = read_fleet()
    assert found.may_have(frozenset({"java", "build:javac", "python"}))
    assert not found.may_have(frozenset({"python", "node"}))
    assert not found.may_have(frozenset({"build:cargo"}))
    assert found.untried == ["java", "javac"]
