import secrets
from datetime import timedelta

import pytest
from django.db.models import F
from django.db.models.functions import Now

from pentathlon.core.errors import Conflict, InvalidInput, NotFound
from pentathlon.friendlies import services
from pentathlon.friendlies.jobs import FriendlyStretch, StretchResult
from pentathlon.friendlies.models import Friendly
from pentathlon.friendlies.services import Origin, act, create_friendly, fork_friendly, resign
from pentathlon.friendlies.stretches import (
    MOST_FAILURES,
    accept_stretches,
    claim_stretch,
    close_idle,
    fail_stretch,
    place_in_queue,
    publish_friendlies,
    renew_stretches,
    return_expired,
)
from pentathlon.matches.leases import SLACK_S
from pentathlon.matches.models import Match
from pentathlon_engines.match.events import Event
from pentathlon_engines.match.limits import Limits
from pentathlon_engines.match.wall_clock import longest_match_s, longest_request_s, longest_start_s
from pentathlon_engines.record.record import forked_at, verify_record
from tests.factories import make_user, make_version, make_worker
from tests.pentathlon.friendlies.acting import (
    answer,
    answered,
    begun,
    claimed,
    fail,
    first_legal,
    move,
    play_to_end,
    result_of,
)

pytestmark = pytest.mark.django_db

STILL_S = SLACK_S + longest_start_s(Limits()) + longest_request_s(Limits())


def let_pass(seconds: float) -> None:
    """Let time pass in which the lease is renewed, without progress."""
    length = timedelta(seconds=seconds)
    Friendly.objects.update(
        begun_at=F("begun_at") - length, progressed_at=F("progressed_at") - length
    )


def renew(stretch: FriendlyStretch, *, ply: int) -> bool:
    return bool(renew_stretches({stretch.token: (stretch.id, ply)}))


def refusal(result: StretchResult) -> str | None:
    (error,) = accept_stretches([result])
    return None if error is None else error.code


class TestBeginning:
    def test_person_in_seat_0_is_to_move(self) -> None:
        friendly = begun(seat=0)

        assert (friendly.state, friendly.ply) == ("person", 0)
        assert friendly.places[0]["name"] == friendly.person.username

    def test_bot_in_seat_0_is_to_move(self) -> None:
        assert begun(seat=1).state == "bot"

    def test_seat_is_drawn_without_a_choice(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(secrets, "randbelow", lambda end: 1 if end == 2 else 7)

        friendly = create_friendly(
            actor=make_user(), game="tuned", bots=[make_version().bot_id], seat=None
        )

        assert (friendly.seat, friendly.seed) == (1, 7)

    def test_more_bots_sit_at_a_larger_table(self) -> None:
        bots = [make_version(games=("way_of_the_dragon",)).bot_id for _ in range(3)]

        friendly = create_friendly(actor=make_user(), game="way_of_the_dragon", bots=bots, seat=2)

        versions = [place["version"] and place["version"].bot_id for place in friendly.places]
        assert versions == [bots[0], bots[1], None, bots[2]]

    @pytest.mark.parametrize(
        ("changes", "code"),
        [
            ({"game": "chess"}, "unknown_game"),
            ({"game": "azure"}, "other_game"),
            ({"bots": []}, "bad_seats"),
            ({"bots": [10**9]}, "unknown_bot"),
            ({"seat": 2}, "bad_seat"),
            ({"options": {"size": 9}}, "bad_option"),
        ],
    )
    def test_what_cannot_be_played_is_refused(self, changes: dict[str, object], code: str) -> None:
        asked: dict[str, object] = {"game": "tuned", "bots": [make_version().bot_id], "seat": 0}

        with pytest.raises(InvalidInput) as refused:
            create_friendly(actor=make_user(), **{**asked, **changes})  # type: ignore[arg-type]  # wrong on purpose

        assert refused.value.code == code
        assert not Friendly.objects.exists()

    def test_person_has_a_few_games_under_way(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(services, "FRIENDLIES_UNDER_WAY", 1)
        first = begun()

        with pytest.raises(Conflict) as refused:
            begun(person=first.person)

        assert refused.value.code == "too_many_friendlies"

    def test_person_begins_a_few_games_a_day(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(services, "FRIENDLIES_A_DAY", 1)
        first = begun()
        resign(actor=first.person, friendly_id=first.pk)

        with pytest.raises(Conflict) as refused:
            begun(person=first.person)

        assert refused.value.code == "friendly_quota"

    def test_everybody_together_has_so_many_games(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(services, "FRIENDLIES_IN_ALL", 1)
        begun()

        with pytest.raises(Conflict) as refused:
            begun()

        assert refused.value.code == "no_room"


class TestActing:
    def test_action_lets_the_bot_move(self) -> None:
        friendly = move(begun())

        assert (friendly.state, friendly.ply) == ("bot", 1)
        assert friendly.events[0][:3] == [0, "add donkey a1", 0]

    def test_same_action_again_changes_nothing(self) -> None:
        friendly = begun()
        action = first_legal(friendly)

        for _ in range(2):
            again = act(actor=friendly.person, friendly_id=friendly.pk, ply=0, action=action)

        assert again.ply == 1

    def test_other_action_from_a_second_tab_is_late(self) -> None:
        friendly = begun()
        move(friendly)

        with pytest.raises(Conflict) as refused:
            act(actor=friendly.person, friendly_id=friendly.pk, ply=0, action="add dog b2")

        assert (refused.value.code, refused.value.allowed) == ("late_action", 1)

    def test_action_in_the_turn_of_the_bot_is_refused(self) -> None:
        friendly = move(begun())

        with pytest.raises(Conflict) as refused:
            act(actor=friendly.person, friendly_id=friendly.pk, ply=1, action="add dog b2")

        assert refused.value.code == "not_your_turn"

    @pytest.mark.parametrize("action", ["add donkey z9", "move a1 a2 1", "", "<script>"])
    def test_illegal_action_changes_nothing(self, action: str) -> None:
        friendly = begun()

        with pytest.raises(InvalidInput) as refused:
            act(actor=friendly.person, friendly_id=friendly.pk, ply=0, action=action)

        assert refused.value.code == "illegal_action"
        friendly.refresh_from_db()
        assert (friendly.ply, friendly.state) == (0, "person")

    def test_somebody_else_does_not_find_it(self) -> None:
        friendly = begun()

        with pytest.raises(NotFound):
            act(actor=make_user(), friendly_id=friendly.pk, ply=0, action="add donkey a1")

    def test_whole_game_leaves_a_record_that_verifies(self) -> None:
        friendly = play_to_end(begun(seat=1))

        record = friendly.record
        verify_record(record)
        assert record["person"] == {"seat": 1, "resigned_at": None}
        assert record["bots"][1] == {"name": friendly.person.username, "hash": ""}
        assert (friendly.state, friendly.ranks) == ("done", record["outcome"]["ranks"])
        assert not Match.objects.exists()

    def test_game_that_is_over_takes_no_action(self) -> None:
        friendly = play_to_end(begun())

        with pytest.raises(Conflict) as refused:
            act(actor=friendly.person, friendly_id=friendly.pk, ply=friendly.ply, action="x")

        assert refused.value.code == "friendly_over"


class TestResigning:
    def test_bot_has_won(self) -> None:
        friendly = move(begun())

        ended = resign(actor=friendly.person, friendly_id=friendly.pk)

        assert (ended.state, ended.ranks, ended.outcome_reason) == ("done", [1, 0], "resigned")
        verify_record(ended.record)

    def test_second_time_changes_nothing(self) -> None:
        friendly = begun()

        first = resign(actor=friendly.person, friendly_id=friendly.pk)
        again = resign(actor=friendly.person, friendly_id=friendly.pk)

        assert again.finished_at == first.finished_at

    def test_answer_of_the_bot_then_comes_too_late(self) -> None:
        friendly = move(begun())
        stretch = claimed(friendly)
        resign(actor=friendly.person, friendly_id=friendly.pk)

        assert refusal(result_of(stretch)) == "stale_token"

    def test_stand_in_plays_on_at_a_larger_table(self) -> None:
        bots = [make_version(games=("way_of_the_dragon",)).bot_id for _ in range(2)]
        friendly = create_friendly(actor=make_user(), game="way_of_the_dragon", bots=bots, seat=0)

        friendly = resign(actor=friendly.person, friendly_id=friendly.pk)
        ended = play_to_end(friendly)

        assert ended.ranks is not None
        assert ended.ranks[0] == 2
        verify_record(ended.record)

    def test_who_has_left_resigns_after_days(self) -> None:
        friendly = begun()
        other = begun()
        Friendly.objects.filter(pk=friendly.pk).update(moved_at=Now() - timedelta(days=15))

        assert close_idle() == 1

        friendly.refresh_from_db()
        other.refresh_from_db()
        assert (friendly.outcome_reason, other.state) == ("resigned", "person")


class TestStretches:
    def test_worker_answers_and_the_person_is_to_move(self) -> None:
        friendly = answer(move(begun()))

        assert (friendly.state, friendly.ply, friendly.token) == ("person", 2, None)
        assert friendly.events[1][2:] == [5, 7]

    def test_two_workers_do_not_get_the_same(self) -> None:
        friendly = move(begun())
        claimed(friendly)

        assert claim_stretch(friendly_id=friendly.pk, worker="test/2") is None

    def test_person_who_thinks_holds_no_worker(self) -> None:
        assert claim_stretch(friendly_id=begun().pk, worker="test/1") is None

    def test_killed_worker_loses_it(self) -> None:
        friendly = move(begun())
        stretch = claimed(friendly)
        Friendly.objects.update(lease_until=Now() - timedelta(seconds=1))

        assert return_expired() == 1

        assert not renew(stretch, ply=1)
        assert refusal(result_of(stretch)) == "stale_token"
        assert answer(friendly).state == "person"

    def test_worker_that_makes_no_progress_loses_it_and_costs_nobody_anything(self) -> None:
        friendly = move(begun())
        stretch = claimed(friendly)
        let_pass(STILL_S - 1)
        assert renew(stretch, ply=2)
        let_pass(STILL_S - 1)
        assert renew(stretch, ply=2)
        let_pass(2)

        assert not renew(stretch, ply=2)

        friendly.refresh_from_db()
        assert (friendly.state, friendly.token, friendly.host_faults) == ("bot", None, 0)
        assert answer(friendly).state == "person"

    def test_plies_that_fall_and_grow_again_are_no_progress(self) -> None:
        stretch = claimed(move(begun()))
        renew(stretch, ply=5)
        let_pass(STILL_S - 1)
        renew(stretch, ply=4)
        let_pass(2)

        assert not renew(stretch, ply=5)

    def test_stretch_lasts_no_longer_than_its_clocks_allow(self) -> None:
        stretch = claimed(move(begun()))
        whole_s = SLACK_S + longest_start_s(Limits()) + longest_match_s(Limits())
        for ply in range(2, 2 + int(whole_s / STILL_S) + 1):
            assert renew(stretch, ply=ply)
            let_pass(STILL_S)

        assert not renew(stretch, ply=10**6)

    def test_broken_host_ends_it_after_a_few_times(self) -> None:
        friendly = move(begun())

        for _ in range(MOST_FAILURES):
            token = claimed(friendly).token
            assert fail_stretch(friendly_id=friendly.pk, token=token, reason="LaunchFailed")

        friendly.refresh_from_db()
        assert (friendly.state, friendly.state_reason) == ("void", "LaunchFailed")

    def test_drained_worker_counts_as_no_failure(self) -> None:
        friendly = move(begun())
        token = claimed(friendly).token

        fail_stretch(friendly_id=friendly.pk, token=token, reason="drained", counts=False)

        friendly.refresh_from_db()
        assert (friendly.state, friendly.host_faults) == ("bot", 0)

    def test_bot_that_crashes_has_lost(self) -> None:
        ended = fail(move(begun()))

        assert (ended.state, ended.ranks) == ("done", [0, 1])
        assert ended.record["faults"][0]["kind"] == "crash"
        verify_record(ended.record)

    def test_worker_cannot_invent_an_action(self) -> None:
        friendly = move(begun())
        stretch = claimed(friendly)
        referee = answered(stretch)
        referee.events[1] = Event(1, "add donkey a1")

        assert refusal(result_of(stretch, referee)) == "bad_record"

    def test_few_are_published_at_a_time_whoever_waits_longest_first(self) -> None:
        make_worker(slots=2)
        first, second = begun(seat=1), begun(seat=1)
        sent: list[int] = []

        publish_friendlies(sent.extend)
        publish_friendlies(sent.extend)

        assert sent == [first.pk]
        assert (place_in_queue(first), place_in_queue(second)) == (1, 2)

    def test_next_one_is_published_when_the_first_is_answered(self) -> None:
        make_worker(slots=2)
        first, second = begun(seat=1), begun(seat=1)
        sent: list[int] = []
        publish_friendlies(sent.extend)
        answer(first)

        publish_friendlies(sent.extend)

        assert sent == [first.pk, second.pk]

    def test_lost_hint_is_published_again(self) -> None:
        make_worker(slots=2)
        friendly = begun(seat=1)
        publish_friendlies(lambda ids: None)
        Friendly.objects.update(sent_at=Now() - timedelta(minutes=1))
        sent: list[int] = []

        publish_friendlies(sent.extend)

        assert sent == [friendly.pk]


class TestForking:
    def test_game_goes_on_from_a_position_with_a_seed_of_its_own(self) -> None:
        first = play_to_end(begun())
        person = make_user()

        friendly = fork_friendly(
            actor=person,
            origin=Origin(record=first.record, ply=1, friendly=first),
            bots=[make_version().bot_id],
        )

        assert (friendly.seat, friendly.state, friendly.ply) == (1, "person", 1)
        assert friendly.seed != first.seed
        ended = play_to_end(friendly)
        assert forked_at(ended.record) == 1
        assert ended.record["fork"]["chain"] == first.chain
        verify_record(ended.record)

    def test_end_of_a_match_is_no_beginning(self) -> None:
        first = play_to_end(begun())

        with pytest.raises(InvalidInput) as refused:
            fork_friendly(
                actor=make_user(),
                origin=Origin(record=first.record, ply=first.ply),
                bots=[make_version().bot_id],
            )

        assert refused.value.code == "bad_ply"
