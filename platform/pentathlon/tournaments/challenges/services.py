"""Everything that changes challenges.

running --all matches ended--> done
   |
   +--cancel--> cancelled
"""

from __future__ import annotations

import secrets
from collections.abc import Collection, Iterator, Sequence
from datetime import timedelta

from django.db import transaction
from django.db.models import Q, Sum
from django.db.models.functions import Now

from pentathlon.accounts.models import User
from pentathlon.bots.models import OUT_OF_PLAY, BotVersion
from pentathlon.core.bulkheads import Bulkheads
from pentathlon.core.clock import database_now
from pentathlon.core.errors import Conflict, InvalidInput, NotAllowed
from pentathlon.core.quotas import Quota
from pentathlon.core.server.limits import (
    CHALLENGE_BLOCKS,
    CHALLENGE_MATCHES_A_DAY,
    CHALLENGES_UNDER_WAY,
)
from pentathlon.core.statements import Read
from pentathlon.matches.models import Match, MatchKind, MatchState
from pentathlon.matches.services import schedule_matches, void_matches
from pentathlon.matches.specs import MatchSpec
from pentathlon.tournaments.challenges.models import Challenge, ChallengeState, challenge_of_lane
from pentathlon.tournaments.challenges.players import ChallengeTable, choose_players
from pentathlon.tournaments.challenges.results import blocks_of, cells_of, with_ranks
from pentathlon.webhooks.outbox import note_event
from pentathlon_engines.record.shape import SEED_END

DEFAULT_BLOCKS = 10
_out_of_play = Bulkheads[int]("matches of challenge")
_PAIR = 2
_LANES = Read(
    lambda ids: Match.objects.filter(pk__in=ids, kind=MatchKind.CHALLENGE).values_list(
        "lane", flat=True
    )
)


def daily_quota(author: User) -> Quota:
    """Return how many matches were asked for today; a day begins at midnight in UTC.

    Matches count when they are asked for. Cancelling a challenge gives none back, since otherwise
    somebody could have schedules made and thrown away without end.
    """
    midnight = database_now().replace(hour=0, minute=0, second=0, microsecond=0)
    own = Challenge.objects.by_author(author)
    asked = own.filter(created_at__gte=midnight).aggregate(total=Sum("planned"))
    return Quota(
        key="challenge_matches_a_day",
        about="matches of challenges today",
        limit=CHALLENGE_MATCHES_A_DAY,
        used=asked["total"] or 0,
        renews_at=midnight + timedelta(days=1),
        code="challenge_quota",
    )


def under_way_quota(author: User) -> Quota:
    """Return how many challenges have not ended."""
    return Quota(
        key="challenges_under_way",
        about="challenges under way",
        limit=CHALLENGES_UNDER_WAY,
        used=Challenge.objects.by_author(author).under_way().count(),
        code="too_many_challenges",
    )


def check_quotas(author: User, *, matches: int) -> None:
    """Refuse a challenge of so many matches if it exceeds one of its author's quotas.

    Call it in the transaction that stores the challenge: those of one author are stored in turn.

    Raises:
        Conflict: `too_many_challenges` or `challenge_quota`.
    """
    User.objects.select_for_update().get(pk=author.pk)
    under_way = under_way_quota(author)
    under_way.check_left(
        f"{under_way.used} challenges of yours are under way, the most that one author may have "
        "at a time. Wait until one is done, or cancel one."
    )
    daily = daily_quota(author)
    daily.check_left(
        f"This challenge takes {matches} matches; {daily.left} of your {daily.limit} a day are "
        f"left. The quota renews on {daily.renews_at:%d %B at %H:%M} UTC.",
        wanted=matches,
        field="blocks",
    )


@transaction.atomic
def create_challenge(
    *,
    actor: User,
    version: int,
    bot: int | None = None,
    against: int | None = None,
    others: Sequence[int] = (),
    game: str | None = None,
    blocks: int = DEFAULT_BLOCKS,
) -> Challenge:
    """Have one of the actor's versions meet a bot, or another version of their own, unrated.

    `others` are bots for the other chairs of a larger table. Every block draws a seed of its own.
    """
    table = choose_players(
        actor=actor,
        version_id=version,
        bot_id=bot,
        against_id=against,
        other_ids=others,
        game=game,
    )
    _check_blocks(blocks)
    planned = blocks * count_orders(len(table.players))
    check_quotas(actor, matches=planned)
    challenge = Challenge.objects.create(
        author=actor,
        game=table.game,
        version=table.version,
        opponent=table.opponent,
        others=[each.pk for each in table.others],
        blocks=blocks,
        planned=planned,
    )
    schedule_matches(_specs(challenge, table))
    return challenge


@transaction.atomic
def cancel_challenge(*, actor: User, challenge: Challenge) -> Challenge:
    """Void all matches of the actor's challenge that have not ended; the results so far stay."""
    if actor.pk != challenge.author_id:
        raise NotAllowed(
            f"Only {challenge.author.username}, who made it, may cancel this challenge.",
            code="not_your_challenge",
        )
    # Lock matches before their challenge, as finishing a match does, so that neither deadlocks.
    list(challenge.matches.unfinished().select_for_update().values_list("pk", flat=True))
    locked = Challenge.objects.select_for_update().get(pk=challenge.pk)
    if locked.state != ChallengeState.RUNNING:
        raise Conflict(
            f"This challenge is {locked.get_state_display()}; you can cancel it only while it is "
            "running.",
            code="wrong_state",
            allowed=[ChallengeState.RUNNING.value],
        )
    Challenge.objects.filter(pk=locked.pk).update(state=ChallengeState.CANCELLED)
    void_matches(matches=locked.matches, reason="The challenge was cancelled.")
    locked.refresh_from_db()
    return locked


def call_off_out_of_play() -> int:
    """Void waiting matches of challenges with a version out of play; return how many.

    The reconciler calls it again and again.
    """
    challenges = {challenge.pk: challenge for challenge in _with_a_version_out_of_play()}
    return sum(_out_of_play.each(challenges, lambda pk: _call_off(challenges[pk])))


@transaction.atomic
def _call_off(challenge: Challenge) -> int:
    return void_matches(
        matches=challenge.matches.filter(state=MatchState.PENDING),
        reason="One of its bots has been taken out of play.",
    )


def count_endings(match_ids: Collection[int]) -> None:
    """Count the results of challenges in which these matches have just ended."""
    lanes = set(_LANES(sorted(match_ids)))
    # In the order of ids: two endings with the same challenges must not deadlock.
    for challenge_id in sorted(filter(None, map(challenge_of_lane, lanes))):
        # Because of the lock, the later of two matches that end together sees the earlier one.
        _recount(Challenge.objects.select_for_update().get(pk=challenge_id))


def _check_blocks(blocks: int) -> None:
    if not 1 <= blocks <= CHALLENGE_BLOCKS:
        raise InvalidInput(
            f"A challenge has 1 to {CHALLENGE_BLOCKS} blocks, not {blocks}.",
            code="too_many_blocks" if blocks > CHALLENGE_BLOCKS else "too_few_blocks",
            field="blocks",
        )


def _specs(challenge: Challenge, table: ChallengeTable) -> Iterator[MatchSpec]:
    for _ in range(challenge.blocks):
        seed = secrets.randbelow(SEED_END)
        for seating in seat_orders(table.players):
            yield MatchSpec(
                kind=MatchKind.CHALLENGE,
                game=challenge.game,
                seating=seating,
                seed=seed,
                lane=challenge.lane,
            )


def _with_a_version_out_of_play() -> Iterator[Challenge]:
    running = Challenge.objects.under_way()
    is_out = Q(version__state__in=OUT_OF_PLAY) | Q(opponent__state__in=OUT_OF_PLAY)
    yield from running.filter(is_out)
    larger = list(running.exclude(is_out).exclude(others=[]))
    seated = {version_id for challenge in larger for version_id in challenge.others}
    versions = BotVersion.objects.filter(pk__in=seated, state__in=OUT_OF_PLAY)
    out = set(versions.values_list("pk", flat=True))
    yield from (challenge for challenge in larger if not out.isdisjoint(challenge.others))


def _recount(challenge: Challenge) -> None:
    """Store the standing of a locked challenge by its matches, and whether it is done."""
    matches = list(with_ranks(challenge.matches))
    states = [match.state for match in matches]
    challenge.done = states.count(MatchState.DONE)
    challenge.void = states.count(MatchState.VOID)
    challenge.cells = cells_of(blocks_of(challenge, matches))
    challenge.save(update_fields=("done", "void", "cells"))
    if challenge.done + challenge.void < challenge.planned:
        return
    ended = Challenge.objects.filter(pk=challenge.pk)
    ended.filter(finished_at=None).update(finished_at=Now())
    if ended.under_way().update(state=ChallengeState.DONE):
        _note_end(challenge)


def _note_end(challenge: Challenge) -> None:
    facts = {"challenge": challenge.pk, "game": challenge.game}
    event = "challenge.finished"
    if challenge.is_test:
        event, facts["kind"] = "comparison.finished", "challenge"
    path = f"/api/v1/challenges/{challenge.pk}/"
    note_event(event, people=[challenge.author_id], path=path, **facts)


def seat_orders(players: Sequence[int]) -> list[tuple[int, ...]]:
    """Return the orders in which a block seats its players, each with the same seed.

    Two players sit in both orders. More players sit in every rotation of their order and of its
    mirror, so that everybody has each seat twice, and each neighbour on both sides; with three
    players, these are all orders.

    >>> seat_orders([7, 8])
    [(7, 8), (8, 7)]
    >>> seat_orders([1, 2, 3])
    [(1, 2, 3), (2, 3, 1), (3, 1, 2), (3, 2, 1), (2, 1, 3), (1, 3, 2)]
    """
    order = tuple(players)
    orders = [order] if len(order) == _PAIR else [order, order[::-1]]
    return [each[turn:] + each[:turn] for each in orders for turn in range(len(each))]


def count_orders(seats: int) -> int:
    """Return how many matches a block has."""
    return _PAIR if seats == _PAIR else 2 * seats
