"""One process that hangs in a transaction stops nobody but itself."""

from __future__ import annotations

import threading
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
from django.db import connection

from pentathlon.bots.models import Bot, VersionState
from pentathlon.core.services import acquire_leadership
from pentathlon.matches import services
from pentathlon.matches.dispatch.publishing import publish_pending
from pentathlon.matches.models import Match, MatchKind, MatchState
from pentathlon.matches.uploads.services import reject_build
from pentathlon.ratings.models import Pool
from pentathlon.ratings.services import apply_results, enter_matches, open_pool
from pentathlon.tournaments.models import Tournament, TournamentState
from pentathlon.tournaments.services import close_finished
from tests.factories import make_match, make_version, make_worker
from tests.patience import PATIENCE_S
from tests.pentathlon.hanging import hanging_transaction
from tests.pentathlon.matches.acting import claimed, finish, result, result_of
from tests.pentathlon.together import all_at_once
from tests.pentathlon.tournaments.acting import matches_of, settle, started

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif("connection.vendor != 'postgresql'", reason="SQLite has one writer"),
]


def _lock(rows: Any) -> Callable[[], object]:  # Any: a QuerySet of any model
    return lambda: list(rows.select_for_update())


def _pool(name: str) -> Pool:
    pool = open_pool(key=f"game:{name}", game="tuned", title=name)
    enter_matches(pool=pool, matches=[make_match(state=MatchState.DONE)])
    return pool


def test_locked_pool_holds_up_no_other() -> None:
    hung, other = _pool("hung"), _pool("other")

    with hanging_transaction(_lock(Pool.objects.filter(pk=hung.pk))):
        assert apply_results() == 1

    assert apply_results() == 1
    assert set(Pool.objects.values_list("pk", "applied_seq")) == {(hung.pk, 1), (other.pk, 1)}


def test_locked_tournament_keeps_no_other_open() -> None:
    hung, other = started(bots=2), started(bots=2)
    for tournament in (hung, other):
        settle(matches_of(tournament))

    with hanging_transaction(_lock(Tournament.objects.filter(pk=hung.pk))):
        assert close_finished() == [other]

    assert close_finished() == [hung]
    assert not Tournament.objects.exclude(state=TournamentState.CLOSED).exists()


def test_holder_that_hangs_after_taking_a_lease_keeps_only_its_time() -> None:
    is_taken, is_over = threading.Event(), threading.Event()

    def hang_after_update(execute: Any, sql: str, *rest: Any) -> Any:  # Any: Django's own
        answer = execute(sql, *rest)
        if sql.startswith("UPDATE"):
            is_taken.set()
            is_over.wait(PATIENCE_S)
        return answer

    def hang() -> None:
        try:
            with connection.execute_wrapper(hang_after_update):
                acquire_leadership(name="work", holder="hung", ttl_s=0)
        finally:
            connection.close()

    acquire_leadership(name="work", holder="before", ttl_s=0)
    thread = threading.Thread(target=hang)
    thread.start()
    try:
        assert is_taken.wait(PATIENCE_S)
        assert acquire_leadership(name="work", holder="next", ttl_s=5)
    finally:
        is_over.set()
        thread.join(PATIENCE_S)


class TestClaims:
    def test_locked_match_is_left_out(self) -> None:
        hung, other = make_match(), make_match()

        with hanging_transaction(_lock(Match.objects.filter(pk=hung.pk))):
            jobs = services.claim_matches(match_ids=[hung.pk, other.pk], worker="w")

        assert [job.match_id for job in jobs] == [other.pk]

    def test_locked_bot_holds_back_its_own_matches_only(self) -> None:
        held = make_version()
        mine, other = make_match([held, make_version()]), make_match()
        Match.objects.update(sent_at="2026-01-01T00:00Z")

        with hanging_transaction(_lock(Bot.objects.filter(pk=held.bot_id))):
            jobs = services.claim_matches(match_ids=[mine.pk, other.pk], worker="w")

        assert [job.match_id for job in jobs] == [other.pk]
        mine.refresh_from_db()
        assert (mine.state, mine.sent_at) == (MatchState.PENDING, None)

    def test_claim_that_hangs_leaves_all_else_to_others(self) -> None:
        first, other = make_match(), make_match()
        bots = [seat.version for seat in first.seats.order_by("seat")]
        same_bots = make_match(bots)

        with hanging_transaction(partial(claimed, first)):
            jobs = services.claim_matches(match_ids=[first.pk, same_bots.pk, other.pk], worker="w")

        assert [job.match_id for job in jobs] == [other.pk]
        assert claimed(first).match_id == first.pk
        assert claimed(same_bots).match_id == same_bots.pk

    def test_hung_claim_does_not_stop_publishing(self) -> None:
        make_worker()
        hung, other = make_match(), make_match()
        sent: list[int] = []

        with hanging_transaction(_lock(Match.objects.filter(pk=hung.pk))):
            publish_pending(publish=sent.extend)

        assert sent == [other.pk]


class TestOrderOfLocks:
    def test_rejected_build_and_finished_match_do_not_deadlock(self) -> None:
        for _ in range(5):
            version = make_version(state=VersionState.VALIDATING)
            jobs = [
                claimed(make_match([version, version], kind=MatchKind.VALIDATION))
                for _ in range(3)
            ]
            reject = partial(reject_build, version_id=version.pk, reason="no main", log="")

            outcomes = all_at_once([reject, *(partial(finish, job, result()) for job in jobs)])

            assert not [each for each in outcomes if isinstance(each, Exception)]
            version.refresh_from_db()
            assert version.state in {VersionState.REJECTED, VersionState.ELIGIBLE}

    def test_pause_and_finished_matches_do_not_deadlock(self) -> None:
        for _ in range(5):
            jobs = [claimed(make_match(lane=1)) for _ in range(8)]

            outcomes = all_at_once(
                [
                    partial(services.hold_lane, 1),
                    partial(services.finish_matches, [result_of(job, result()) for job in jobs]),
                ]
            )

            assert not [each for each in outcomes if isinstance(each, Exception)]
            services.release_lane(1)
