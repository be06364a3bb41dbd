from datetime import timedelta
from typing import Any, NamedTuple

import pytest
from django.db import connection
from django.db.models.functions import Now
from django.test.utils import CaptureQueriesContext

from pentathlon.bots.models import BotVersion, VersionState
from pentathlon.bots.services import retire_version
from pentathlon.core.errors import Conflict, DomainError, NotAllowed
from pentathlon.core.server.limits import CHALLENGE_MATCHES_A_DAY, CHALLENGES_UNDER_WAY
from pentathlon.matches.models import Match, MatchKind, MatchState
from pentathlon.ratings.models import LedgerRow
from pentathlon.tournaments.challenges.models import Challenge, ChallengeState
from pentathlon.tournaments.challenges.results import blocks_of, read_test, seats_of, with_ranks
from pentathlon.tournaments.challenges.services import (
    call_off_out_of_play,
    cancel_challenge,
    create_challenge,
    daily_quota,
    under_way_quota,
)
from pentathlon.tournaments.scheduling.secrecy import with_seals
from tests.factories import make_user, make_version
from tests.pentathlon.matches.acting import claimed
from tests.pentathlon.together import all_at_once
from tests.pentathlon.tournaments.challenges.acting import (
    all_failed,
    challenged,
    drawn,
    play,
    waiting,
    won_by,
)

pytestmark = pytest.mark.django_db


class TestMatches:
    def test_each_block_has_one_seed_in_both_seat_orders(self) -> None:
        challenge = challenged(blocks=3)

        matches = list(challenge.matches.with_seats())

        seeds = [match.seed for match in matches]
        assert len(matches) == challenge.planned == 6
        assert seeds[0::2] == seeds[1::2]
        assert len(set(seeds)) == 3
        mine, rival = challenge.version_id, challenge.opponent_id
        seated = [[seat.version_id for seat in match.seats.all()] for match in matches]
        assert seated == [[mine, rival], [rival, mine]] * 3

    def test_they_are_unrated_public_and_named_apart(self) -> None:
        challenge = challenged()

        play(waiting(challenge), drawn)

        matches = list(challenge.matches)
        assert {match.kind for match in matches} == {MatchKind.CHALLENGE}
        assert not any(match.rated for match in matches)
        assert not LedgerRow.objects.exists()
        assert len({match.alias for match in matches}) == len(matches)
        assert Match.objects.public().count() == len(matches)

    def test_bot_is_met_in_its_newest_version_that_may_play(self) -> None:
        rival = make_version()
        newer = make_version(bot=rival.bot)
        make_version(bot=rival.bot, state=VersionState.VALIDATING)

        challenge = challenged(rival=rival)

        assert challenge.opponent == newer

    def test_larger_table_seats_all_in_every_rotation_and_its_mirror(self) -> None:
        author = make_user()
        mine, *others = (
            make_version(owner=owner, games=["way_of_the_dragon"])
            for owner in (author, None, None, None, None)
        )

        challenge = create_challenge(
            actor=author,
            version=mine.pk,
            bot=others[0].bot_id,
            others=[other.bot_id for other in others[1:]],
            blocks=2,
        )

        assert challenge.block_size == 10
        assert challenge.matches.count() == 20
        assert challenge.others == [other.pk for other in others[1:]]

    def test_twenty_blocks_of_five_write_little_more_than_a_thousand_rows(self) -> None:
        author = make_user()
        versions = [
            make_version(owner=owner, games=["way_of_the_dragon"])
            for owner in (author, None, None, None, None)
        ]
        bots = [version.bot_id for version in versions[1:]]

        challenge = create_challenge(
            actor=author, version=versions[0].pk, bot=bots[0], others=bots[1:], blocks=20
        )

        assert challenge.planned == 200
        assert challenge.planned * (1 + len(versions)) + 1 < 1250

    def test_number_of_queries_does_not_grow_with_the_blocks(self) -> None:
        counts = []
        for blocks in (1, 20):
            author, rival = make_user(), make_version()
            version = make_version(owner=author)
            with CaptureQueriesContext(
                connection,
            ) as queries:
                create_challenge(actor=author, version=version.pk, bot=rival.bot_id, blocks=blocks)
            counts.append(len(queries))

        assert counts[0] == counts[1]


class Refusal(NamedTuple):
    """What is asked for, by the names of versions, and the code of the answer."""

    code: str
    version: str = "mine"
    bot: str | None = "rival"
    against: str | None = None
    others: tuple[str, ...] = ()
    game: str | None = None
    blocks: int = 1


REFUSALS = (
    Refusal("not_your_bot", version="rival"),
    Refusal("unknown_version", version="nobody"),
    Refusal("not_eligible", version="unchecked"),
    Refusal("own_bot", bot="mine"),
    Refusal("unknown_bot", bot="nobody"),
    Refusal("bot_retired", bot="retired"),
    Refusal("no_active_version", bot="new"),
    Refusal("other_game", bot="dragon"),
    Refusal("other_game", game="azure"),
    Refusal("unknown_game", game="chess"),
    Refusal("game_needed", version="versatile"),
    Refusal("too_many_blocks", blocks=21),
    Refusal("too_few_blocks", blocks=0),
    Refusal("bad_seats", others=("other",)),
    Refusal("duplicate_bots", others=("rival",)),
    Refusal("one_opponent", bot=None),
    Refusal("one_opponent", against="mine"),
    Refusal("same_version", bot=None, against="mine"),
    Refusal("not_your_bot", bot=None, against="rival"),
    Refusal("not_eligible", bot=None, against="unchecked"),
)


class TestRefusals:
    @pytest.mark.parametrize("refusal", REFUSALS, ids=lambda each: each.code)
    def test_what_cannot_be_played_is_refused_with_a_code(self, refusal: Refusal) -> None:
        author = make_user()
        versions = _field(author)
        ids = {name: version.pk for name, version in versions.items()}
        bots = {name: version.bot_id for name, version in versions.items()}

        with pytest.raises(DomainError) as caught:
            create_challenge(
                actor=author,
                version=ids.get(refusal.version, 10**9),
                bot=bots.get(refusal.bot, 10**9) if refusal.bot else None,
                against=ids[refusal.against] if refusal.against else None,
                others=[bots[name] for name in refusal.others],
                game=refusal.game,
                blocks=refusal.blocks,
            )

        assert caught.value.code == refusal.code
        assert caught.value.field
        assert not Match.objects.exists()


def _field(author: Any) -> dict[str, BotVersion]:
    dragon = ["way_of_the_dragon"]
    return {
        "mine": make_version(owner=author),
        "unchecked": make_version(owner=author, state=VersionState.UNCHECKED),
        "versatile": make_version(owner=author, games=["azure", "tuned"]),
        "rival": make_version(),
        "other": make_version(),
        "retired": make_version(state=VersionState.RETIRED),
        "new": make_version(state=VersionState.VALIDATING),
        "dragon": make_version(games=dragon),
    }


class TestQuota:
    def test_matches_count_from_the_moment_they_are_asked_for(self) -> None:
        challenge = challenged(blocks=5)
        cancel_challenge(actor=challenge.author, challenge=challenge)

        quota = daily_quota(challenge.author)

        assert (quota.used, quota.left) == (10, CHALLENGE_MATCHES_A_DAY - 10)
        assert quota.renews_at is not None
        assert (quota.renews_at.hour, quota.renews_at.minute) == (0, 0)
        assert under_way_quota(challenge.author).used == 0

    def test_more_than_is_left_is_refused_and_says_when_to_come_back(self) -> None:
        challenge = challenged(blocks=1)
        Challenge.objects.filter(pk=challenge.pk).update(planned=CHALLENGE_MATCHES_A_DAY - 3)

        with pytest.raises(Conflict, match=r"3 of your 400 a day are left.*at 00:00 UTC") as no:
            challenged(author=challenge.author, blocks=2)

        assert no.value.code == "challenge_quota"
        challenged(author=challenge.author, blocks=1)

    def test_quota_is_whole_again_the_next_day(self) -> None:
        challenge = challenged(blocks=5)
        yesterday = Now() - timedelta(days=1)
        Challenge.objects.filter(pk=challenge.pk).update(created_at=yesterday)

        assert daily_quota(challenge.author).used == 0

    def test_challenges_under_way_are_bounded_until_one_ends(self) -> None:
        author = make_user()
        first, *_ = [challenged(author=author, blocks=1) for _ in range(CHALLENGES_UNDER_WAY)]

        with pytest.raises(Conflict) as caught:
            challenged(author=author)
        play(waiting(first), drawn)

        assert caught.value.code == "too_many_challenges"
        assert challenged(author=author).pk

    @pytest.mark.django_db(transaction=True)
    def test_challenges_asked_for_together_do_not_pass_the_bound(self) -> None:
        author, rival = make_user(), make_version()
        version = make_version(owner=author)

        outcomes = all_at_once(
            [
                lambda: create_challenge(
                    actor=author, version=version.pk, bot=rival.bot_id, blocks=1
                )
            ]
            * (CHALLENGES_UNDER_WAY + 2)
        )

        refused = [each for each in outcomes if isinstance(each, Conflict)]
        assert Challenge.objects.count() == CHALLENGES_UNDER_WAY
        assert [each.code for each in refused] == ["too_many_challenges"] * 2


class TestResults:
    def test_score_grows_by_complete_blocks(self) -> None:
        challenge = challenged(blocks=2)
        first, second, third, fourth = waiting(challenge)

        play([first], won_by(challenge.version))
        challenge.refresh_from_db()
        early = challenge.score
        play([second], drawn)
        play([third, fourth], won_by(challenge.opponent))
        challenge.refresh_from_db()

        assert early is None
        assert challenge.cells == [3, 0]
        assert challenge.score is not None
        assert challenge.score.points == 1.5
        assert (challenge.state, challenge.done) == (ChallengeState.DONE, 4)
        assert challenge.finished_at is not None

    def test_match_that_all_failed_gives_nobody_a_point(self) -> None:
        challenge = challenged(blocks=1)

        play(waiting(challenge), all_failed)

        challenge.refresh_from_db()
        assert challenge.cells == [0]

    def test_results_are_told_by_seat_and_by_block(self) -> None:
        challenge = challenged(blocks=1)
        first, second = waiting(challenge)
        play([first], won_by(challenge.version))
        play([second], won_by(challenge.opponent))

        matches = list(with_ranks(challenge.matches))

        seats = seats_of(challenge, matches)
        assert [(each.seat, each.wins, each.losses) for each in seats] == [(0, 1, 0), (1, 0, 1)]
        (block,) = blocks_of(challenge, matches)
        assert (block.points, block.seed) == (1.0, first.seed)

    def test_sequential_test_adds_up_all_challenges_of_two_versions(self) -> None:
        first = challenged(blocks=1)
        play(waiting(first), won_by(first.version))
        second = create_challenge(
            actor=first.author, version=first.version_id, bot=first.opponent.bot_id, blocks=2
        )
        play(waiting(second)[:2], drawn)
        cancel_challenge(actor=first.author, challenge=second)
        other = challenged(author=first.author, blocks=1)
        play(waiting(other), drawn)

        readings = [read_test(each) for each in (first, second, other)]

        assert [reading and reading.blocks for reading in readings] == [1, 2, 1]

    @pytest.mark.django_db(transaction=True)
    def test_last_two_matches_that_end_together_end_the_challenge(self) -> None:
        challenge = challenged(blocks=1)
        first, second = waiting(challenge)

        outcomes = all_at_once(
            [lambda: play([first], drawn), lambda: play([second], drawn)],
        )

        challenge.refresh_from_db()
        assert outcomes == [None, None]
        assert (challenge.state, challenge.cells) == (ChallengeState.DONE, [2])


class TestSeeds:
    def test_seed_is_sealed_until_its_own_block_is_done(self) -> None:
        challenge = challenged(blocks=2)
        first, second, third, _ = waiting(challenge)

        play([first], drawn)
        between = _sealed(first, second, third)
        play([second], drawn)

        assert between == [True, True, True]
        assert _sealed(first, second, third) == [False, False, True]
        seeds = [block.seed for block in blocks_of(challenge, list(with_ranks(challenge.matches)))]
        assert seeds == [first.seed, None]

    def test_cancelled_challenge_seals_nothing(self) -> None:
        challenge = challenged(blocks=1)
        first, second = waiting(challenge)
        play([first], drawn)

        cancel_challenge(actor=challenge.author, challenge=challenge)

        assert _sealed(first, second) == [False, False]


def _sealed(*matches: Match) -> list[bool]:
    found = with_seals(Match.objects.all()).in_bulk([match.pk for match in matches])
    return [found[match.pk].is_sealed for match in matches]


class TestEnds:
    def test_cancelling_keeps_results_and_takes_back_the_rest(self) -> None:
        challenge = challenged(blocks=3)
        first, second, third, *_ = waiting(challenge)
        play([first, second], won_by(challenge.version))
        claimed(third)

        cancelled = cancel_challenge(actor=challenge.author, challenge=challenge)

        assert (cancelled.state, cancelled.done, cancelled.void) == ("cancelled", 2, 4)
        assert cancelled.cells == [4]
        assert cancelled.finished_at is not None
        assert not challenge.matches.unfinished().exists()

    def test_only_its_author_cancels_it_and_only_once(self) -> None:
        challenge = challenged()

        with pytest.raises(NotAllowed) as foreign:
            cancel_challenge(actor=challenge.opponent.bot.owner, challenge=challenge)
        cancel_challenge(actor=challenge.author, challenge=challenge)
        with pytest.raises(Conflict) as again:
            cancel_challenge(actor=challenge.author, challenge=challenge)

        assert (foreign.value.code, again.value.code) == ("not_your_challenge", "wrong_state")

    @pytest.mark.parametrize("who", ["version", "opponent"])
    def test_bot_that_plays_no_more_ends_the_challenge(self, who: str) -> None:
        challenge, other = challenged(blocks=2), challenged(blocks=2)
        play(waiting(challenge)[:2], drawn)
        leaving = getattr(challenge, who)
        retire_version(actor=leaving.bot.owner, version=leaving)

        assert call_off_out_of_play() == 2
        assert call_off_out_of_play() == 0

        challenge.refresh_from_db()
        assert (challenge.state, challenge.done, challenge.void) == ("done", 2, 2)
        assert len(waiting(other)) == 4
        assert [match.state for match in challenge.matches][2:] == [MatchState.VOID] * 2

    def test_bot_in_another_chair_that_plays_no_more_ends_it_too(self) -> None:
        author = make_user()
        versions = [
            make_version(owner=owner, games=["way_of_the_dragon"])
            for owner in (author, None, None)
        ]
        challenge = create_challenge(
            actor=author,
            version=versions[0].pk,
            bot=versions[1].bot_id,
            others=[versions[2].bot_id],
            blocks=1,
        )
        retire_version(actor=versions[2].bot.owner, version=versions[2])

        assert call_off_out_of_play() == 6

        challenge.refresh_from_db()
        assert challenge.state == ChallengeState.DONE

    def test_own_test_meets_an_older_version(self) -> None:
        author = make_user()
        old = make_version(owner=author)
        new = make_version(bot=old.bot)

        challenge = create_challenge(actor=author, version=new.pk, against=old.pk)

        assert challenge.is_test
        assert challenge.blocks == 10
