"""Versions that take the place of another one while a tournament runs: who plays which block."""

from __future__ import annotations

import pytest
from django.utils import timezone

from pentathlon.accounts.models import User
from pentathlon.bots.models import BotVersion, VersionState
from pentathlon.core.errors import Conflict
from pentathlon.matches.models import Match
from pentathlon.matches.services import claim_matches
from pentathlon.ratings.models import Rating
from pentathlon.tournaments.corrections.orders import rerun_match
from pentathlon.tournaments.entries import replacement_blocks
from pentathlon.tournaments.entries.withdrawals import (
    disqualify_entry,
    settle_entries,
    withdraw_entry,
)
from pentathlon.tournaments.models import EntryState, Tournament
from pentathlon.tournaments.scheduling.blocks import settle_blocks
from pentathlon.tournaments.scheduling.secrecy import proof
from pentathlon.tournaments.scheduling.verification import schedule_differences
from pentathlon.tournaments.services import close_finished, pause_tournament, start_tournament
from tests.factories import make_version
from tests.pentathlon.tournaments.acting import as_made, matches_of, open_cup
from tests.pentathlon.tournaments.replacing import (
    begin,
    blocks_of,
    is_right,
    play,
    play_the_rest,
    play_to_the_end,
    replace_version,
    row_of,
    start_cup,
)

pytestmark = pytest.mark.django_db


class TestBlocks:
    def test_finished_matches_stay_with_the_version_that_played_them(
        self, organiser: User
    ) -> None:
        cup, new = start_cup(organiser)
        old = cup.entries.get(number=1).version
        mine = blocks_of(cup, old)
        play([each for each in matches_of(cup) if each.place.block <= mine[0]])
        before = Rating.objects.get(pool=cup.pool, version=old).skill

        replaced = replace_version(cup, new)

        assert blocks_of(cup, old) == mine[:1]
        assert blocks_of(cup, new) == mine[1:]
        assert (replaced.first_block, replaced.kept) == (mine[1], [])
        assert Rating.objects.get(pool=cup.pool, version=old).skill == before
        assert row_of(cup, new).matches == 2

    def test_block_that_has_begun_is_finished_by_the_old_version(self, organiser: User) -> None:
        cup, new = start_cup(organiser)
        old = cup.entries.get(number=1).version
        mine = blocks_of(cup, old)
        running = [each for each in matches_of(cup) if each.place.block == mine[1]][:1]
        begin(running)

        replaced = replace_version(cup, new)

        assert blocks_of(cup, old) == [mine[1]]
        assert (replaced.first_block, replaced.kept) == (mine[0], [mine[1]])
        play_to_the_end(cup)
        assert is_right(cup)
        assert Match.objects.filter(place__tournament=cup, state="done").count() == 12

    def test_match_that_a_worker_gave_back_has_begun(self, organiser: User) -> None:
        cup, new = start_cup(organiser)
        first = matches_of(cup)[0]
        Match.objects.filter(pk=first.pk).update(attempts_made=1)
        bots = {seat.version.bot for seat in first.seats.all()}
        new = make_version(bot=min(bots, key=lambda bot: bot.pk))

        replaced = replace_version(cup, new)

        assert 1 not in blocks_of(cup, new)
        assert replaced.first_block > 1

    def test_claim_after_it_plays_the_new_version(self, organiser: User) -> None:
        cup, new = start_cup(organiser)
        Match.objects.update(sent_at=timezone.now())

        replace_version(cup, new)
        place = cup.tournament_matches.filter(match__seats__version=new).order_by("index")[0]
        (job,) = claim_matches(match_ids=[place.match_id], worker="host/1")

        assert new.pk in [seat.version_id for seat in job.seats]
        assert place.match.sent_at is None, "it is published anew, to who can run it"

    def test_begun_block_is_cut_short_if_the_old_version_may_not_play(
        self, organiser: User
    ) -> None:
        cup, new = start_cup(organiser)
        old = cup.entries.get(number=1).version
        mine = blocks_of(cup, old)
        legs = [each for each in matches_of(cup) if each.place.block == mine[0]]
        play(legs[:1])
        replaced = replace_version(cup, new)
        BotVersion.objects.filter(pk=old.pk).update(state=VersionState.RETIRED)

        settle_entries()
        while settle_blocks():
            pass

        assert cup.entries.get(number=1).state == EntryState.ACTIVE
        assert [Match.objects.get(pk=leg.pk).state for leg in legs] == ["done", "void"]
        assert cup.blocks.get(number=legs[0].place.block).state == "partial"
        assert settle_entries() == 0
        play_the_rest(cup)
        assert replaced.kept == []
        assert list(schedule_differences(cup)) == []

    def test_match_played_again_keeps_its_version(self, organiser: User) -> None:
        cup, new = start_cup(organiser)
        old = cup.entries.get(number=1).version
        done = next(each for each in matches_of(cup) if each.place.block == blocks_of(cup, old)[0])
        play([each for each in matches_of(cup) if each.place.block == done.place.block])
        while settle_blocks():
            pass
        replace_version(cup, new)

        again = rerun_match(actor=organiser, match=done, reason="The host swapped.")

        assert old.pk in again.seats.values_list("version", flat=True)
        play_to_the_end(cup)
        assert is_right(cup)

    def test_later_batches_are_played_by_the_new_version(self, organiser: User) -> None:
        cup, new = start_cup(organiser, format="swiss", bots=4, params={"rounds": 3})
        replaced = replace_version(cup, new)
        play_to_the_end(cup)

        assert replaced.first_block <= 2
        assert len(blocks_of(cup, new)) == 3


class TestSeeds:
    def test_schedule_is_the_same_whoever_comes(self, organiser: User) -> None:
        secret = "5a" * 32
        drawn = []
        for tries in (0, 1, 2):
            versions = [make_version(name=f"bot-{tries}-{place}") for place in range(4)]
            cup = open_cup(organiser, versions=[each.pk for each in versions], rated=False)
            Tournament.objects.filter(pk=cup.pk).update(secret=secret)
            cup = start_tournament(actor=organiser, tournament=Tournament.objects.get(pk=cup.pk))
            before = as_made(cup)
            for number in range(tries):
                replace_version(cup, make_version(bot=versions[number].bot))
            after = as_made(cup)
            drawn.append([row[:5] for row in after] == [row[:5] for row in before])

        assert drawn == [True, True, True]

    def test_document_and_key_stay(self, organiser: User) -> None:
        cup, new = start_cup(organiser)
        before = proof(cup)

        replace_version(cup, new)
        after = proof(cup)

        assert before["document_hash"] == after["document_hash"]
        assert before["document"] == after["document"]
        same = [(row[:8], row[6:8]) for row in before["matches"]]
        assert same == [(row[:8], row[6:8]) for row in after["matches"]]

    def test_newcomer_never_plays_a_seed_of_which_something_was_seen(
        self, organiser: User
    ) -> None:
        cup, new = start_cup(organiser)
        old = cup.entries.get(number=1).version
        (seen,) = [each for each in matches_of(cup) if each.place.block == blocks_of(cup, old)[0]][
            :1
        ]
        play([seen])

        replace_version(cup, new)
        play_to_the_end(cup)

        theirs = Match.objects.filter(place__tournament=cup).of_version(new.pk)
        assert seen.seed not in theirs.values_list("seed", flat=True)

    def test_tournament_whose_secret_is_public_is_refused(self, organiser: User) -> None:
        cup, new = start_cup(organiser)
        play_to_the_end(cup)
        rerun_match(actor=organiser, match=matches_of(cup)[0], reason="The host swapped.")

        with pytest.raises(Conflict) as caught:
            replace_version(cup, new)

        assert caught.value.code == "seeds_revealed"


class TestAfterwards:
    def test_back_to_the_first_version(self, organiser: User) -> None:
        cup, new = start_cup(organiser)
        old = cup.entries.get(number=1).version
        mine = blocks_of(cup, old)
        for place, version in enumerate((new, old, new)):
            play([each for each in matches_of(cup) if each.place.block == mine[place]][:1])
            replace_version(cup, version)

        play_to_the_end(cup)

        assert is_right(cup)
        assert blocks_of(cup, old) == [mine[0], mine[2]]
        assert row_of(cup, new).matches == 6

    def test_withdrawn_later_it_leaves_with_all_its_versions(self, organiser: User) -> None:
        cup, new = start_cup(organiser)
        old = cup.entries.get(number=1).version
        begin([each for each in matches_of(cup) if each.place.block == blocks_of(cup, old)[0]])
        replace_version(cup, new)

        withdraw_entry(actor=organiser, tournament=cup, version_id=new.pk)

        states = Match.objects.filter(seats__version__in=(old, new)).values_list(
            "state", flat=True
        )
        assert set(states) == {"void"}

    def test_disqualified_later_all_its_results_are_taken_back(self, organiser: User) -> None:
        cup, new = start_cup(organiser)
        play(matches_of(cup)[:6])
        replace_version(cup, new)
        play(matches_of(cup)[6:10])

        disqualify_entry(
            actor=organiser, tournament=cup, version_id=new.pk, reason="It cheats.", revoke=True
        )
        play_the_rest(cup)

        assert row_of(cup, new).matches == 0
        assert list(schedule_differences(cup)) == []


class TestParts:
    def test_long_replacement_goes_on_in_the_reconciler(
        self, organiser: User, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(replacement_blocks, "MATCHES_AT_ONCE", 4)
        cup, new = start_cup(organiser, cycles=4)
        old = cup.entries.get(number=1).version
        mine = blocks_of(cup, old)

        replaced = replace_version(cup, new)
        begun = [each for each in matches_of(cup) if each.place.block == mine[5]]
        begin(begun[:1])
        play([each for each in matches_of(cup) if each.pk != begun[1].pk])
        assert close_finished() == []
        first = (replaced.is_settled, blocks_of(cup, new))
        while settle_entries():
            pass

        replaced.refresh_from_db()
        assert first == (False, mine[:2])
        assert replaced.is_settled
        assert list(schedule_differences(cup)) == []
        play_to_the_end(cup)
        assert is_right(cup)

    def test_two_are_carried_out_in_their_order(
        self, organiser: User, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(replacement_blocks, "MATCHES_AT_ONCE", 2)
        cup, new = start_cup(organiser, cycles=2)
        newest = make_version(bot=new.bot)

        replace_version(cup, new)
        replace_version(cup, newest)
        while settle_entries():
            pass

        assert blocks_of(cup, new) == []
        assert len(blocks_of(cup, newest)) == 6
        play_to_the_end(cup)
        assert is_right(cup)


def test_paused_tournament_lets_replace(organiser: User) -> None:
    cup, new = start_cup(organiser)
    pause_tournament(actor=organiser, tournament=cup)

    assert replace_version(cup, new).is_settled
