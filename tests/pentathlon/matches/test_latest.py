import pytest

from pentathlon.matches.latest import latest_faults, latest_matches
from pentathlon.matches.models import MatchSeat, MatchState
from tests.factories import make_bot, make_match, make_version

pytestmark = pytest.mark.django_db


def test_latest_matches_of_every_version_are_found() -> None:
    bot = make_bot()
    old, new, other = make_version(bot=bot), make_version(bot=bot), make_version()
    of_old = [make_match([old, other], state=MatchState.DONE).pk for _ in range(3)]
    of_new = make_match([other, new], state=MatchState.DONE).pk
    make_match([new, other])
    make_match([other, make_version()], state=MatchState.DONE)

    assert set(latest_matches(bot.pk, limit=2)) == {*of_old[1:], of_new}


def test_latest_faults_are_found() -> None:
    bot = make_bot()
    version = make_version(bot=bot)
    for _ in range(3):
        make_match([version, make_version()], state=MatchState.DONE)
    seats = list(MatchSeat.objects.filter(version=version).order_by("pk"))
    MatchSeat.objects.filter(pk__in=[seat.pk for seat in seats[:2]]).update(fault_kind="crash")

    assert latest_faults(bot.pk, limit=1) == [seats[1].pk]
