import pytest

from pentathlon.matches.latest import faults_of_lane, latest_faults, latest_matches
from pentathlon.matches.models import Match, MatchSeat, MatchState
from tests.factories import make_bot, make_match, make_version
from tests.plans import store_history

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


class TestFaultsOfLane:
    def test_only_the_faults_of_that_lane_are_found(self) -> None:
        lanes = [5, 4, 5, 4, 5]
        faults = {0: "crash"}
        made = [make_match(state=MatchState.DONE, lane=lane, faults=faults) for lane in lanes]
        make_match(state=MatchState.DONE, lane=5)

        found = faults_of_lane(5).order_by("pk").values_list("match", flat=True)

        assert list(found) == [made[0].pk, made[2].pk, made[4].pk]

    def test_lane_without_matches_has_none(self) -> None:
        assert not faults_of_lane(5).exists()

    def test_only_an_index_of_faults_is_read(self) -> None:
        store_history()

        plan = faults_of_lane(5).order_by("-pk")[:31].explain()

        assert "matches_faults " in plan

    def test_void_matches_of_a_lane_have_an_index(self) -> None:
        store_history()

        void = Match.objects.of_lane(5).filter(state=MatchState.VOID)

        assert "matches_void_of_lane" in void.order_by("-pk")[:50].explain()
