"""A Celery worker leaves hints where they are while its slots are held; friendlies go on."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import NamedTuple

import pytest
from celery.signals import worker_init
from celery.worker import state
from kombu import Connection, Consumer, Queue
from kombu.utils.scheduling import cycle_by_name

from pentathlon.fleet.queues import QUEUES
from tests.patience import PATIENCE_S
from tests.workers.playing import DIRECT
from workers import tasks
from workers.celery_app import app
from workers.hint_transport import HintQueues
from workers.host.cpu_pressure import Starvation
from workers.process import WorkerProcess

MATCHES, FRIENDLIES = "test_hint_queues_match", "test_hint_queues_friendly"
LADDERS = "test_hint_queues_ladder"


class Request(NamedTuple):
    """What Celery remembers of a task that a slot has."""

    name: str


class Reader:
    """Reads all queues as a Celery worker does, while `is_held` says so only one."""

    def __init__(self, connection: Connection) -> None:
        self.is_held = False
        self.taken: list[object] = []
        connection.transport_options = {
            "queue_order_strategy": partial(
                HintQueues,
                is_held=lambda: self.is_held,
                matches=MATCHES,
                ladders=LADDERS,
            ),
            "polling_interval": 0.05,
        }
        self._connection = connection
        queues = [Queue(name, routing_key=name) for name in (LADDERS, MATCHES, FRIENDLIES)]
        channel = connection.channel()
        for queue in queues:
            queue(channel).purge()
        self._producer = connection.Producer()
        self._consumer = Consumer(channel, queues, callbacks=[self._take])
        self._consumer.consume()

    def publish(self, queue: str, *hints: int) -> None:
        for hint in hints:
            self._producer.publish(hint, routing_key=queue)

    def read(self, number: int) -> list[object]:
        """Return as many hints, and what comes soon after them."""
        self.taken.clear()
        try:
            while True:
                is_more_due = len(self.taken) < number
                self._connection.drain_events(timeout=PATIENCE_S if is_more_due else 0.3)
        except TimeoutError:
            return list(self.taken)

    def _take(self, hint: object, message: object) -> None:
        message.ack()  # type: ignore[attr-defined]
        self.taken.append(hint)


@pytest.fixture
def reader() -> Iterator[Reader]:
    with Connection(app.conf.broker_url) as connection:
        yield Reader(connection)


def test_held_worker_reads_friendlies_only_and_keeps_the_order(reader: Reader) -> None:
    reader.publish(MATCHES, 1, 2)
    assert reader.read(2) == [1, 2]

    reader.is_held = True
    reader.publish(MATCHES, 3, 4, 5)
    reader.publish(FRIENDLIES, 100)
    assert reader.read(1) == [100]

    reader.is_held = False
    assert reader.read(3) == [3, 4, 5]


def test_held_worker_looks_again_before_a_slot_has_waited_for_long() -> None:
    is_held = True
    queues = HintQueues(is_held=lambda: is_held)
    queues.update(QUEUES)

    queues.consume(3)
    held_look_s = queues.look_s
    is_held = False
    queues.consume(3)

    assert held_look_s <= 0.02 < queues.look_s


def test_ladders_are_read_when_nothing_else_is_there(reader: Reader) -> None:
    reader.publish(LADDERS, 1, 2, 3)
    reader.publish(MATCHES, 4, 5)
    reader.publish(FRIENDLIES, 100)

    first, second, third, *others = reader.read(6)

    assert {first, second, third} == {4, 5, 100}
    assert others == [1, 2, 3]


def test_held_worker_leaves_ladders_too(reader: Reader) -> None:
    reader.is_held = True
    reader.publish(LADDERS, 1)
    assert reader.read(0) == []

    reader.is_held = False
    assert reader.read(1) == [1]


@pytest.mark.parametrize(
    ("names", "is_held"),
    [
        pytest.param([], False, id="one slot of a starved host always plays"),
        pytest.param(["move_bots", "analyse_match"], False, id="and beside what is no match"),
        pytest.param(["play_matches", "move_bots"], True, id="but a second one does not"),
    ],
)
def test_worker_on_a_starved_host_reads_on_until_one_slot_plays(
    names: list[str], is_held: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    starvation = Starvation(slots=3, pressure=lambda: 0.9)
    worker = WorkerProcess(None, platform=DIRECT, starvation=starvation)
    monkeypatch.setattr(tasks, "_worker", worker)
    monkeypatch.setattr(worker, "adopt_pool_files", lambda: None)
    options = app.conf.broker_transport_options
    try:
        worker_init.send(sender=None)
        queues = cycle_by_name(app.conf.broker_transport_options["queue_order_strategy"])()
    finally:
        app.conf.broker_transport_options = options
    queues.update(["ladder", "match", "friendly"])
    monkeypatch.setattr(state, "reserved_requests", {Request(name) for name in names})

    read = [*queues.consume(3)]
    assert read == (["friendly"] if is_held else ["match", "friendly", "ladder"])


def test_all_slots_of_a_host_with_time_play() -> None:
    host = Starvation(slots=3, pressure=lambda: 0.1)

    assert [host.has_room(playing) for playing in range(4)] == [True, True, True, False]
