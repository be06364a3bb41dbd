"""What is kept for a while goes when its time is over, and nothing else does."""

from __future__ import annotations

import json
from datetime import timedelta
from io import StringIO
from uuid import uuid4

import pytest
from django.core.management import call_command
from django.db.models import F
from django.utils import timezone
from pytest_django import Settings

from pentathlon.accounts.models import ApiToken, DeviceLogin, IdempotencyRecord
from pentathlon.fleet.models import Worker
from pentathlon.matches.models import Match, MatchSeat, SeatLog
from pentathlon.operations import retention
from pentathlon.operations.retention import (
    Forgetter,
    classes,
    forget_all,
    other_holdings,
    read_holdings,
)
from tests.factories import make_match, make_token, make_user, make_worker
from tests.pentathlon.matches.acting import claimed, finish, result

pytestmark = pytest.mark.django_db
LONG = timedelta(days=400)


def _log(*, days_ago: float) -> SeatLog:
    """Store what a bot wrote in a match that ended so long ago."""
    match = make_match()
    ended = timezone.now() - timedelta(days=days_ago)
    Match.objects.filter(pk=match.pk).update(state="done", finished_at=ended)
    seat = MatchSeat.objects.filter(match=match).order_by("seat")[0]
    return SeatLog.objects.create(seat=seat, text="hello")


class TestBotLogs:
    def test_old_ones_go_and_young_ones_stay(self) -> None:
        old, young = _log(days_ago=91), _log(days_ago=89)

        assert forget_all() == 1

        assert list(SeatLog.objects.all()) == [young]
        assert MatchSeat.objects.filter(pk=old.pk).exists()

    def test_site_chooses_how_long(self, settings: Settings) -> None:
        settings.BOT_LOG_DAYS = 7
        _log(days_ago=8)

        assert forget_all() == 1

    def test_nought_keeps_them_for_ever(self, settings: Settings) -> None:
        settings.BOT_LOG_DAYS = 0
        _log(days_ago=4000)

        assert forget_all() == 0

    @pytest.mark.parametrize("knows_its_end", [True, False])
    def test_old_ones_go_although_older_seats_ended_late(
        self, monkeypatch: pytest.MonkeyPatch, *, knows_its_end: bool
    ) -> None:
        """A tournament that was paused for long has small ids, and ends late."""
        monkeypatch.setattr(retention, "_AT_ONCE", 2)
        late = [_log(days_ago=1) for _ in range(3)]
        due = [_log(days_ago=200) for _ in range(3)]
        if knows_its_end:
            for log in SeatLog.objects.select_related("seat__match"):
                SeatLog.objects.filter(pk=log.pk).update(ended_at=log.seat.match.finished_at)
        kind = classes()[0]
        assert kind.count_due() == len(due)

        while kind.forget():
            pass

        assert list(SeatLog.objects.order_by("pk")) == late

    def test_log_of_a_match_knows_when_it_ended(self) -> None:
        finish(claimed(make_match()), result(log="hello"))

        log = SeatLog.objects.select_related("seat__match").get()
        ended = log.seat.match.finished_at
        assert log.ended_at is not None
        assert ended is not None
        assert log.ended_at - ended < timedelta(minutes=1)

    def test_those_of_a_match_that_goes_on_stay(self) -> None:
        log = _log(days_ago=91)
        Match.objects.update(state="pending", finished_at=None)

        forget_all()

        assert SeatLog.objects.filter(pk=log.pk).exists()


def test_what_belongs_to_accounts_goes() -> None:
    person = make_user()
    make_token(person)
    kept, _ = ApiToken.objects.create(  # type: ignore[no-untyped-call]  # knox
        user=person, expiry=timedelta(days=1), name="kept", scopes=[]
    )
    ApiToken.objects.exclude(pk=kept.pk).update(expiry=F("expiry") - LONG)
    DeviceLogin.objects.create(
        device_digest="d", user_code="BCDFGHJK", name="t", scopes=[], address="", interval_s=5,
        expires_at=timezone.now() - timedelta(days=2),
    )  # fmt: skip
    IdempotencyRecord.objects.create(person=person, key=str(uuid4()), fingerprint="f")
    IdempotencyRecord.objects.update(created_at=F("created_at") - timedelta(days=2))

    assert forget_all() == 3

    assert list(ApiToken.objects.all()) == [kept]
    assert not DeviceLogin.objects.exists()
    assert not IdempotencyRecord.objects.exists()


def test_silent_workers_go() -> None:
    make_worker()
    make_worker(seen_at=timezone.now() - timedelta(days=1))

    assert forget_all() == 1
    assert Worker.objects.count() == 1


def test_every_class_counts_exactly_what_it_forgets() -> None:
    for days in (95, 100, 1):
        _log(days_ago=days)
    make_worker(seen_at=timezone.now() - timedelta(days=1))
    due = {each.kind.key: each.due for each in read_holdings()}

    gone = {kind.key: kind.forget() for kind in classes()}

    assert gone == due
    assert (due["bot_logs"], due["workers"], sum(due.values())) == (2, 1, 3)


def test_sizes_are_told(db: None) -> None:
    holdings = {each.kind.key: each for each in read_holdings()}

    assert holdings["bot_logs"].size is None or holdings["bot_logs"].size > 0
    names = [name for name, _ in other_holdings()]
    assert not names or "matches_match" in names
    assert "matches_seatlog" not in names


class TestForgetter:
    def test_it_goes_on_while_there_is_something(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("pentathlon.operations.retention._AT_ONCE", 1)
        for _ in range(2):
            _log(days_ago=100)
        forgetter = Forgetter()

        assert [forgetter.step() for _ in range(3)] == [1, 1, 0]

    def test_it_rests_when_there_was_nothing(self, monkeypatch: pytest.MonkeyPatch) -> None:
        forgetter = Forgetter()
        assert forgetter.step() == 0
        _log(days_ago=100)

        assert forgetter.step() == 0
        monkeypatch.setattr("pentathlon.operations.retention.time.monotonic", lambda: 10.0**9)
        assert forgetter.step() == 1


class TestCommand:
    def test_it_deletes_nothing_unless_asked_to(self) -> None:
        _log(days_ago=100)
        out = StringIO()

        call_command("retention", stdout=out)

        assert "logs, notes and traces of bots" in out.getvalue()
        assert "1 row due." in out.getvalue()
        assert SeatLog.objects.count() == 1

    def test_it_deletes_all_that_is_due(self) -> None:
        for _ in range(3):
            _log(days_ago=100)
        out = StringIO()

        call_command("retention", "--apply", stdout=out)

        assert "3 rows deleted." in out.getvalue()
        assert not SeatLog.objects.exists()

    def test_programs_read_json(self) -> None:
        _log(days_ago=100)
        out = StringIO()

        call_command("retention", "--json", stdout=out)

        told = json.loads(out.getvalue())
        (logs,) = [each for each in told["classes"] if each["key"] == "bot_logs"]
        assert (logs["kept_s"], logs["rows"], logs["due"]) == (90 * 86_400, 1, 1)
        assert told["deleted"] is None
