"""Batches of ladder matches: how many, for whom, and what a crash leaves."""

import pytest
from django.core.management import call_command
from pytest_django import DjangoAssertNumQueries, Settings

from pentathlon.bots.models import VersionState
from pentathlon.fleet.models import Worker
from pentathlon.ladders import batches
from pentathlon.ladders.models import Division, Ladder
from pentathlon.matches.models import Match, MatchKind, MatchState
from pentathlon.ratings.models import LedgerRow, Rating, live_key
from pentathlon.tournaments.batches import Batch
from pentathlon.tournaments.documents.document import event_key
from pentathlon.tournaments.models import TournamentMatch
from pentathlon.tournaments.scheduling.verification import schedule_differences
from pentathlon.tournaments.services import close_finished
from pentathlon_engines import GAMES
from pentathlon_engines.seeds import block_seed
from tests.factories import make_version, make_worker
from tests.pentathlon.ladders.playing import (
    division_of,
    make_due,
    make_reference,
    open_ladder,
    play_waiting,
    seat_all,
    step,
)

pytestmark = pytest.mark.django_db


def _seatings() -> list[tuple[int, ...]]:
    matches = Match.objects.filter(kind=MatchKind.LADDER).order_by("pk")
    return [
        tuple(match.seats.order_by("seat").values_list("version", flat=True)) for match in matches
    ]


def test_every_game_has_a_ladder_that_opens_by_itself() -> None:
    open_ladder(all_others=True)

    divisions = Division.objects.filter(season__ladder__takes_all=True)
    assert {each.tournament.game for each in divisions} == set(GAMES)
    assert all(each.tournament.state == "running" for each in divisions)


def test_newcomer_meets_a_reference_bot_in_both_seats_with_one_seed() -> None:
    ladder = open_ladder(slots=1)
    mark, newcomer = make_reference(), make_version()
    seat_all()

    assert step() > 0

    assert sorted(_seatings()[:2]) == sorted([(mark.pk, newcomer.pk), (newcomer.pk, mark.pk)])
    first, second = Match.objects.filter(kind=MatchKind.LADDER).order_by("pk")[:2]
    assert first.seed == second.seed
    assert first.rated
    assert first.lane == division_of(ladder).tournament_id


def test_results_count_on_the_live_leaderboard_of_the_game() -> None:
    open_ladder()
    make_reference()
    newcomer = make_version()
    seat_all()
    step()

    play_waiting(winner=newcomer.pk)

    rating = Rating.objects.get(pool__key=live_key("tuned"), version=newcomer)
    assert rating.wins == rating.matches > 0


def test_own_bots_do_not_meet() -> None:
    open_ladder()
    mine = make_version()
    make_version(owner=mine.bot.owner)
    seat_all()

    assert step() == 0


def test_reference_bots_are_company_for_one_another() -> None:
    open_ladder()
    make_reference()
    make_reference()
    seat_all()

    assert step() > 0


def test_number_that_waits_follows_the_slots() -> None:
    open_ladder(slots=0)
    for _ in range(8):
        make_version()
    seat_all()
    assert step() == 0
    worker = make_worker(slots=1)

    step()
    few = Match.objects.filter(kind=MatchKind.LADDER).count()
    Worker.objects.filter(pk=worker.pk).update(slots=4)
    step()
    many = Match.objects.filter(kind=MatchKind.LADDER).count()
    step()

    assert 0 < few <= 6
    assert few < many <= 24
    assert Match.objects.filter(kind=MatchKind.LADDER).count() <= 24


def test_what_no_worker_can_play_does_not_stand_in_the_way() -> None:
    open_ladder()
    foreign = [make_version() for _ in range(4)]
    for version in foreign:
        version.manifest = {**version.manifest, "language": "java"}
        version.save(update_fields=("manifest",))
    usual = {make_version().pk, make_version().pk}
    seat_all()

    step()

    assert {version for seating in _seatings() for version in seating} == usual


def test_retired_version_with_a_match_to_come_does_not_block_the_ladder() -> None:
    open_ladder(slots=1)
    ours = make_version()
    make_version()
    seat_all()
    step()
    ours.state = VersionState.RETIRED
    ours.save(update_fields=("state",))
    make_version()
    seat_all()

    step()

    waiting = Match.objects.filter(kind=MatchKind.LADDER, state=MatchState.PENDING)
    assert waiting.exists()
    assert not waiting.of_version(ours.pk).exists()


def test_new_versions_go_first() -> None:
    open_ladder(slots=4)
    old = [make_version() for _ in range(6)]
    seat_all()
    for _ in range(8):
        step()
        play_waiting()
    newcomer = make_version()
    seat_all()

    step()

    waiting = Match.objects.filter(kind=MatchKind.LADDER, state=MatchState.PENDING)
    first = waiting.order_by("pk").first()
    assert first is not None
    assert newcomer.pk in first.seats.values_list("version", flat=True)
    assert waiting.of_version(newcomer.pk).count() >= 4
    assert len(old) == 6


@pytest.mark.deep
def test_nobody_plays_one_opponent_too_often() -> None:
    open_ladder(slots=4)
    for _ in range(5):
        make_version()
    seat_all()
    for _ in range(10):
        step()
        play_waiting()

    lines = [
        entry.ladder_line.met
        for entry in division_of(open_ladder(slots=0)).tournament.entries.all()
    ]
    for met in lines:
        assert max(met.values()) <= 0.4 * sum(met.values()) + 1


def test_crash_in_the_middle_of_a_batch_leaves_nothing_and_changes_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    ladder = open_ladder()
    for _ in range(4):
        make_version()
    seat_all()
    make_due()
    store = batches._count_meetings

    def die(*args: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(batches, "_count_meetings", die)
        with pytest.raises(KeyboardInterrupt):
            batches.make_batches(for_s=60)
    assert store is batches._count_meetings
    assert not Match.objects.filter(kind=MatchKind.LADDER).exists()
    assert not Batch.objects.exists()

    assert step() > 0
    assert list(schedule_differences(division_of(ladder).tournament)) == []


def test_every_batch_can_be_made_again() -> None:
    ladder = open_ladder(slots=3)
    for _ in range(5):
        make_version()
    seat_all()
    for turn in range(7):
        step()
        play_waiting()
        if turn == 3:
            make_version()
            seat_all()

    division = division_of(ladder)
    assert division.batches >= 7
    call_command("verify_schedules")

    place = TournamentMatch.objects.filter(tournament=division.tournament, index=3).get()
    Match.objects.filter(pk=place.match_id).update(seed=1)
    found = list(schedule_differences(division.tournament))
    assert [each[:8] for each in found] == ["match 3 "]


def test_batch_that_was_changed_afterwards_is_found() -> None:
    ladder = open_ladder(slots=3)
    for _ in range(4):
        make_version()
    seat_all()
    for _ in range(3):
        step()
        play_waiting()
    tournament = division_of(ladder).tournament
    batch = tournament.batches.get(number=2)
    assert batch.input is not None
    number, told = next(iter(batch.input["told"].items()))
    batch.input["told"][number] = [told[0], told[1] + 5, *told[2:]]
    batch.save(update_fields=("input",))

    found = list(schedule_differences(tournament))

    assert found[0].endswith("its digest differs from that of its note")


def test_match_without_its_row_is_found() -> None:
    ladder = open_ladder()
    make_version()
    make_version()
    seat_all()
    step()
    tournament = division_of(ladder).tournament
    TournamentMatch.objects.filter(tournament=tournament, index=1).delete()

    assert list(schedule_differences(tournament)) == ["match 1 is missing"]


def test_seeds_follow_from_the_key_alone_whoever_joins() -> None:
    ladder = open_ladder()
    before = event_key(division_of(ladder).tournament)
    make_version()
    make_version()
    seat_all()
    step()

    key = event_key(division_of(ladder).tournament)
    seeds = (
        Match.objects.filter(kind=MatchKind.LADDER).order_by("pk").values_list("seed", flat=True)
    )
    assert key == before
    assert list(seeds[:2]) == [block_seed(key, 1)] * 2


def test_ladder_is_no_tournament_that_closes_when_nothing_waits() -> None:
    open_ladder()

    assert close_finished() == []


def _settle_ladder(slots: int) -> Ladder:
    ladder = open_ladder(slots=slots)
    make_version()
    make_version()
    seat_all()
    step()
    play_waiting()
    Rating.objects.update(sigma=1.0, matches=200)
    make_due()
    batches.make_batches(for_s=60)
    play_waiting()
    assert division_of(ladder).is_settled
    return ladder


def test_settled_ladder_plays_up_to_its_limit_an_hour(settings: Settings) -> None:
    settings.LADDER_MATCHES_AN_HOUR = 12
    _settle_ladder(slots=4)
    done = Match.objects.filter(kind=MatchKind.LADDER).count()

    for _ in range(5):
        batches.make_batches(for_s=60)

    assert Match.objects.filter(kind=MatchKind.LADDER).count() == done


def test_settled_ladder_without_a_limit_never_leaves_slots_idle(settings: Settings) -> None:
    settings.LADDER_MATCHES_AN_HOUR = None
    _settle_ladder(slots=4)

    for _ in range(5):
        assert batches.make_batches(for_s=60) > 0
        play_waiting()


def test_settled_ladder_leaves_slots_to_one_that_is_uncertain(settings: Settings) -> None:
    settings.LADDER_MATCHES_AN_HOUR = None
    settled = _settle_ladder(slots=1)
    for _ in range(8):
        make_version(games=["azure"])
    uncertain = open_ladder("azure", slots=0)
    seat_all()
    before = division_of(settled).blocks

    batches.make_batches(for_s=60)

    assert division_of(uncertain).blocks > 0
    assert division_of(settled).blocks == before


def test_step_costs_the_same_number_of_queries_whatever_was_played(
    django_assert_max_num_queries: DjangoAssertNumQueries,
) -> None:
    open_ladder(slots=1)
    for _ in range(4):
        make_version()
    seat_all()
    for _ in range(10):
        step()
        play_waiting()
    rows = LedgerRow.objects.count()
    make_due()

    with django_assert_max_num_queries(45):
        batches.make_batches(for_s=60)

    assert rows > 40
