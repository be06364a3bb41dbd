"""Tokens of workers: what they may be called, and what they can be trusted with."""

import time
from dataclasses import replace
from datetime import timedelta

import pytest
from django.db.models.functions import Now

from pentathlon.core.errors import Conflict, InvalidInput
from pentathlon.fleet import tokens as fleet
from pentathlon.fleet.announcements import MOST_SLOTS, Announcement, Work
from pentathlon.fleet.capabilities import read_fleet
from pentathlon.fleet.models import Worker, WorkerToken
from pentathlon.fleet.tokens import LONGEST_NAME, create_worker_token, find_worker_token

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(
    "name",
    [
        pytest.param("", id="empty"),
        pytest.param("  ", id="blank"),
        pytest.param("x" * (LONGEST_NAME + 1), id="too long"),
        pytest.param("bell\x07", id="unprintable"),
    ],
)
def test_name_that_nobody_could_read_is_refused(name: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        create_worker_token(actor=None, name=name, work=[Work.RATED])

    assert refused.value.field == "name"
    assert not WorkerToken.objects.exists()


@pytest.mark.parametrize("work", [[], ["everything"], [Work.RATED, "everything"]], ids=repr)
def test_token_names_work_that_there_is(work: list[str]) -> None:
    with pytest.raises(InvalidInput, match="rated") as refused:
        create_worker_token(actor=None, name="machine", work=work)

    assert (refused.value.code, refused.value.field) == ("unknown_work", "work")


@pytest.mark.parametrize("slots", [-1, 0, MOST_SLOTS + 1])
def test_token_has_slots_that_make_sense(slots: int) -> None:
    with pytest.raises(InvalidInput) as refused:
        create_worker_token(actor=None, name="machine", work=[Work.RATED], slots=slots)

    assert (refused.value.code, refused.value.field) == ("bad_slots", "slots")


def test_name_is_taken_once() -> None:
    create_worker_token(actor=None, name="machine", work=[Work.RATED])

    with pytest.raises(Conflict) as refused:
        create_worker_token(actor=None, name=" machine ", work=[Work.RATED])

    assert refused.value.code == "name_taken"


def test_work_is_kept_in_one_order_without_repeats() -> None:
    asked = [Work.ANALYSES, Work.RATED, Work.RATED]

    token, secret = create_worker_token(actor=None, name="machine", work=asked)

    assert token.work == [Work.RATED, Work.ANALYSES]
    assert find_worker_token(secret) == token


@pytest.mark.parametrize("secret", ["", "ptw_", "ptl_1", "ptw_é", "ptw_" + "0" * 64], ids=repr)
def test_secret_of_no_token_finds_none(secret: str) -> None:
    assert find_worker_token(secret) is None


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
