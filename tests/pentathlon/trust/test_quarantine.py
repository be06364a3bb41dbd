"""What a quarantine stops, what it puts in question, and how staff end it."""

from __future__ import annotations

import json
from io import StringIO

import pytest
from django.core.management import call_command
from django.test import Client

from pentathlon.core.errors import Conflict, InvalidInput, NotAllowed
from pentathlon.fleet.models import WorkerToken
from pentathlon.matches.models import Attempt, AttemptState, Match, MatchState
from pentathlon.ratings.models import LedgerState
from pentathlon.ratings.services import apply_results, enter_matches
from pentathlon.trust.models import CheckRun, CheckState, Quarantine, Review, SpotCheck, Verdict
from pentathlon.trust.quarantine import (
    FEWEST_RESULTS,
    begin_quarantine,
    end_quarantine,
    quarantine_surprising,
    review_results,
    revoke_reviewed,
    undecided,
)
from tests.factories import make_match, make_staff, make_user, make_version
from tests.pentathlon.insight.rivalry.playing import live_pool, play
from tests.pentathlon.trust.acting import claim, join, played_by

pytestmark = pytest.mark.django_db


@pytest.fixture
def token() -> WorkerToken:
    return join()


def quarantined(token: WorkerToken) -> Quarantine:
    begin_quarantine(token_id=token.pk, reason="Two other workers agree on a different result.")
    return Quarantine.objects.get(token=token)


def questioned(quarantine: Quarantine) -> set[int]:
    return set(undecided(quarantine).values_list("match_id", flat=True))


def test_quarantine_gives_open_claims_back(token: WorkerToken) -> None:
    match = make_match()
    claim(match, token)

    quarantined(token)

    assert Match.objects.get(pk=match.pk).state == MatchState.PENDING
    assert Attempt.objects.get(match=match).state == AttemptState.RETURNED


def test_token_in_quarantine_is_refused_until_staff_end_it() -> None:
    printed = StringIO()
    call_command("worker_token", "create", "machine", stdout=printed)
    quarantine = quarantined(WorkerToken.objects.get())

    def ask() -> tuple[int, str]:
        answer = Client().post(
            "/api/v1/fleet/heartbeats/",
            json.dumps({"name": "host/1"}),
            content_type="application/json",
            headers={"Authorization": f"Bearer {printed.getvalue().strip()}"},
        )
        return answer.status_code, answer.json().get("code", "")

    assert ask() == (401, "worker_token_quarantined")
    end_quarantine(actor=make_staff(), quarantine=quarantine, reason="A broken fan.")
    assert ask() == (200, "")


def test_results_since_the_last_agreement_are_in_question(token: WorkerToken) -> None:
    other = join()
    before, agreed, after = played_by(token, times=3)
    played_by(other)
    check = SpotCheck.objects.create(state=CheckState.AGREED)
    CheckRun.objects.create(check_of=check, number=0, match=agreed, party=token.pk)

    assert questioned(quarantined(token)) == {after.pk}
    assert before.pk not in questioned(Quarantine.objects.get())


def test_second_quarantine_at_a_time_changes_nothing(token: WorkerToken) -> None:
    quarantined(token)

    assert quarantined(token).reason == "Two other workers agree on a different result."


def test_revoked_results_count_no_more_and_kept_ones_do(token: WorkerToken) -> None:
    kept, taken = played_by(token, times=2)
    pool = live_pool()
    enter_matches(pool=pool, matches=Match.objects.filter(pk__in=(kept.pk, taken.pk)))
    apply_results()
    quarantine, staff = quarantined(token), make_staff()

    for verdict, match in ((Verdict.KEEP, kept), (Verdict.REVOKE, taken)):
        review_results(
            actor=staff,
            quarantine=quarantine,
            verdict=verdict,
            reason="Seen by eye.",
            match_ids=[match.pk],
        )
    while revoke_reviewed():
        pass

    states = dict(pool.rows.values_list("match_id", "state"))
    assert states == {kept.pk: LedgerState.APPLIED, taken.pk: LedgerState.REVOKED}
    assert Match.objects.get(pk=taken.pk).is_revoked
    assert questioned(quarantine) == set()
    assert {each.actor for each in Review.objects.all()} == {staff}


def test_all_that_is_left_is_decided_on_at_once(token: WorkerToken) -> None:
    played_by(token, times=3)
    quarantine = quarantined(token)

    decided = review_results(
        actor=make_staff(), quarantine=quarantine, verdict=Verdict.REVOKE, reason="A liar."
    )

    assert decided == 3
    assert questioned(quarantine) == set()


def test_result_that_is_not_in_question_is_refused(token: WorkerToken) -> None:
    (strange,) = played_by(join())
    quarantine = quarantined(token)

    with pytest.raises(InvalidInput, match=f"Match {strange.pk} is not in question"):
        review_results(
            actor=make_staff(),
            quarantine=quarantine,
            verdict=Verdict.REVOKE,
            reason="A liar.",
            match_ids=[strange.pk],
        )


def test_only_staff_decide_and_only_with_a_reason(token: WorkerToken) -> None:
    quarantine = quarantined(token)

    with pytest.raises(NotAllowed):
        end_quarantine(actor=make_user(), quarantine=quarantine, reason="I say so.")
    with pytest.raises(InvalidInput):
        end_quarantine(actor=make_staff(), quarantine=quarantine, reason=" ")


def test_quarantine_ends_when_everything_is_decided(token: WorkerToken) -> None:
    played_by(token)
    quarantine, staff = quarantined(token), make_staff()

    with pytest.raises(Conflict, match="Decide first"):
        end_quarantine(actor=staff, quarantine=quarantine, reason="Mended.")
    review_results(actor=staff, quarantine=quarantine, verdict=Verdict.KEEP, reason="Fine.")
    end_quarantine(actor=staff, quarantine=quarantine, reason="Mended.")

    assert not Quarantine.objects.in_force().exists()
    with pytest.raises(Conflict, match="over"):
        end_quarantine(actor=staff, quarantine=quarantine, reason="Again.")


def test_worker_whose_results_stand_out_is_put_in_quarantine(token: WorkerToken) -> None:
    honest = join()
    strong, weak = make_version(), make_version()

    def rate(worker: WorkerToken, ranks: tuple[int, int], times: int) -> None:
        play(strong, weak, times=times, worker=f"{worker.prefix}host/1.0", ranks=ranks)

    rate(honest, (0, 1), 60)
    assert quarantine_surprising() == 0
    for _ in range(3):
        # Ratings must have time to forget each lie, or the next one surprises nobody.
        rate(token, (1, 0), FEWEST_RESULTS // 3)
        rate(honest, (0, 1), 40)

    assert quarantine_surprising() == 1
    assert Quarantine.objects.get().token == token
