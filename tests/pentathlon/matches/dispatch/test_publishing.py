from collections import Counter
from collections.abc import Sequence
from datetime import timedelta
from itertools import permutations

import pytest
from django.db import connection
from django.db.models.functions import Now
from django.test.utils import CaptureQueriesContext
from pytest_django.fixtures import Settings

from pentathlon.bots.models import BotVersion
from pentathlon.fleet.announcements import Work
from pentathlon.fleet.capabilities import NO_TOKEN
from pentathlon.matches import services
from pentathlon.matches.capacity import BATCH
from pentathlon.matches.dispatch import heads, publishing
from pentathlon.matches.dispatch.publishing import (
    RESEND_S,
    WINDOW_PER_SLOT,
    FairCursor,
    publish_pending,
)
from pentathlon.matches.models import Match, MatchKind, MatchState
from tests.deep import by_turns
from tests.factories import make_match, make_version, make_worker
from tests.pentathlon.matches.acting import claimed, played

pytestmark = pytest.mark.django_db


class Broker:
    """Notes the hints that it is given."""

    def __init__(self) -> None:
        self.hints: list[list[int]] = []

    def __call__(self, match_ids: Sequence[int]) -> None:
        self.hints.append(list(match_ids))

    @property
    def sent(self) -> list[int]:
        return [match_id for hint in self.hints for match_id in hint]


def _java() -> BotVersion:
    """Store a bot that no worker of these tests can run."""
    version = make_version()
    version.manifest = {**version.manifest, "language": "java"}
    version.save(update_fields=("manifest",))
    return version


@pytest.fixture
def broker() -> Broker:
    return Broker()


def _lane(number: int, length: int) -> list[int]:
    """Store the matches of one tournament, each between bots of its own."""
    return [make_match(lane=number).pk for _ in range(length)]


class TestWindow:
    def test_waiting_matches_go_out_in_order_and_once(self, broker: Broker) -> None:
        make_worker()
        matches = _lane(1, 3)

        publish_pending(publish=broker)
        publish_pending(publish=broker)

        assert broker.sent == matches

    def test_hints_that_nobody_would_take_from_the_queue_are_noted_only(
        self, broker: Broker
    ) -> None:
        matches = _lane(1, 3)
        make_worker(work=[Work.RATED, Work.UNRATED])

        assert publish_pending(publish=broker) == 3

        assert broker.sent == []
        assert set(Match.objects.sent().values_list("pk", flat=True)) == set(matches)

    def test_spot_check_goes_out_only_when_its_party_is_there(self, broker: Broker) -> None:
        check = make_match(kind=MatchKind.SPOT_CHECK, reserved_for=7)
        own = make_match(kind=MatchKind.SPOT_CHECK, reserved_for=NO_TOKEN)
        make_worker()

        publish_pending(publish=broker)

        assert broker.sent == [own.pk]
        assert Match.objects.get(pk=check.pk).sent_at is None

    def test_spot_checks_go_out_although_the_window_is_full(self, broker: Broker) -> None:
        _lane(1, WINDOW_PER_SLOT + 1)
        check = make_match(kind=MatchKind.SPOT_CHECK, reserved_for=NO_TOKEN)
        make_worker(slots=1)

        publish_pending(publish=broker)

        assert check.pk in broker.sent

    def test_nothing_goes_out_while_no_worker_is_alive(self, broker: Broker) -> None:
        make_worker(seen_at=Now() - timedelta(hours=2))
        make_worker(is_draining=True)
        match = make_match()

        assert publish_pending(publish=broker) == 0

        match.refresh_from_db()
        assert match.sent_at is None

    @pytest.mark.parametrize("slots", [1, 2])
    def test_window_follows_from_the_slots_that_are_there(
        self, slots: int, broker: Broker
    ) -> None:
        versions = [make_version() for _ in range(20)]
        for number in range(WINDOW_PER_SLOT * 2 + 2):
            make_match([versions[number % 20], versions[(number + 1) % 20]])
        # Make the worker last: on a slow machine it would count as silent otherwise.
        make_worker(slots=slots)

        publish_pending(publish=broker)
        publish_pending(publish=broker)

        assert len(broker.sent) == WINDOW_PER_SLOT * slots

    def test_running_matches_are_in_the_window(self, broker: Broker) -> None:
        make_worker()
        claimed(make_match())
        waiting = _lane(1, 3)

        publish_pending(publish=broker, window=3)
        publish_pending(publish=broker, window=3)

        assert broker.sent == waiting[:2]

    def test_hint_that_nobody_followed_goes_out_again(self, broker: Broker) -> None:
        make_worker()
        match = make_match()
        publish_pending(publish=broker)

        Match.objects.update(sent_at=Now() - timedelta(seconds=RESEND_S + 1))
        publish_pending(publish=broker)

        assert broker.sent == [match.pk, match.pk]

    def test_broken_broker_leaves_the_rest_to_be_published(self, broker: Broker) -> None:
        make_worker(slots=2)
        first, second = make_match(), make_match()

        def publish(match_ids: Sequence[int]) -> None:
            if second.pk in match_ids:
                raise ConnectionError("broker away")
            broker(match_ids)

        with pytest.raises(ConnectionError):
            publish_pending(publish=publish)
        publish_pending(publish=broker)

        assert broker.sent == [first.pk, second.pk]

    def test_worker_that_gives_back_at_once_is_followed_by_another(self, broker: Broker) -> None:
        make_worker()
        match = make_match()

        def fail_at_once(match_ids: Sequence[int]) -> None:
            broker(match_ids)
            job = claimed(match)
            services.fail_attempt(match_id=match.pk, token=job.token, reason="no bwrap")

        publish_pending(publish=fail_at_once)
        publish_pending(publish=broker)

        assert broker.sent == [match.pk, match.pk]

    def test_match_that_was_paused_meanwhile_does_not_go_out(
        self, broker: Broker, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        make_worker()
        make_match(lane=1)
        note_sent = services.note_sent

        def pause_first(*, match_ids: Sequence[int]) -> set[int]:
            services.hold_lane(1)
            return note_sent(match_ids=match_ids)

        monkeypatch.setattr(publishing, "note_sent", pause_first)

        assert publish_pending(publish=broker) == 0

    def test_held_match_is_not_published_until_released(self, broker: Broker) -> None:
        make_worker()
        match = make_match(lane=1)

        services.hold_lane(1)
        assert publish_pending(publish=broker) == 0
        services.release_lane(1)
        publish_pending(publish=broker)

        assert broker.sent == [match.pk]

    def test_match_that_workers_refused_while_held_is_sent_again(self, broker: Broker) -> None:
        make_worker()
        match = make_match(lane=1)
        publish_pending(publish=broker)

        services.hold_lane(1)
        services.release_lane(1)
        publish_pending(publish=broker)

        assert broker.sent == [match.pk, match.pk]

    def test_release_sends_nothing_of_other_lanes_again(self, broker: Broker) -> None:
        make_worker(slots=4)
        other = make_match(lane=2)
        publish_pending(publish=broker)

        services.hold_lane(1)
        services.release_lane(1)
        publish_pending(publish=broker)

        assert broker.sent == [other.pk]


class TestHints:
    def test_few_matches_are_shared_among_the_slots(self, broker: Broker) -> None:
        make_worker(slots=4)
        played("tuned", seconds=0.05)
        _lane(1, 4)

        publish_pending(publish=broker)

        assert [len(hint) for hint in broker.hints] == [1, 1, 1, 1]

    def test_many_short_matches_go_out_in_batches(self, broker: Broker) -> None:
        make_worker(slots=1)
        played("tuned", seconds=0.05)
        _lane(1, BATCH + 1)

        publish_pending(publish=broker)

        assert [len(hint) for hint in broker.hints] == [BATCH, 1]

    @pytest.mark.parametrize(("taken", "slots"), by_turns([1, 3, 5, 13], [(1,), (3,), (2,)]))
    def test_window_that_is_topped_up_often_gives_no_crumbs(
        self, taken: int, slots: int, broker: Broker
    ) -> None:
        played("tuned", seconds=0.05)
        versions = [make_version() for _ in range(20)]
        for number in range((WINDOW_PER_SLOT * slots) + 5 * BATCH):
            make_match([versions[number % 20], versions[(number + 1) % 20]], lane=1)
        make_worker(slots=slots)

        for _ in range(4):
            publish_pending(publish=broker)
            ended = Match.objects.sent().order_by("pk")[:taken]
            begun = Now() - timedelta(seconds=0.05)
            done = {"state": MatchState.DONE, "started_at": begun, "finished_at": Now()}
            Match.objects.filter(pk__in=list(ended.values_list("pk", flat=True))).update(**done)

        assert {len(hint) for hint in broker.hints} == {BATCH}
        assert len(broker.sent) > WINDOW_PER_SLOT * slots + 3 * taken - BATCH

    def test_matches_of_a_batch_are_not_taken_for_long_ones(self, broker: Broker) -> None:
        make_worker(slots=1)
        played("tuned", seconds=1.2, times=BATCH)
        # One slot claimed these matches together, and handed them in together.
        ended = Match.objects.filter(state=MatchState.DONE)
        ended.update(finished_at=Now(), started_at=Now() - timedelta(seconds=1.2))
        _lane(1, BATCH)

        publish_pending(publish=broker)

        assert [len(hint) for hint in broker.hints] == [BATCH]

    def test_long_matches_go_out_one_by_one(self, broker: Broker) -> None:
        make_worker(slots=1)
        played("tuned", seconds=30)
        _lane(1, 3)

        publish_pending(publish=broker)

        assert [len(hint) for hint in broker.hints] == [1, 1, 1]

    @pytest.mark.parametrize(("long", "size"), [(2, BATCH), (3, 1)])
    def test_batches_are_small_where_every_third_match_is_long(
        self, long: int, size: int, broker: Broker
    ) -> None:
        make_worker(slots=1)
        played("tuned", seconds=10, times=long)
        played("tuned", seconds=0.05, times=9 - long)
        _lane(1, BATCH)

        publish_pending(publish=broker)

        assert {len(hint) for hint in broker.hints} == {size}


class TestLongMatches:
    def test_few_of_them_fill_the_window(self, broker: Broker) -> None:
        played("tuned", seconds=30)
        _lane(1, 12)
        make_worker(slots=2)

        publish_pending(publish=broker)

        assert len(broker.sent) == 2 * WINDOW_PER_SLOT // BATCH

    def test_short_match_that_comes_later_waits_for_few_of_them(self, broker: Broker) -> None:
        played("tuned", seconds=30)
        played("azure", seconds=0.05)
        long = _lane(1, 5)
        make_worker(slots=1)
        publish_pending(publish=broker)
        short = make_match(lane=2, game="azure").pk
        Match.objects.filter(pk=long[0]).update(state=MatchState.DONE, finished_at=Now())

        publish_pending(publish=broker)

        assert broker.sent[:3] == long[:3]
        assert set(broker.sent[3:]) == {short, long[3]}

    def test_lanes_have_equal_time_in_flight(self, broker: Broker) -> None:
        played("tuned", seconds=30)
        played("azure", seconds=0.05)
        long = _lane(1, 5)
        short = [make_match(lane=2, game="azure").pk for _ in range(30)]
        make_worker(slots=2)

        publish_pending(publish=broker)

        assert len(set(broker.sent) & set(long)) == 3
        assert len(set(broker.sent) & set(short)) == 3 * BATCH


class TestLadders:
    def test_their_hints_go_where_workers_look_last(self, broker: Broker) -> None:
        make_worker()
        ladder, rated = make_match(kind=MatchKind.LADDER), make_match()
        last = Broker()

        publish_pending(publish=broker, publish_ladders=last)

        assert (broker.sent, last.sent) == ([rated.pk], [ladder.pk])

    def test_what_they_have_in_flight_leaves_all_the_room_to_others(self, broker: Broker) -> None:
        make_worker()
        for _ in range(4):
            make_match(kind=MatchKind.LADDER)
        publish_pending(publish=broker, window=4)
        rated = _lane(1, 6)

        publish_pending(publish=broker, window=4)

        assert broker.sent[4:] == rated[:4]

    def test_others_in_flight_leave_them_no_more_than_the_rest(self, broker: Broker) -> None:
        make_worker()
        rated = _lane(1, 3)
        ladders = [make_match(kind=MatchKind.LADDER).pk for _ in range(4)]

        publish_pending(publish=broker, window=4)

        assert broker.sent == [*rated, ladders[0]]

    def test_their_hints_may_wait_longer(self, broker: Broker) -> None:
        make_worker()
        match = make_match(kind=MatchKind.LADDER)
        publish_pending(publish=broker)
        Match.objects.update(sent_at=Now() - timedelta(seconds=RESEND_S + 1))

        assert publish_pending(publish=broker) == 0
        assert publish_pending(publish=broker, resend_ladders_after_s=5) == 1
        assert broker.sent == [match.pk, match.pk]


class TestTurns:
    def test_validation_goes_first(self, broker: Broker) -> None:
        make_worker()
        later, upload = make_match(), make_match(kind=MatchKind.VALIDATION)

        publish_pending(publish=broker)

        assert broker.sent == [upload.pk, later.pk]

    def test_big_tournament_does_not_starve_a_small_one(self, broker: Broker) -> None:
        make_worker()
        big = _lane(1, 8)
        publish_pending(publish=broker, window=4)
        small = _lane(2, 2)

        publish_pending(publish=broker, window=7)

        assert broker.sent == [*big[:4], *small, big[4]]

    def test_lane_that_is_made_slowly_is_not_starved_by_a_full_one(self, broker: Broker) -> None:
        make_worker()
        full, turn = _lane(1, 30), FairCursor()
        slow = _lane(2, 1)
        publish_pending(publish=broker, window=4, cursor=turn)

        for _ in range(4):
            slow += _lane(2, 1)
            Match.objects.sent().update(state=MatchState.DONE, finished_at=Now())
            publish_pending(publish=broker, window=4, cursor=turn)

        assert [match for match in broker.sent if match in slow] == slow
        assert len(broker.sent) - len(slow) == sum(match in full for match in broker.sent) == 15

    def test_lane_that_was_refused_has_its_turn_when_it_can_be_played(
        self, broker: Broker
    ) -> None:
        make_worker()
        full, turn = _lane(1, 30), FairCursor()
        match = make_match([_java(), make_version()], lane=2)
        publish_pending(publish=broker, window=4, cursor=turn)
        make_worker(runtimes=["java", "python"])

        for _ in range(2):
            Match.objects.sent().update(state=MatchState.DONE, finished_at=Now())
            publish_pending(publish=broker, window=4, cursor=turn)

        assert match.pk in broker.sent
        assert set(broker.sent) - {match.pk} < set(full)

    def test_lanes_take_turns(self, broker: Broker) -> None:
        make_worker()
        one, two, three = (_lane(number, 3) for number in (1, 2, 3))
        turn = FairCursor()

        for _ in range(4):
            publish_pending(publish=broker, window=2, cursor=turn)
            Match.objects.sent().update(state=MatchState.DONE, finished_at=Now())

        in_turns = [match for block in zip(one, two, three, strict=True) for match in block]
        assert broker.sent == in_turns[:8]

    def test_number_of_queries_does_not_grow_with_a_tournament(self, broker: Broker) -> None:
        make_worker()
        versions = [make_version() for _ in range(4)]
        counts = []

        for length in (2, 10):
            for _ in range(length):
                make_match(versions[:2], lane=1)
            with CaptureQueriesContext(connection) as queries:
                publish_pending(publish=broker, window=1)
            counts.append(len(queries))
            Match.objects.update(state=MatchState.DONE, finished_at=Now())

        assert counts[0] == counts[1]

    def test_number_of_queries_does_not_grow_with_lanes(self, broker: Broker) -> None:
        make_worker()
        versions = [make_version() for _ in range(2)]
        counts = []

        for lanes in (2, 40):
            for lane in range(lanes):
                make_match(versions, lane=lane)
            with CaptureQueriesContext(connection) as queries:
                publish_pending(publish=broker, window=2)
            counts.append(len(queries))
            Match.objects.update(state=MatchState.DONE, finished_at=Now())

        assert counts[0] == counts[1]

    def test_what_can_be_played_behind_many_refused_matches_has_its_turn(
        self, broker: Broker, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(heads, "_MOST_REFUSED", 4)
        monkeypatch.setattr(heads, "_SPARE", 0)
        make_worker()
        java = _java()
        for _ in range(9):
            make_match([java, make_version()], lane=1)
        played = make_match(lane=1)
        turn = FairCursor()

        looks = 0
        while not broker.sent and looks < 9:
            publish_pending(publish=broker, cursor=turn)
            looks += 1

        assert broker.sent == [played.pk]
        assert 1 < looks < 9

    def test_lanes_that_nobody_can_play_starve_no_other(
        self, broker: Broker, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(heads, "_MOST_REFUSED", 4)
        make_worker()
        java = _java()
        for lane in range(1, 9):
            make_match([java, make_version()], lane=lane)
        mine = _lane(9, 2)
        turn = FairCursor()

        for _ in range(4):
            publish_pending(publish=broker, window=1, cursor=turn)
            Match.objects.sent().update(state=MatchState.DONE, finished_at=Now())

        assert broker.sent == mine


def _of_pairs(bots: Sequence[BotVersion], game: str, *, lane: int, cycles: int) -> None:
    """Store a round robin that waits."""
    for _ in range(cycles):
        for first, second in permutations(bots, 2):
            make_match([first, second], game=game, lane=lane)


class TestCap:
    @pytest.fixture
    def busy(self, settings: Settings) -> BotVersion:
        """Return a version whose bot may play two matches at a time."""
        settings.BOT_MATCHES = 2
        return make_version()

    def test_one_bot_gets_no_more_than_its_cap(self, busy: BotVersion, broker: Broker) -> None:
        make_worker()
        held = [make_match([busy, make_version()]).pk for _ in range(3)]
        other = make_match().pk

        publish_pending(publish=broker)

        assert broker.sent == [*held[:2], other]

    def test_short_matches_that_one_slot_takes_together_count_once(
        self, busy: BotVersion, broker: Broker
    ) -> None:
        make_worker()
        played("tuned", seconds=0.05)
        ids = [make_match([busy, make_version()]).pk for _ in range(3 * BATCH)]

        publish_pending(publish=broker)

        assert [len(hint) for hint in broker.hints] == [BATCH, BATCH]
        assert broker.sent == ids[: 2 * BATCH]

    def test_what_a_slot_has_claimed_together_counts_once(
        self, busy: BotVersion, broker: Broker
    ) -> None:
        make_worker()
        pks = [make_match([busy, make_version()]).pk for _ in range(5)]
        services.claim_matches(match_ids=pks, worker="w.1")
        waiting = make_match([busy, make_version()]).pk
        make_match([busy, make_version()])

        publish_pending(publish=broker)

        assert broker.sent == [waiting]

    def test_lanes_that_share_bots_are_served_alike(
        self, broker: Broker, settings: Settings
    ) -> None:
        """A lane whose matches fill its bots' caps must not keep out another one with them."""
        settings.BOT_MATCHES = 8
        make_worker(slots=2)
        played("tuned", seconds=0.1)
        played("azure", seconds=0.1)
        bots = [make_version() for _ in range(4)]
        _of_pairs(bots, "tuned", lane=1, cycles=10)
        publish_pending(publish=broker)
        _of_pairs(bots, "azure", lane=2, cycles=10)

        for _ in range(10):
            sent = Match.objects.sent().order_by("sent_at", "pk").values("pk")[:BATCH]
            ended = Match.objects.filter(pk__in=list(sent.values_list("pk", flat=True)))
            begun = Now() - timedelta(seconds=0.8)
            ended.update(state=MatchState.DONE, started_at=begun, finished_at=Now())
            publish_pending(publish=broker)

        in_flight = Counter(Match.objects.sent().values_list("lane", flat=True))
        assert in_flight == {1: 3 * BATCH, 2: 3 * BATCH}

    def test_bots_are_read_once_however_many_are_held_back(
        self, busy: BotVersion, broker: Broker, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(heads, "_READ_TOGETHER", 8)
        make_worker()
        other = make_version()
        for lane in range(1, 5):
            for _ in range(10):
                make_match([busy, other], lane=lane)

        with CaptureQueriesContext(connection) as queries:
            publish_pending(publish=broker)

        assert len(broker.sent) == 2
        assert sum('"archive_id"' in query["sql"] for query in queries) == 1

    def test_number_of_queries_does_not_grow_with_what_is_held_back(
        self, busy: BotVersion, broker: Broker
    ) -> None:
        make_worker()
        other = make_version()
        counts = []

        for length in (10, 40):
            for lane in range(1, 6):
                for _ in range(length):
                    make_match([busy, other], lane=lane)
            with CaptureQueriesContext(connection) as queries:
                publish_pending(publish=broker)
            counts.append(len(queries))
            Match.objects.update(state=MatchState.DONE, finished_at=Now())

        assert len(broker.sent) == 4
        assert counts[1] <= counts[0] + 2

    def test_long_lane_that_is_held_back_starves_no_other(
        self, busy: BotVersion, broker: Broker, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(heads, "_MOST_REFUSED", 20)
        make_worker()
        for slot in ("w.1", "w.2"):
            claimed(make_match([busy, make_version()]), slot)
        other = make_version()
        for _ in range(40):
            make_match([busy, other], lane=1)
        free = _lane(2, 3)

        publish_pending(publish=broker)

        assert broker.sent == free

    def test_other_version_of_the_same_bot_counts(self, busy: BotVersion, broker: Broker) -> None:
        make_worker()
        for slot in ("w.1", "w.2"):
            claimed(make_match([busy, make_version()]), slot)
        newer = make_version(bot=busy.bot)
        make_match([newer, make_version()])

        assert publish_pending(publish=broker) == 0

    def test_held_match_goes_out_when_another_has_ended(
        self, busy: BotVersion, broker: Broker
    ) -> None:
        make_worker()
        first, *_, last = (make_match([busy, make_version()]) for _ in range(3))
        publish_pending(publish=broker)
        Match.objects.filter(pk=first.pk).update(state=MatchState.DONE, finished_at=Now())

        publish_pending(publish=broker)

        assert broker.sent[-1] == last.pk

    def test_validation_is_not_held(self, busy: BotVersion, broker: Broker) -> None:
        make_worker()
        for slot in ("w.1", "w.2"):
            claimed(make_match([busy, make_version()]), slot)
        upload = make_match([busy, busy], kind=MatchKind.VALIDATION)

        publish_pending(publish=broker)

        assert broker.sent == [upload.pk]


class TestRouting:
    def test_match_that_no_worker_can_play_lets_others_pass(self, broker: Broker) -> None:
        make_worker()
        make_match([_java(), make_version()])
        other = make_match()

        publish_pending(publish=broker)

        assert broker.sent == [other.pk]

    def test_match_goes_out_when_a_worker_for_it_comes(self, broker: Broker) -> None:
        make_worker()
        match = make_match([_java(), make_version()])
        publish_pending(publish=broker)
        make_worker(runtimes=["java", "python"])

        publish_pending(publish=broker)

        assert broker.sent == [match.pk]

    def test_weaker_sandbox_than_demanded_gets_nothing(
        self, broker: Broker, settings: Settings
    ) -> None:
        settings.SANDBOX_LEVEL = "namespaces"
        make_worker(sandbox="landlock")
        make_match()

        assert publish_pending(publish=broker) == 0


def _challenges(lane: int, length: int) -> list[int]:
    """Store the matches of one challenge."""
    return [make_match(lane=lane, kind=MatchKind.CHALLENGE).pk for _ in range(length)]


class TestChallenges:
    def test_rated_play_and_validation_go_before_challenges(self, broker: Broker) -> None:
        make_worker()
        challenges = _challenges(10**12, 2)
        rated, check = make_match().pk, make_match(kind=MatchKind.VALIDATION).pk

        publish_pending(publish=broker, window=3)

        assert broker.sent == [check, rated, challenges[0]]

    def test_challenges_alone_leave_most_of_the_window_free(self, broker: Broker) -> None:
        make_worker()
        challenges = _challenges(10**12, 8)

        publish_pending(publish=broker, window=16)
        publish_pending(publish=broker, window=16)
        late = make_match().pk
        publish_pending(publish=broker, window=16)

        assert broker.sent == [*challenges[:4], late]

    def test_rated_play_that_never_pauses_leaves_challenges_their_part(
        self, broker: Broker
    ) -> None:
        make_worker()
        rated = [make_match().pk for _ in range(20)]
        challenges = _challenges(10**12, 8)

        publish_pending(publish=broker, window=16)

        assert broker.sent == [*rated[:14], *challenges[:2]]

    def test_nothing_is_kept_for_challenges_while_none_waits(self, broker: Broker) -> None:
        make_worker()
        rated = [make_match().pk for _ in range(20)]

        publish_pending(publish=broker, window=16)

        assert broker.sent == rated[:16]

    def test_challenges_take_turns(self, broker: Broker) -> None:
        make_worker()
        first, second = _challenges(10**12, 3), _challenges(10**12 + 1, 3)

        publish_pending(publish=broker, window=16)

        assert broker.sent == [first[0], second[0], first[1], second[1]]

    def test_bot_that_is_challenged_often_still_plays_rated_matches(
        self, broker: Broker, settings: Settings
    ) -> None:
        settings.BOT_MATCHES = 1
        make_worker()
        popular, other = make_version(), make_version()
        for _ in range(3):
            match = make_match([popular, make_version()], kind=MatchKind.CHALLENGE, lane=10**12)
            claimed(match)
        rated = make_match([popular, other]).pk

        publish_pending(publish=broker)

        assert broker.sent == [rated]
