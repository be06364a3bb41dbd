"""Bots that have left and come back in another version: what is played, what stays forfeited."""

from __future__ import annotations

from typing import Any

import pytest

from pentathlon.accounts.models import User
from pentathlon.core.errors import Conflict
from pentathlon.matches.models import Match
from pentathlon.tournaments.batches import BlockOrder
from pentathlon.tournaments.corrections.orders import Order, give_order, rerun_match
from pentathlon.tournaments.entries import replacement_blocks
from pentathlon.tournaments.entries.withdrawals import (
    disqualify_entry,
    settle_entries,
    withdraw_entry,
)
from pentathlon.tournaments.models import EntryState
from pentathlon.tournaments.scheduling import schedules
from pentathlon.tournaments.scheduling.blocks import settle_blocks
from pentathlon.tournaments.scheduling.schedules import make_schedules
from pentathlon.tournaments.scheduling.secrecy import proof
from pentathlon.tournaments.scheduling.verification import schedule_differences
from pentathlon_engines.tournament.formats.interface import FieldEntry, PlayedBlock
from pentathlon_engines.tournament.formats.swiss import BYE_POINTS, round_scores
from tests.factories import make_version
from tests.pentathlon.tournaments.acting import matches_of
from tests.pentathlon.tournaments.replacing import (
    assert_first_bot_is_best,
    begin,
    blocks_of,
    format_of,
    is_right,
    play,
    play_the_rest,
    play_to_the_end,
    replace_version,
    row_of,
    some_formats,
    start_cup,
    step,
    stop,
)

pytestmark = pytest.mark.django_db


class TestBlocks:
    def test_newcomer_plays_what_became_void(self, organiser: User) -> None:
        cup, new = start_cup(organiser)
        old = stop(cup, new)
        mine = blocks_of(cup, old)
        before = (cup.entries.get(number=1).state, row_of(cup, old).place)

        replaced = replace_version(cup, new)

        assert before == (EntryState.WITHDRAWN, None)
        assert (blocks_of(cup, old), blocks_of(cup, new)) == ([], mine)
        assert replaced.left.startswith("withdrawn: Stopped after 5 faults")
        assert set(cup.blocks.values_list("state", flat=True)) == {"open"}
        play_to_the_end(cup)
        assert is_right(cup)
        assert row_of(cup, new).matches == 6
        entry = cup.entries.get(number=1)
        assert (entry.state, entry.reason, entry.left_at) == (EntryState.ACTIVE, "", None)

    def test_results_of_the_stopped_version_stay(self, organiser: User) -> None:
        cup, new = start_cup(organiser)
        old = cup.entries.get(number=1).version
        mine = blocks_of(cup, old)
        play([each for each in matches_of(cup) if each.place.block <= mine[0]])
        step()
        stop(cup, new)

        replaced = replace_version(cup, new)
        play_to_the_end(cup)

        assert (blocks_of(cup, old), blocks_of(cup, new)) == (mine[:1], mine[1:])
        assert replaced.first_block == mine[1]
        assert is_right(cup)
        assert [share.matches for share in row_of(cup, new).shares] == [2, 4]

    @pytest.mark.parametrize("is_settled", [False, True])
    def test_block_that_had_begun_is_cut_short(self, organiser: User, is_settled: bool) -> None:
        cup, new = start_cup(organiser)
        old = cup.entries.get(number=1).version
        mine = blocks_of(cup, old)
        legs = [each for each in matches_of(cup) if each.place.block == mine[1]]
        play(legs[:1])
        withdraw_entry(actor=old.bot.owner, tournament=cup, version_id=old.pk)
        if is_settled:
            step()

        replaced = replace_version(cup, new)
        step()

        assert replaced.kept == [mine[1]]
        assert cup.blocks.get(number=mine[1]).state == "partial"
        assert [Match.objects.get(pk=leg.pk).state for leg in legs] == ["done", "void"]
        play_to_the_end(cup)
        assert is_right(cup)
        theirs = Match.objects.filter(place__tournament=cup).of_version(new.pk)
        assert legs[0].seed not in theirs.values_list("seed", flat=True)

    def test_begun_match_is_not_played_again(self, organiser: User) -> None:
        cup, new = start_cup(organiser)
        old = cup.entries.get(number=1).version
        first = next(
            each for each in matches_of(cup) if each.place.block == blocks_of(cup, old)[0]
        )
        begin([first])
        withdraw_entry(actor=organiser, tournament=cup, version_id=old.pk)
        step()
        replace_version(cup, new)

        with pytest.raises(Conflict) as caught:
            rerun_match(actor=organiser, match=first, reason="It was mended.")

        assert caught.value.code == "not_in_play"

    def test_what_the_organiser_made_void_stays_void(self, organiser: User) -> None:
        cup, new = start_cup(organiser)
        mine = blocks_of(cup, cup.entries.get(number=1).version)
        order = Order(kind=BlockOrder.VOID, reason="The host swapped.", block=mine[0])
        give_order(actor=organiser, tournament=cup, order=order)
        stop(cup, new)

        replace_version(cup, new)

        assert cup.blocks.get(number=mine[0]).state == "void"
        play_to_the_end(cup)
        assert is_right(cup)

    def test_blocks_with_another_who_left_wait_for_both(self, organiser: User) -> None:
        cup, new = start_cup(organiser)
        old = cup.entries.get(number=1).version
        other = cup.entries.get(number=2).version
        (both,) = set(blocks_of(cup, old)) & set(blocks_of(cup, other))
        stop(cup, new)
        withdraw_entry(actor=organiser, tournament=cup, version_id=other.pk)
        step()

        replace_version(cup, new)
        step()
        alone = cup.blocks.get(number=both).state
        replace_version(cup, make_version(bot=other.bot))
        step()

        assert (alone, cup.blocks.get(number=both).state) == ("partial", "open")
        play_to_the_end(cup)
        assert is_right(cup)
        assert row_of(cup, new).matches == 6

    def test_it_may_leave_and_come_again(self, organiser: User) -> None:
        cup, new = start_cup(organiser)
        newest = make_version(bot=new.bot)
        old = stop(cup, new)
        replace_version(cup, new)
        withdraw_entry(actor=organiser, tournament=cup, version_id=new.pk)
        step()

        replace_version(cup, newest)
        play_to_the_end(cup)

        assert blocks_of(cup, old) == blocks_of(cup, new) == []
        assert is_right(cup)

    def test_blocks_that_were_left_out_are_made(
        self, organiser: User, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(schedules, "ROWS_AT_ONCE", 14)
        cup, new = start_cup(organiser, bots=6, rated=False)
        schedules.extend_schedule(tournament_id=cup.pk)
        old = stop(cup, new)
        for _ in range(4):
            schedules.extend_schedule(tournament_id=cup.pk)
        few = len(blocks_of(cup, old))

        replace_version(cup, new)
        while make_schedules():
            pass

        assert few < 5
        assert len(blocks_of(cup, new)) == 5
        play_to_the_end(cup)
        assert is_right(cup)
        assert row_of(cup, new).matches == 10

    def test_long_return_goes_on_in_the_reconciler(
        self, organiser: User, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(replacement_blocks, "MATCHES_AT_ONCE", 4)
        cup, new = start_cup(organiser, cycles=3)
        old = stop(cup, new)
        mine = blocks_of(cup, old)

        replaced = replace_version(cup, new)
        first = (replaced.is_settled, blocks_of(cup, new))
        play_the_rest(cup)
        play_to_the_end(cup)

        assert first == (False, mine[:2])
        assert blocks_of(cup, new) == mine
        assert is_right(cup)


@pytest.mark.parametrize("asked", some_formats("knockout", "finals"), ids=format_of)
def test_every_format_goes_on(organiser: User, asked: dict[str, Any]) -> None:
    cup, new = start_cup(organiser, rated=False, **asked)
    while make_schedules():
        pass
    old = stop(cup, new)

    replace_version(cup, new)
    play_to_the_end(cup)

    assert is_right(cup)
    assert blocks_of(cup, old) == []
    assert row_of(cup, new).matches > 0
    assert_first_bot_is_best(cup)


def test_swiss_gives_no_points_for_rounds_that_were_missed(organiser: User) -> None:
    cup, new = start_cup(organiser, format="swiss", bots=6, params={"rounds": 4}, rated=False)
    stop(cup, new)
    for _ in range(2):
        play([each for each in matches_of(cup) if each.state == "pending"])
        while settle_entries() or settle_blocks() or make_schedules():
            pass

    replace_version(cup, new)
    play_to_the_end(cup)

    assert is_right(cup)
    assert 0 < row_of(cup, new).matches <= 4


def test_missed_round_is_no_bye() -> None:
    field = [FieldEntry(number=number, author=str(number)) for number in range(3)]
    block = PlayedBlock(1, ((0, 1), (1, 0)), ((0, 1), (1, 0)))

    missed = round_scores(field, [block._replace(left=(2,))])

    assert (round_scores(field, [block])[2], missed[2]) == (BYE_POINTS, 0)


class TestKnockout:
    def test_bot_whose_opponent_has_gone_on_stays_out(self, organiser: User) -> None:
        cup, new = start_cup(
            organiser, format="knockout", bots=4, rated=False, params={"third_place": False}
        )
        stop(cup, new)
        for _ in range(2):
            play([each for each in matches_of(cup) if each.state == "pending"])
            while settle_entries() or settle_blocks() or make_schedules():
                pass

        with pytest.raises(Conflict) as caught:
            replace_version(cup, new)

        assert caught.value.code == "out_of_bracket"
        assert cup.entries.get(number=1).state == EntryState.WITHDRAWN

    def test_bot_that_lost_its_semi_final_plays_for_the_third_place(self, organiser: User) -> None:
        cup, new = start_cup(organiser, format="knockout", bots=4, rated=False)
        stop(cup, new)
        play([each for each in matches_of(cup) if each.state == "pending"])
        while settle_entries() or settle_blocks() or make_schedules():
            pass

        replace_version(cup, new)
        play_to_the_end(cup)

        assert is_right(cup)
        assert row_of(cup, new).place == 3

    def test_bot_whose_duel_is_open_goes_on(self, organiser: User) -> None:
        cup, new = start_cup(organiser, format="knockout", bots=8, rated=False)
        old = cup.entries.get(number=1).version
        mine = blocks_of(cup, old)
        meets_the_best = mine == blocks_of(cup, cup.entries.get(number=0).version)
        stop(cup, new)

        replace_version(cup, new)

        assert blocks_of(cup, new) == mine
        play_to_the_end(cup)
        assert is_right(cup)
        # The second oldest bot wins its first duel, unless the draw pairs it with the oldest.
        assert ((row_of(cup, new).place or 9) <= 4) != meets_the_best


class TestRefusals:
    def test_disqualification_stands(self, organiser: User) -> None:
        cup, new = start_cup(organiser)
        old = cup.entries.get(number=1).version
        disqualify_entry(actor=organiser, tournament=cup, version_id=old.pk, reason="It cheats.")

        with pytest.raises(Conflict) as caught:
            replace_version(cup, new)

        assert caught.value.code == "disqualified"

    def test_version_that_left_does_not_come_back(self, organiser: User) -> None:
        cup, new = start_cup(organiser)
        old = cup.entries.get(number=1).version
        withdraw_entry(actor=organiser, tournament=cup, version_id=old.pk)
        replace_version(cup, new)

        with pytest.raises(Conflict) as caught:
            replace_version(cup, old)

        assert caught.value.code == "already_entered"


def test_proof_says_that_it_had_left(organiser: User) -> None:
    cup, new = start_cup(organiser)
    stop(cup, new)
    replace_version(cup, new)

    (told,) = proof(cup)["replacements"]
    cup.replacements.update(left="withdrawn: Nothing.")

    assert told["left"].startswith("withdrawn: Stopped")
    assert list(schedule_differences(cup)) == [
        "the digest of replacement 1 does not follow from what is stated"
    ]
