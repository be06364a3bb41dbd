"""Strikes of which no process dies do what they say, and put back what they changed."""

from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any, cast

import pytest
from django.db import DatabaseError, connection
from django.db.models import Model
from pytest_django import Settings
from pytest_django.live_server_helper import LiveServer
from redis import Redis

from pentathlon.accounts.models import User
from pentathlon.bots.models import Archive
from pentathlon.fleet.models import Worker, WorkerToken
from pentathlon.fleet.queues import MATCHES
from pentathlon.matches.models import Match, MatchState
from pentathlon.matches.replays.models import Replay
from pentathlon.matches.services import note_sent
from tests.factories import make_match, make_replay, make_user, make_worker
from tools.chaos.network import Network
from tools.chaos.scene import Scene, Strike
from tools.chaos.silent import THIEF
from tools.chaos.strikes import STRIKES

Repairs = list[Callable[[], None]]


def _strike(name: str) -> Strike:
    return next(strike for strike in STRIKES if strike.name == name)


def _scene(repairs: Repairs, *, networks: tuple[Network, ...] = ()) -> Scene:
    none = cast(Any, None)  # Any: these strikes reach no process
    return Scene(
        crew=none,
        disks=none,
        postgres=none,
        rng=Random(1),
        later=lambda _, repair: repairs.append(repair),
        networks=networks,
    )


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("name", "model"),
    [("bit of a replay flipped", Replay), ("bit of an archive flipped", Archive)],
)
def test_one_bit_is_flipped_and_put_back(name: str, model: type[Model]) -> None:
    make_replay(make_match(state=MatchState.DONE), {"chain": "c" * 64})
    rows = model._default_manager.order_by("pk").values_list("data", flat=True)
    repairs: Repairs = []
    before = list(map(bytes, rows.all()))

    is_felt = _strike(name).do(_scene(repairs))
    struck = list(map(bytes, rows.all()))
    repairs[0]()

    (pair,) = [pair for pair in zip(before, struck, strict=True) if pair[0] != pair[1]]
    changed = [a ^ b for a, b in zip(*pair, strict=True) if a != b]
    assert is_felt
    assert [each.bit_count() for each in changed] == [1]
    assert list(map(bytes, rows.all())) == before


def test_unreadable_message_waits_in_the_queue(broker: str, settings: Settings) -> None:
    settings.REDIS_URL = broker

    assert _strike("message that nobody can read").do(_scene([]))

    with Redis.from_url(broker) as client:
        assert client.llen(MATCHES) == 1


@pytest.mark.django_db(transaction=True)
@pytest.mark.skipif(connection.vendor != "postgresql", reason="SQLite has no such state")
def test_database_takes_no_writes_until_it_is_promoted() -> None:
    repairs: Repairs = []
    scene = _scene(repairs)
    strike = _strike("database read-only")

    is_felt, again = strike.do(scene), strike.do(scene)
    connection.close()
    with pytest.raises(DatabaseError):
        make_user()
    connection.close()
    repairs[0]()
    connection.close()

    assert (is_felt, again, scene.away) == (True, False, set())
    assert make_user() in User.objects.all()


@pytest.mark.django_db(transaction=True)
def test_thief_holds_matches_and_announces_slots(tmp_path: Path, live_server: LiveServer) -> None:
    make_worker()
    matches = [make_match() for _ in range(3)]
    note_sent(match_ids=[match.pk for match in matches])
    port = int(live_server.url.rpartition(":")[2])
    network = Network(port=0, server_port=port, orders=tmp_path / "network.sock")
    repairs: Repairs = []

    strike, scene = (
        _strike("matches held with a stolen token"),
        _scene(repairs, networks=(network,)),
    )
    # The first request may meet a connection that another test has cut.
    is_felt = strike.do(scene) or strike.do(scene)
    repairs[0]()

    assert is_felt
    assert all(each.name.startswith(THIEF) for each in WorkerToken.objects.all())
    assert Worker.objects.filter(token__isnull=False).exists()
    assert Match.objects.filter(state=MatchState.RUNNING).count() == len(matches)
