"""What is told of a tournament in which a version was replaced: tables, proof, refusals."""

from __future__ import annotations

from copy import deepcopy
from io import StringIO
from typing import Any

import pytest
from django.core.management import call_command

from pentathlon.accounts.models import User
from pentathlon.bots.models import BotVersion, VersionState
from pentathlon.core.errors import Conflict, InvalidInput, NotAllowed, Problems
from pentathlon.matches.models import Match, MatchSeat
from pentathlon.ratings.models import Rating
from pentathlon.tournaments.entries import replacement_blocks
from pentathlon.tournaments.entries.replacements import replace_entry
from pentathlon.tournaments.models import Tournament
from pentathlon.tournaments.results.standings import crosstable, standings
from pentathlon.tournaments.scheduling.schedules import make_schedules
from pentathlon.tournaments.scheduling.secrecy import proof
from pentathlon.tournaments.scheduling.verification import schedule_differences
from pentathlon.tournaments.services import start_tournament
from pentathlon_engines.tournament.proof import check_proof
from tests.databases import made_once
from tests.factories import make_user, make_version
from tests.pentathlon.tournaments.acting import matches_of, open_cup
from tests.pentathlon.tournaments.replacing import (
    assert_first_bot_is_best,
    blocks_of,
    format_of,
    is_right,
    play,
    play_to_the_end,
    replace_version,
    row_of,
    some_formats,
    start_cup,
)

pytestmark = pytest.mark.django_db


class TestFormats:
    @pytest.mark.parametrize("asked", some_formats("swiss", "tables"), ids=format_of)
    def test_place_goes_on_to_the_end(self, organiser: User, asked: dict[str, Any]) -> None:
        cup, new = start_cup(organiser, rated=False, **asked)
        while make_schedules():
            pass
        old = cup.entries.get(number=1).version
        play([each for each in matches_of(cup) if each.place.block == 1])

        replaced = replace_version(cup, new)
        play_to_the_end(cup)

        assert is_right(cup)
        row = row_of(cup, new)
        assert row.points == sum(share.points for share in row.shares)
        assert row.matches == sum(share.matches for share in row.shares)
        assert max(blocks_of(cup, old), default=0) < replaced.first_block
        assert min(blocks_of(cup, new)) >= replaced.first_block
        assert_first_bot_is_best(cup)

    def test_compared_versions_of_an_ab_test_stay(self, organiser: User) -> None:
        cup, new = start_cup(organiser, format="ab_test", bots=2, rated=False)

        with pytest.raises(Conflict) as caught:
            replace_version(cup, new)

        assert caught.value.code == "compared_version"

    def test_company_of_an_ab_test_may_be_replaced(self, organiser: User) -> None:
        cup, _ = start_cup(
            organiser, format="ab_test", table_seats=3, game="way_of_the_dragon", rated=False
        )

        replace_version(
            cup, make_version(bot=cup.entries.get(number=3).version.bot, games=[cup.game])
        )

        assert list(schedule_differences(cup)) == []


class TestTables:
    def test_old_and_new_points_add_up_in_one_line(self, organiser: User) -> None:
        cup, new = start_cup(organiser)
        old = cup.entries.get(number=1).version
        play(matches_of(cup)[:6])
        before = row_of(cup, old)

        replace_version(cup, new)
        same = row_of(cup, new)
        play_to_the_end(cup)

        assert (same.points, same.matches, same.rating) == (
            before.points,
            before.matches,
            before.rating,
        )
        row = row_of(cup, new)
        assert (row.points, row.matches) == (4.0, 6)
        assert [share.version for share in row.shares] == [old, new]
        assert len(standings(cup)) == 4
        cells = {each.standing.version.pk: each.cells for each in crosstable(cup)}
        assert sum(cell.meetings for cell in cells[new.pk] if cell is not None) == 6

    def test_rating_of_the_place_is_that_of_all_its_results(self, organiser: User) -> None:
        cup, new = start_cup(organiser)
        twin, _ = start_cup(organiser)
        # Ratings depend on the order of results, and each tournament draws its own.
        for half in (slice(6), slice(6, None)):
            for tournament in (cup, twin):
                for match in _by_entries(tournament)[half]:
                    play(list(Match.objects.filter(pk=match.pk)))
            if not cup.replacements.exists():
                replace_version(cup, new)

        mine = row_of(cup, new).rating
        whole = row_of(twin, twin.entries.get(number=1).version).rating

        assert mine.mu == pytest.approx(whole.mu, abs=0.5)
        assert mine.sigma == pytest.approx(whole.sigma, rel=0.15)
        theirs = Rating.objects.filter(pool=cup.pool, version__bot=new.bot)
        assert mine.sigma < min(rating.sigma for rating in theirs), "more results, less doubt"

    def test_final_fit_is_that_of_one_player(self, organiser: User) -> None:
        cup, new = start_cup(organiser)
        twin, _ = start_cup(organiser)
        play(matches_of(cup)[:6])
        replace_version(cup, new)
        play_to_the_end(cup)
        play_to_the_end(twin)

        strengths = [
            {row.entry.number: (row.rating.mu, row.place) for row in standings(each)}
            for each in (cup, twin)
        ]

        assert strengths[0] == strengths[1]


class TestWho:
    def test_author_asks_the_organiser_after_the_start(self, organiser: User) -> None:
        cup, new = start_cup(organiser)

        with pytest.raises(NotAllowed) as caught:
            replace_version(cup, new, actor=new.bot.owner)

        assert caught.value.code == "not_your_tournament"

    def test_stranger_may_not(self, organiser: User) -> None:
        cup, new = start_cup(organiser)

        with pytest.raises(NotAllowed):
            replace_version(cup, new, actor=make_user())

    def test_all_that_is_wrong_is_named_at_once(self, organiser: User) -> None:
        cup, new = start_cup(organiser)
        other = make_version(owner=new.bot.owner)

        with pytest.raises(Problems) as caught:
            replace_version(cup, new, by=other.pk, reason=" ")

        assert [error.code for error in caught.value.errors] == ["required", "other_bot"]

    @pytest.mark.parametrize(
        ("state", "code"),
        [(VersionState.RETIRED, "ineligible_bots"), (VersionState.REJECTED, "ineligible_bots")],
    )
    def test_version_that_may_not_play_is_refused(
        self, organiser: User, state: VersionState, code: str
    ) -> None:
        cup, new = start_cup(organiser)
        BotVersion.objects.filter(pk=new.pk).update(state=state)

        with pytest.raises(InvalidInput) as caught:
            replace_version(cup, new)

        assert (caught.value.code, caught.value.field) == (code, "by")

    def test_version_that_holds_another_place_is_refused(self, organiser: User) -> None:
        bot = make_version().bot
        first, second = make_version(bot=bot), make_version(bot=bot)
        cup = open_cup(organiser, versions=[first.pk, second.pk, make_version().pk])
        cup = start_tournament(actor=organiser, tournament=cup)

        with pytest.raises(Conflict) as caught:
            replace_entry(
                actor=organiser, tournament=cup, version_id=first.pk, by=second.pk, reason="Why."
            )

        assert caught.value.code == "already_entered"

    def test_closed_tournament_names_the_states_in_which_it_is_possible(
        self, organiser: User
    ) -> None:
        cup, new = start_cup(organiser)
        play_to_the_end(cup)

        with pytest.raises(Conflict) as caught:
            replace_version(cup, new)

        assert (caught.value.code, caught.value.allowed) == (
            "wrong_state",
            ["draft", "open", "running", "paused"],
        )


def _replaced() -> Tournament:
    cup, new = start_cup(make_user(organiser=True))
    play(matches_of(cup)[:6])
    replace_version(cup, new)
    return play_to_the_end(cup)


replaced_once = made_once(_replaced)


class TestTampering:
    @pytest.fixture
    def cup(self, replaced_once: Tournament) -> Tournament:
        return deepcopy(replaced_once)

    @pytest.mark.parametrize(
        "change",
        [{"reason": "Another one."}, {"first_block": 1}, {"kept": [6]}, {"digest": "0" * 64}],
        ids=str,
    )
    def test_changed_row_is_found(self, cup: Tournament, change: dict[str, Any]) -> None:
        cup.replacements.update(**change)

        failed = [check.name for check in check_proof(proof(cup)) if check.state == "failed"]

        assert failed == ["replacements"]
        assert any("replacement" in each for each in schedule_differences(cup))

    def test_seat_of_the_other_version_is_found(self, cup: Tournament) -> None:
        replaced = cup.replacements.get()
        seat = MatchSeat.objects.filter(
            match__place__tournament=cup, version=replaced.new
        ).order_by("match__place__index")[0]
        MatchSeat.objects.filter(pk=seat.pk).update(version=replaced.old)

        found = list(schedule_differences(cup))

        assert found == [
            f"block {seat.match.place.block} was played by another version of entry 1"
        ]

    def test_deleted_replacement_is_found(self, cup: Tournament) -> None:
        cup.replacements.all().delete()

        assert "[-1, " in "".join(schedule_differences(cup))


def _by_entries(tournament: Tournament) -> list[Match]:
    """Return its matches in an order that does not depend on its secret."""
    numbers = {
        version.pk: number
        for number, entry in enumerate(tournament.entries.order_by("number"))
        for version in entry.version.bot.versions.all()
    }

    def seated(match: Match) -> tuple[list[int], list[int]]:
        seating = [numbers[seat.version_id] for seat in match.seats.order_by("seat")]
        return sorted(seating), seating

    return sorted(matches_of(tournament), key=seated)


def test_pending_replacement_is_named(organiser: User, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(replacement_blocks, "MATCHES_AT_ONCE", 2)
    cup, new = start_cup(organiser, cycles=2)
    replace_version(cup, new)

    checks = {check.name: check for check in check_proof(proof(cup))}

    assert checks["replacements"].state == "ok"
    assert checks["replacements"].detail.endswith("being carried out")


def test_command_verifies_it(organiser: User) -> None:
    cup, new = start_cup(organiser)
    replace_version(cup, new)
    play_to_the_end(cup)
    told = StringIO()

    call_command("verify_schedules", stdout=told)

    assert f"{cup.pk}: 12 matches as drawn" in told.getvalue().splitlines()
