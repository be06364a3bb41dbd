import pytest
from django.db import IntegrityError, connection
from django.test.utils import CaptureQueriesContext

from pentathlon.matches.models import Match, MatchKind, MatchState, SeatLog
from tests.factories import make_bot, make_match, make_user, make_version

pytestmark = pytest.mark.django_db


def test_validation_is_seen_by_the_bots_owner_only() -> None:
    owner = make_user()
    version = make_version(owner=owner)
    match = make_match([version, version], kind=MatchKind.VALIDATION)

    assert match in Match.objects.visible_to(owner)
    assert match not in Match.objects.visible_to(make_user())
    assert match not in Match.objects.visible_to(None)
    assert match not in Match.objects.public()


def test_public_match_is_seen_once_by_everybody() -> None:
    owner = make_user()
    match = make_match([make_version(owner=owner), make_version(owner=owner)])

    assert list(Match.objects.visible_to(owner)) == [match]
    assert list(Match.objects.visible_to(None)) == [match]


def test_matches_are_found_by_state() -> None:
    waiting, running, done = (
        make_match(state=state)
        for state in (MatchState.PENDING, MatchState.RUNNING, MatchState.DONE)
    )
    make_match(state=MatchState.VOID)

    assert list(Match.objects.waiting()) == [waiting]
    assert list(Match.objects.live()) == [running]
    assert list(Match.objects.recent()) == [done]
    assert set(Match.objects.unfinished()) == {waiting, running}


def test_matches_are_found_by_version_and_bot() -> None:
    bot = make_bot()
    first, second, other = make_version(bot=bot), make_version(bot=bot), make_version()
    one, two = make_match([first, other]), make_match([other, second])
    make_match()

    assert list(Match.objects.of_version(first.pk)) == [one]
    assert set(Match.objects.of_bot(bot.pk)) == {one, two}


def test_logs_are_read_by_the_bots_owner_only() -> None:
    owner = make_user()
    match = make_match([make_version(owner=owner), make_version()])
    for seat in match.seats.all():
        SeatLog.objects.create(seat=seat, text=f"seat {seat.seat}")

    assert [log.text for log in SeatLog.objects.readable_by(owner)] == ["seat 0"]
    assert not SeatLog.objects.readable_by(make_user()).exists()


def test_loading_takes_two_queries_for_any_number() -> None:
    for _ in range(4):
        make_match()

    with CaptureQueriesContext(
        connection,
    ) as queries:
        for match in Match.objects.with_seats():
            assert len(match.seats.all()) == 2

    assert len(queries) == 2


def test_running_match_without_a_lease_is_refused() -> None:
    match = make_match()

    with pytest.raises(IntegrityError):
        Match.objects.filter(pk=match.pk).update(state=MatchState.RUNNING)
