"""Each public result is counted once, whatever runs twice, is hidden, or is taken back."""

import random
from datetime import timedelta

import pytest
from django.core.management import CommandError, call_command
from django.db.models.functions import Now

from pentathlon.bots.models import BotVersion
from pentathlon.insight.rivalry import services
from pentathlon.insight.rivalry.models import (
    Meeting,
    OpponentSum,
    PairSum,
    SeatSum,
    UncountedResult,
)
from pentathlon.insight.rivalry.services import ResultCounter, count_all, patrol, queue_results
from pentathlon.insight.rivalry.verification import find_differences
from pentathlon.matches.endings import note_endings
from pentathlon.matches.hidden_lanes import HiddenLane
from pentathlon.matches.models import Match, MatchKind, MatchState
from pentathlon.ratings.services import apply_results, revoke_results
from tests.factories import make_match, make_user, make_version
from tests.pentathlon.insight.rivalry.playing import end, play

pytestmark = pytest.mark.django_db

SAME = "c" * 32
Row = tuple[int, ...]


@pytest.fixture
def versions() -> list[BotVersion]:
    return [make_version(), make_version(), make_version()]


def _against(own: BotVersion, other: BotVersion) -> Row:
    """Return meetings, counted ones, wins, draws and losses of one bot against another."""
    sums = OpponentSum.objects.filter(bot=own.bot, other=other.bot)
    columns = ("meetings", "counted", "wins", "draws", "losses")
    return next(iter(sums.values_list(*columns)), (0,) * 5)


def _is_right() -> bool:
    return list(find_differences()) == []


class TestCounting:
    def test_result_counts_for_both_in_their_seats(self, versions: list[BotVersion]) -> None:
        one, two, _ = versions

        play(one, two, times=2)
        play(two, one, ranks=(0, 0))

        assert _against(one, two) == (3, 3, 2, 1, 0)
        assert _against(two, one) == (3, 3, 0, 1, 2)
        seats = SeatSum.objects.filter(bot=one.bot).order_by("seat")
        assert list(seats.values_list("seat", "wins", "draws", "length")) == [
            (0, 2, 0, 5),
            (1, 0, 1, 5),
        ]
        assert _is_right()

    def test_second_run_changes_nothing(self, versions: list[BotVersion]) -> None:
        match = play(*versions[:2])
        before = list(PairSum.objects.values_list())

        queue_results([match.pk])
        queue_results([match.pk])
        count_all()

        assert list(PairSum.objects.values_list()) == before
        assert Meeting.objects.count() == 1
        assert not UncountedResult.objects.exists()

    def test_larger_table_gives_a_meeting_for_each_two(self) -> None:
        table = [make_version(games=("way_of_the_dragon",)) for _ in range(3)]

        play(*table, game="way_of_the_dragon", ranks=(1, 0, 2))

        assert Meeting.objects.count() == 3
        assert _against(table[0], table[2]) == (1, 1, 1, 0, 0)
        assert _against(table[0], table[1]) == (1, 1, 0, 0, 1)
        assert _is_right()

    def test_two_that_failed_have_both_lost(self, versions: list[BotVersion]) -> None:
        one, two, _ = versions

        play(one, two, ranks=(1, 1), faults={0: "crash", 1: "crash"})

        assert _against(one, two) == (1, 1, 0, 0, 1)
        assert _against(two, one) == (1, 1, 0, 0, 1)
        assert PairSum.objects.get().both_failed == 1

    def test_end_of_a_match_queues_it(self) -> None:
        match = make_match(state=MatchState.DONE)

        note_endings([match.pk])

        assert UncountedResult.objects.get().match == match

    def test_validation_counts_nowhere(self, versions: list[BotVersion]) -> None:
        play(*versions[:2], rated=False, kind=MatchKind.VALIDATION)

        assert not Meeting.objects.exists()
        assert not UncountedResult.objects.exists()

    def test_versions_of_one_bot_meet_but_are_no_opponents(self) -> None:
        old = make_version()
        new = make_version(bot=old.bot)

        play(new, old, rated=False, kind=MatchKind.CHALLENGE)

        meeting = Meeting.objects.get()
        assert (meeting.first, meeting.second) == (old, new)
        assert not OpponentSum.objects.exists()
        assert not SeatSum.objects.exists()

    def test_exact_repeat_is_listed_and_counted_once(self, versions: list[BotVersion]) -> None:
        play(*versions[:2], times=3, course=SAME)

        assert _against(*versions[:2]) == (3, 1, 1, 0, 0)
        assert OpponentSum.objects.filter(rated=1).count() == 2
        assert _is_right()

    def test_result_waits_until_it_is_rated(self, versions: list[BotVersion]) -> None:
        end(*versions[:2])

        assert count_all() == 0
        apply_results()
        assert count_all() == 1

        assert Meeting.objects.get().expected == 500_000

    def test_unrated_ones_wait_in_nobodys_way(self, versions: list[BotVersion]) -> None:
        for _ in range(3):
            end(*versions[:2])
        end(*versions[1:], rated=False)
        counter = ResultCounter(at_once=2)

        settled = sum(counter.count_results(for_s=60) for _ in range(2))

        assert settled == 1
        assert Meeting.objects.count() == 1


class TestExpectations:
    def test_favourite_is_expected_to_take_more(self, versions: list[BotVersion]) -> None:
        one, two, _ = versions
        play(one, two, times=4)

        last = Meeting.objects.order_by("-match")[0]

        assert last.expected is not None
        assert last.expected > 600_000
        assert last.winner == one.bot
        sums = OpponentSum.objects.get(bot=two.bot)
        assert (sums.rated, sums.rated_half_points) == (4, 0)
        assert sums.expected < 2_000_000

    def test_win_by_a_fault_is_no_feat(self, versions: list[BotVersion]) -> None:
        play(*versions[:2], ranks=(0, 1), faults={1: "crash"})

        assert Meeting.objects.get().winner is None

    def test_unsettled_ratings_make_no_surprise(self, versions: list[BotVersion]) -> None:
        play(*versions[:2])

        assert Meeting.objects.get().surprise is None


class TestHidden:
    def _hide(self, lane: int) -> HiddenLane:
        organiser = make_user(organiser=True)
        return HiddenLane.objects.create(lane=lane, organiser=organiser)

    def test_hidden_result_counts_when_it_is_released(self, versions: list[BotVersion]) -> None:
        hidden = self._hide(7)
        play(*versions[:2], lane=7, rated=False)
        play(*versions[:2], lane=8, rated=False)

        assert _against(*versions[:2])[0] == 1
        assert _is_right()

        hidden.delete()
        count_all()

        assert _against(*versions[:2])[0] == 2
        assert not UncountedResult.objects.exists()
        assert _is_right()

    def test_release_by_the_clock_counts_likewise(self, versions: list[BotVersion]) -> None:
        self._hide(7)
        play(*versions[:2], lane=7, rated=False)

        HiddenLane.objects.update(hides_until=Now() - timedelta(seconds=1))
        count_all()

        assert _against(*versions[:2])[0] == 1

    def test_hidden_ones_are_looked_at_once(
        self, versions: list[BotVersion], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        self._hide(7)
        for _ in range(3):
            end(*versions[:2], lane=7, rated=False)
        ResultCounter().count_results()
        looks: list[int] = []
        monkeypatch.setattr(services, "_settle", lambda ids: looks.append(len(ids)) or 0)  # type: ignore[func-returns-value, redundant-expr]  # both

        ResultCounter().count_results()

        assert sum(looks) == 0


class TestCorrections:
    def test_result_taken_back_counts_no_more(self, versions: list[BotVersion]) -> None:
        match = play(*versions[:2])

        Match.objects.filter(pk=match.pk).update(is_revoked=True)
        revoke_results(match_ids=[match.pk])
        count_all()

        assert _against(*versions[:2]) == (0, 0, 0, 0, 0)
        assert not Meeting.objects.exists()
        assert _is_right()

    def test_repeat_counts_once_the_first_is_taken_back(self, versions: list[BotVersion]) -> None:
        first = end(*versions[:2], course=SAME)
        play(*versions[:2], course=SAME)

        Match.objects.filter(pk=first.pk).update(is_revoked=True)
        revoke_results(match_ids=[first.pk])
        count_all()

        assert _against(*versions[:2]) == (1, 1, 1, 0, 0)
        assert not Meeting.objects.get().is_repeat


class TestForgotten:
    def test_patrol_finds_what_nobody_has_queued(self, versions: list[BotVersion]) -> None:
        end(*versions[:2], rated=False)
        UncountedResult.objects.all().delete()

        assert patrol() == (1, True)
        assert patrol() == (0, True)
        count_all()

        assert Meeting.objects.count() == 1

    def test_patrol_looks_at_a_part_and_goes_on(self, versions: list[BotVersion]) -> None:
        for _ in range(5):
            end(*versions[:2], rated=False)
        UncountedResult.objects.all().delete()

        assert [patrol(limit=2) for _ in range(4)] == [
            (2, False),
            (2, False),
            (1, True),
            (0, False),
        ]


class TestVerification:
    def test_any_order_of_results_gives_the_same(self) -> None:
        versions = [make_version() for _ in range(4)]
        rng = random.Random(5)
        matches = [
            end(*rng.sample(versions, 2), rated=False, ranks=rng.choice([(0, 1), (1, 0), (0, 0)]))
            for _ in range(14)
        ]
        rng.shuffle(matches)
        for match in matches:
            queue_results([match.pk])
            ResultCounter().count_results()
        taken = [match.pk for match in matches[:4]]
        Match.objects.filter(pk__in=taken).update(is_revoked=True)
        queue_results(taken)
        count_all()

        assert _is_right()
        assert Meeting.objects.count() == 10

    def test_command_says_that_all_is_right(
        self, versions: list[BotVersion], capsys: pytest.CaptureFixture[str]
    ) -> None:
        play(*versions[:2], times=3)

        call_command("verify_rivalry")

        assert "3 meetings, and all sums of them, are right" in capsys.readouterr().out

    def test_command_finds_and_repairs(self, versions: list[BotVersion]) -> None:
        match = play(*versions[:2], times=3)
        play(*versions[1:])
        Meeting.objects.filter(match=match).update(first_half_points=1, second_half_points=1)
        OpponentSum.objects.filter(bot=versions[2].bot).update(wins=9)
        PairSum.objects.filter(first=versions[1]).delete()

        with pytest.raises(CommandError):
            call_command("verify_rivalry")
        call_command("verify_rivalry", "--repair")

        assert _is_right()
        assert _against(*versions[:2])[2] == 3
