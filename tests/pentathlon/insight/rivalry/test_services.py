"""Each public result is counted once, whatever runs twice, is hidden, or is taken back."""

from datetime import timedelta

import pytest
from django.db.models.functions import Now

from pentathlon.bots.models import BotVersion
from pentathlon.insight.rivalry.models import Meeting, UncountedResult
from pentathlon.insight.rivalry.opponents import rivals_of
from pentathlon.insight.rivalry.services import ResultCounter, count_all, queue_results
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
    for line in rivals_of(own.bot_id).opponents:
        if line.opponent == other.bot:
            score = line.score
            return score.meetings, score.counted, score.wins, score.draws, score.losses
    return (0,) * 5


class TestCounting:
    def test_result_counts_for_both_in_their_seats(self, versions: list[BotVersion]) -> None:
        one, two, _ = versions

        play(one, two, times=2)
        play(two, one, ranks=(0, 0))

        assert _against(one, two) == (3, 3, 2, 1, 0)
        assert _against(two, one) == (3, 3, 0, 1, 2)
        seats = rivals_of(one.bot_id).seats
        assert [(line.seat, line.score.wins, line.score.draws) for line in seats] == [
            (0, 2, 0),
            (1, 0, 1),
        ]

    def test_second_run_changes_nothing(self, versions: list[BotVersion]) -> None:
        match = play(*versions[:2])
        before = list(Meeting.objects.values_list("match", "seat"))

        queue_results([match.pk])
        queue_results([match.pk])
        count_all()

        assert list(Meeting.objects.values_list("match", "seat")) == before
        assert not UncountedResult.objects.exists()

    def test_larger_table_gives_a_meeting_for_each_two(self) -> None:
        table = [make_version(games=("way_of_the_dragon",)) for _ in range(3)]

        play(*table, game="way_of_the_dragon", ranks=(1, 0, 2))

        assert Meeting.objects.count() == 6
        assert _against(table[0], table[2]) == (1, 1, 1, 0, 0)
        assert _against(table[0], table[1]) == (1, 1, 0, 0, 1)

    def test_two_that_failed_have_both_lost(self, versions: list[BotVersion]) -> None:
        one, two, _ = versions

        play(one, two, ranks=(1, 1), faults={0: "crash", 1: "crash"})

        assert _against(one, two) == (1, 1, 0, 0, 1)
        assert _against(two, one) == (1, 1, 0, 0, 1)
        assert all(meeting.have_both_failed for meeting in Meeting.objects.all())

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

        assert Meeting.objects.count() == 2
        assert rivals_of(old.bot_id).games == []

    def test_exact_repeat_is_listed_and_counted_once(self, versions: list[BotVersion]) -> None:
        play(*versions[:2], times=3, course=SAME)

        assert _against(*versions[:2]) == (3, 1, 1, 0, 0)
        assert Meeting.objects.filter(expected__isnull=False).count() == 2

    def test_result_waits_until_it_is_rated(self, versions: list[BotVersion]) -> None:
        end(*versions[:2])

        assert count_all() == 0
        apply_results()
        assert count_all() == 1

        assert {meeting.expected for meeting in Meeting.objects.all()} == {500_000}

    def test_unrated_ones_wait_in_nobodys_way(self, versions: list[BotVersion]) -> None:
        for _ in range(3):
            end(*versions[:2])
        end(*versions[1:], rated=False)
        counter = ResultCounter(at_once=2)

        settled = sum(counter.count_results(for_s=60) for _ in range(2))

        assert settled == 1
        assert Meeting.objects.count() == 2


class TestExpectations:
    def test_favourite_is_expected_to_take_more(self, versions: list[BotVersion]) -> None:
        one, two, _ = versions
        play(one, two, times=4)

        last = Meeting.objects.filter(bot=one.bot).order_by("-match")[0]
        (against,) = rivals_of(two.bot_id).opponents

        assert last.expected is not None
        assert last.expected > 600_000
        assert last.beaten_score is not None
        assert (against.score.rated, against.score.rated_half_points) == (4, 0)
        assert against.score.expected_millionths < 2_000_000

    def test_win_by_a_fault_is_no_feat(self, versions: list[BotVersion]) -> None:
        play(*versions[:2], ranks=(0, 1), faults={1: "crash"})

        assert not Meeting.objects.exclude(beaten_score=None).exists()

    def test_unsettled_ratings_make_no_surprise(self, versions: list[BotVersion]) -> None:
        play(*versions[:2])

        assert not Meeting.objects.exclude(surprise=None).exists()


class TestHidden:
    def _hide(self, lane: int) -> HiddenLane:
        organiser = make_user(organiser=True)
        return HiddenLane.objects.create(lane=lane, organiser=organiser)

    def test_hidden_result_counts_when_it_is_released(self, versions: list[BotVersion]) -> None:
        hidden = self._hide(7)
        play(*versions[:2], lane=7, rated=False)
        play(*versions[:2], lane=8, rated=False)

        before = _against(*versions[:2])[0]
        hidden.delete()

        assert (before, _against(*versions[:2])[0]) == (1, 2)

    def test_release_by_the_clock_counts_likewise(self, versions: list[BotVersion]) -> None:
        self._hide(7)
        play(*versions[:2], lane=7, rated=False)

        HiddenLane.objects.update(hides_until=Now() - timedelta(seconds=1))

        assert _against(*versions[:2])[0] == 1


class TestCorrections:
    def test_result_taken_back_counts_no_more(self, versions: list[BotVersion]) -> None:
        match = play(*versions[:2])

        Match.objects.filter(pk=match.pk).update(is_revoked=True)
        revoke_results(match_ids=[match.pk])
        count_all()

        assert not Meeting.objects.exists()

    def test_repeat_counts_once_the_first_is_taken_back(self, versions: list[BotVersion]) -> None:
        first = end(*versions[:2], course=SAME)
        play(*versions[:2], course=SAME)

        Match.objects.filter(pk=first.pk).update(is_revoked=True)
        revoke_results(match_ids=[first.pk])
        count_all()

        assert _against(*versions[:2]) == (1, 1, 1, 0, 0)
        assert not Meeting.objects.filter(is_repeat=True).exists()
