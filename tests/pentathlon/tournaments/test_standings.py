from collections.abc import Sequence
from datetime import timedelta

import pytest
from django.db.models import F
from pytest_django import DjangoAssertNumQueries

from pentathlon.bots.models import BotVersion
from pentathlon.matches.endings import note_endings
from pentathlon.matches.models import Match, MatchSeat, MatchState
from pentathlon.ratings.models import LedgerReason, LedgerRow, LedgerState, Pool, live_key
from pentathlon.ratings.services import apply_results, open_pool
from pentathlon.ratings.skill import Skill
from pentathlon.ratings.verification import verify_pool
from pentathlon.tournaments.estimates.progress import progress
from pentathlon.tournaments.models import FinalRow, Tournament
from pentathlon.tournaments.results.final_table import final_rows
from pentathlon.tournaments.results.standings import crosstable, seat_rates, standings
from pentathlon.tournaments.services import close_finished, pause_tournament
from tests.factories import SECRET, make_match, make_tournament, make_version, make_worker
from tests.pentathlon.tournaments.acting import matches_of, settle, started

pytestmark = pytest.mark.django_db


def _live_pool() -> Pool:
    return Pool.objects.get(key=live_key("tuned"))


def _closed(*, versions: Sequence[BotVersion] = (), backwards: bool = False) -> Tournament:
    tournament = started(versions=versions, rated=False, secret=SECRET, draw_probability=0.05)
    matches = matches_of(tournament)
    settle(matches[::-1] if backwards else matches)
    close_finished()
    return tournament


class TestStandings:
    def test_before_the_first_result_all_are_level(self) -> None:
        rows = standings(started(bots=3))

        assert [row.group for row in rows] == [1, 1, 1]
        assert [row.chance_of_best for row in rows] == pytest.approx([1 / 3] * 3)
        assert all(row.is_provisional for row in rows)
        assert [row.points for row in rows] == [0, 0, 0]

    def test_table_follows_the_results(self) -> None:
        tournament = started(bots=4)
        settle(matches_of(tournament))

        rows = standings(tournament)

        assert [row.version.pk for row in rows] == sorted(row.version.pk for row in rows)
        assert [row.points for row in rows] == [6, 4, 2, 0]
        assert [(row.wins, row.losses) for row in rows] == [
            (6, 0),
            (4, 2),
            (2, 4),
            (0, 6),
        ]
        assert [row.place for row in rows] == [1, 2, 3, 4]
        assert rows[0].interval[0] < rows[0].rating.mu < rows[0].interval[1]

    def test_draw_is_half_a_point(self) -> None:
        tournament = started(bots=2)
        settle(matches_of(tournament), lambda _seat, _other: 0)

        rows = standings(tournament)

        assert [row.points for row in rows] == [1, 1]
        assert [(row.wins, row.draws) for row in rows] == [(0, 2), (0, 2)]

    def test_faults_are_counted(self) -> None:
        tournament = started(bots=2)
        MatchSeat.objects.filter(seat=1).update(fault_kind="cpu_time")
        settle(matches_of(tournament))

        assert [row.faults for row in standings(tournament)] == [1, 1]

    def test_all_lose_where_all_failed(self) -> None:
        tournament = started(bots=2)
        MatchSeat.objects.update(fault_kind="startup")
        settle(matches_of(tournament), lambda _seat, _other: 1)

        rows = standings(tournament)

        assert [row.points for row in rows] == [0, 0]
        assert [(row.draws, row.losses) for row in rows] == [(0, 2), (0, 2)]
        assert [row.rating for row in rows] == [Skill(), Skill()]
        cells = [cell for row in crosstable(tournament) for cell in row.cells if cell]
        assert [(cell.draws, cell.losses, cell.points) for cell in cells] == [(0, 2, 0)] * 2
        assert seat_rates(tournament) == []

    def test_two_that_failed_at_a_larger_table_give_each_other_nothing(self) -> None:
        versions = [make_version() for _ in range(3)]
        tournament = make_tournament(versions=versions, table_seats=3)
        match = make_match(
            versions, state=MatchState.DONE, ranks=(0, 1, 1), faults={1: "crash", 2: "startup"}
        )
        tournament.tournament_matches.create(match=match, round=1, block=1, index=1)

        rows = {row.version: row for row in standings(tournament)}

        assert [rows[version].points for version in versions] == [1, 0, 0]

    def test_larger_tables_share_a_point_among_the_opponents(self) -> None:
        versions = [make_version() for _ in range(3)]
        tournament = make_tournament(versions=versions, table_seats=3)
        match = make_match(versions, state=MatchState.DONE, ranks=(0, 1, 1))
        tournament.tournament_matches.create(match=match, round=1, block=1, index=1)

        rows = {row.version: row for row in standings(tournament)}

        assert [rows[version].points for version in versions] == [1, 0.25, 0.25]
        assert [rows[version].wins for version in versions] == [1, 0, 0]
        assert [rows[version].losses for version in versions] == [0, 1, 1]

    def test_queries_do_not_grow_with_bots(
        self, django_assert_num_queries: DjangoAssertNumQueries
    ) -> None:
        for bots in (2, 5):
            tournament = started(bots=bots)
            settle(matches_of(tournament))
            with django_assert_num_queries(7):
                assert all(row.version.bot.owner.username for row in standings(tournament))
            close_finished()
            tournament.refresh_from_db()
            with django_assert_num_queries(7):
                assert len(crosstable(tournament)) == bots


class TestFinalTable:
    def test_closed_table_is_the_stored_one(self) -> None:
        tournament = _closed()

        rows = standings(tournament)

        stored = FinalRow.objects.order_by("place")
        assert [row.rating.mu for row in rows] == [row.mu for row in stored]
        assert [row.fold.mu for row in rows if row.fold] == [row.fold_mu for row in stored]
        assert [row.points for row in rows] == [6, 4, 2, 0]

    def test_strengths_are_differences_to_the_mean(self) -> None:
        rows = standings(_closed())

        assert sum(row.bar.strength for row in rows) / 4 == pytest.approx(25)
        assert all(row.bar.low < row.bar.strength < row.bar.high for row in rows)

    def test_rank_intervals_hold_the_places(self) -> None:
        rows = standings(_closed())

        ranks = [row.rank_interval for row in rows if row.rank_interval]
        assert [rank.best <= place <= rank.worst for place, rank in enumerate(ranks, start=1)] == [
            True
        ] * 4
        assert sum(row.chance_of_best for row in rows) == pytest.approx(1)

    def test_exact_repeats_make_no_table_surer(self) -> None:
        """The second cycle plays the same matches again."""
        versions = [make_version() for _ in range(3)]
        tables = []
        for cycles, courses in ((1, True), (2, True), (2, False)):
            tournament = started(
                versions=versions, rated=False, cycles=cycles, secret=SECRET, draw_probability=0.05
            )
            settle(matches_of(tournament))
            if courses:
                Match.objects.update(course="c" * 32)
            close_finished()
            tables.append([row.bar for row in standings(tournament)])

        once, repeated, unknown = tables
        assert repeated == once
        assert unknown[0].reach < once[0].reach

    def test_order_in_which_matches_ended_does_not_matter(self) -> None:
        versions = [make_version() for _ in range(4)]

        tables = [_closed(versions=versions, backwards=backwards) for backwards in (False, True)]

        numbers = [
            [
                (row.rating, row.fold, row.group, row.chance_of_best)
                for row in standings(tournament)
            ]
            for tournament in tables
        ]

        assert numbers[0] == numbers[1]

    def test_larger_tables_have_no_fold(self) -> None:
        versions = [make_version() for _ in range(3)]
        pool = open_pool(key="tournament:1", game="tuned", title="x", draw_probability=0.1)
        tournament = make_tournament(versions=versions, table_seats=3, pool=pool)
        match = make_match(versions, state=MatchState.DONE, ranks=(0, 1, 2))
        tournament.tournament_matches.create(match=match, round=1, block=1, index=1)

        rows = final_rows(tournament)

        assert [row.entry.version for row in rows] == versions
        assert {row.fold_mu for row in rows} == {None}

    def test_table_can_be_computed_again_bit_for_bit(self) -> None:
        tournament = _closed()

        again = final_rows(tournament)

        stored = FinalRow.objects.order_by("place")
        assert [_numbers(row) for row in again] == [_numbers(row) for row in stored]

    def test_matches_without_a_sandbox_count_in_the_table_and_on_no_leaderboard(self) -> None:
        tournament = started(bots=2)
        settle(matches_of(tournament), sandbox="process")

        live = standings(tournament)
        close_finished()
        final = standings(Tournament.objects.get(pk=tournament.pk))

        for table in (live, final):
            assert [row.points for row in table] == [2, 0]
            assert table[0].rating.mu > 25 > table[1].rating.mu
        assert {row.state for row in _live_pool().rows.all()} == {LedgerState.SKIPPED}
        assert not _live_pool().ratings.exists()
        assert verify_pool(pool_id=final[0].entry.tournament.pool_id or 0) == []

    def test_table_stays_that_was_closed_before_such_matches_counted(self) -> None:
        tournament = started(bots=2)
        settle(matches_of(tournament), sandbox="process")
        rows = LedgerRow.objects.filter(pool=tournament.pool)
        rows.update(state=LedgerState.SKIPPED, reason=LedgerReason.NO_SANDBOX, seq=None)

        assert {row.mu for row in final_rows(tournament)} == {25.0}
        assert not [
            found
            for found in verify_pool(pool_id=tournament.pool_id or 0)
            if found.place.startswith(("match", "ledger row"))
        ]


class TestCrosstable:
    def test_cells_mirror_each_other(self) -> None:
        tournament = started(bots=3)
        settle(matches_of(tournament)[:5])

        rows = crosstable(tournament)

        for row, line in enumerate(rows):
            for column, cell in enumerate(line.cells):
                if cell is None:
                    assert row == column
                    continue
                mirror = rows[column].cells[row]
                assert mirror is not None
                assert (cell.wins, cell.losses) == (mirror.losses, mirror.wins)

    def test_rows_add_up_to_the_points(self) -> None:
        tournament = started(bots=4)
        settle(matches_of(tournament))

        for line in crosstable(tournament):
            assert sum(cell.points for cell in line.cells if cell) == line.standing.points

    def test_pair_that_has_not_met_shows_no_share(self) -> None:
        line = crosstable(started(bots=2))[0]

        cell = line.cells[1]
        assert cell is not None
        assert cell.share is None


def test_seat_rates_show_an_advantage() -> None:
    tournament = started(bots=4)
    settle(matches_of(tournament), lambda seat, _other: seat.seat)

    first, second = seat_rates(tournament)

    assert (first.seat, first.score.share) == (0, 1)
    assert (second.seat, second.score.share) == (1, 0)


class TestProgress:
    def test_every_match_is_counted_once(self) -> None:
        tournament = started(bots=3)
        settle(matches_of(tournament)[:3])
        gone = Match.objects.filter(place__index=6)
        gone.update(state=MatchState.VOID)
        note_endings(gone.values_list("pk", flat=True))
        apply_results()

        now = progress(tournament)

        assert (now.total, now.done, now.running, now.waiting, now.void) == (6, 3, 0, 2, 1)
        assert now.share == pytest.approx(4 / 6)

    def test_end_is_told_as_soon_as_one_match_has_ended(self) -> None:
        tournament = started(bots=5)
        make_worker()
        assert progress(tournament).remaining_s is None

        settle(matches_of(tournament)[:1])
        first = Match.objects.filter(finished_at__isnull=False)
        first.update(started_at=F("finished_at") - timedelta(seconds=3))

        told = progress(tournament).remaining_s
        assert told is not None
        assert told > 3

    def test_paused_tournament_has_no_end_in_sight(self) -> None:
        tournament = started(bots=5)
        settle(matches_of(tournament))
        assert progress(tournament).remaining_s == 0

        paused = pause_tournament(actor=tournament.owner, tournament=tournament)

        assert progress(paused).remaining_s is None

    def test_tournament_that_has_not_started_has_no_progress(self) -> None:
        assert progress(make_tournament()).share == 0


def test_list_carries_its_numbers(django_assert_num_queries: DjangoAssertNumQueries) -> None:
    tournament = started(bots=3)
    settle(matches_of(tournament)[:2])
    make_tournament()

    with django_assert_num_queries(1):
        latest = list(Tournament.objects.listed())

    assert [(row.bots, row.matches, row.matches_done) for row in latest] == [(0, 0, 0), (3, 6, 2)]


def test_schedule_needs_as_many_queries_for_any_number_of_matches(
    django_assert_num_queries: DjangoAssertNumQueries,
) -> None:
    for bots in (2, 4):
        tournament = started(bots=bots)
        with django_assert_num_queries(2):
            places = list(tournament.tournament_matches.in_order())
            names = [[seat.version.label for seat in place.match.seats.all()] for place in places]
        assert [place.index for place in places] == list(range(1, len(names) + 1))


def _numbers(row: FinalRow) -> tuple[object, ...]:
    return (
        row.entry_id,
        row.place,
        row.group,
        row.mu,
        row.sigma,
        row.rank_low,
        row.rank_high,
        row.fold_mu,
        row.fold_sigma,
        row.chance_of_best,
    )
