"""A thief with a worker token, against the real API: it costs others a few slots, for minutes."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.core.management import call_command
from django.db.models import F
from django.db.models.functions import Now

from pentathlon.fleet.announcements import Work
from pentathlon.fleet.capabilities import read_fleet
from pentathlon.fleet.models import Worker, WorkerToken
from pentathlon.fleet.queues import MATCHES
from pentathlon.matches.capacity import BATCH
from pentathlon.matches.dispatch.publishing import publish_pending
from pentathlon.matches.models import Attempt, AttemptState, Match, MatchSeat, MatchState
from pentathlon.trust.models import Quarantine
from pentathlon.trust.promises import watch_promises
from pentathlon.trust.quarantine import end_quarantine, undecided
from tests.api.test_fleet import ANNOUNCED, BODIES, post, secret_of
from tests.factories import make_match, make_staff, make_version, make_worker
from tests.pentathlon.matches.acting import claimed, finish, result

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("patient_fleet")]

HOUR = timedelta(hours=1)


@pytest.fixture
def stolen() -> str:
    """A token with one slot, trusted with everything."""
    secret = secret_of("stolen")
    WorkerToken.objects.update(slots=1)
    return secret


def make_matches(number: int, *, sent: bool = True, **fields: Any) -> list[int]:
    versions = [make_version(), make_version(like="greedy")]
    sent_at = Now() if sent else None
    return [make_match(versions, sent_at=sent_at, **fields).pk for _ in range(number)]


def claim(secret: str, ids: list[int], *, slot: str = "ghost/1.0") -> Any:
    return post(secret, "claims", {**BODIES["claims"], "ids": ids, "slot": slot})


def announce(secret: str, name: str, *, slots: int) -> Any:
    announced = {**ANNOUNCED, "name": name, "slots": slots}
    return post(secret, "heartbeats", {"name": name, "announcement": announced})


def renew(secret: str, jobs: list[dict[str, Any]], *, ply: int = 0) -> list[int]:
    leases = [{"id": job["match_id"], "token": job["token"], "ply": ply} for job in jobs]
    lost: list[int] = post(secret, "leases", {"leases": leases}).json()["lost"]
    return lost


def let_pass(length: timedelta) -> None:
    """Make all that was claimed that much older, under leases that were renewed meanwhile."""
    for column in ("started_at", "progressed_at"):
        running = Match.objects.filter(state=MatchState.RUNNING)
        running.update(**{column: F(column) - length})
    Attempt.objects.update(started_at=F("started_at") - length)
    WorkerToken.objects.update(fruitless_since=F("fruitless_since") - length)


def test_token_holds_no_more_than_its_slots_can(stolen: str) -> None:
    ids = make_matches(BATCH + 2)

    first = claim(stolen, ids)
    # What it had no room for goes to others at once.
    assert list(Match.objects.unsent().values_list("pk", flat=True)) == ids[BATCH:]
    Match.objects.unsent().update(sent_at=Now())
    second = claim(stolen, ids[BATCH:], slot="ghost/2.0")

    assert [job["match_id"] for job in first.json()["jobs"]] == ids[:BATCH]
    assert (second.status_code, second.json()["code"]) == (409, "slots_full")
    assert Match.objects.live().count() == BATCH


def test_match_is_claimed_only_when_its_hint_is_out(stolen: str) -> None:
    (guessed,) = make_matches(1, sent=False)

    assert claim(stolen, [guessed]).json()["jobs"] == []
    assert Match.objects.get(pk=guessed).state == MatchState.PENDING


def test_volunteer_claims_and_gives_back_only_what_it_was_told_of() -> None:
    volunteer = secret_of("volunteer", Work.UNRATED)
    ids = make_matches(BATCH + 3)

    post(volunteer, "hints", {"queues": [MATCHES], "most": 1, "wait_s": 1})
    heard = WorkerToken.objects.get(name="volunteer").told_matches
    unheard = set(ids) - set(heard)
    jobs = claim(volunteer, [heard[0], *unheard]).json()["jobs"]
    post(volunteer, "passed-hints", {"ids": ids})

    assert unheard
    assert [job["match_id"] for job in jobs] == [heard[0]]
    assert set(Match.objects.sent().values_list("pk", flat=True)) == unheard


def test_what_a_token_trusted_with_everything_is_told_of_is_not_stored(stolen: str) -> None:
    make_matches(2)

    assert post(stolen, "hints", {"queues": [MATCHES], "most": 1}).json()["messages"]

    assert WorkerToken.objects.get().told_matches == []


def test_token_gives_back_no_more_hints_in_a_minute_than_it_could_claim(stolen: str) -> None:
    ids = make_matches(BATCH + 3)

    answers = [post(stolen, "passed-hints", {"ids": part}) for part in (ids[:5], ids)]
    unable = {**ANNOUNCED, "games": {}}
    claim_of_all = {"ids": ids, "slot": "ghost/1.0", "announcement": unable}
    refused = post(stolen, "claims", claim_of_all)

    assert [answer.status_code for answer in answers] == [204, 409]
    assert answers[1].json()["code"] == "hints_spent"
    assert refused.json()["jobs"] == []
    assert Match.objects.sent().count() == 3
    WorkerToken.objects.update(passed_since=F("passed_since") - timedelta(minutes=1))
    assert post(stolen, "passed-hints", {"ids": ids}).status_code == 204
    assert Match.objects.sent().count() == 0


def test_ghosts_change_no_plan(stolen: str) -> None:
    make_worker("own/1", slots=4)
    announce(stolen, "ghost/1", slots=1024)
    announce(stolen, "ghost/2", slots=1024)
    post(stolen, "heartbeats", {"name": "ghost/1", "held_slots": 1024})

    third = announce(stolen, "ghost/3", slots=1)

    assert (third.status_code, third.json()["code"]) == (409, "too_many_workers")
    assert set(Worker.objects.filter(token__isnull=False).values_list("slots")) == {(1,)}
    assert (read_fleet().slots, read_fleet().held_slots) == (5, 1)
    make_matches(1)
    Match.objects.update(sent_at=Now() - timedelta(minutes=2))
    watch_promises()
    let_pass(timedelta(minutes=6))
    watch_promises()
    fleet = read_fleet()
    assert (fleet.slots, fleet.held_slots, fleet.doubtful_slots) == (4, 0, 1)


def test_thief_who_holds_everything_stops_nothing(stolen: str) -> None:
    make_worker("own/1", slots=1)
    ids = make_matches(2 * BATCH, rated=True)
    announce(stolen, "ghost/1", slots=1024)
    jobs = claim(stolen, ids).json()["jobs"]
    claim(stolen, ids, slot="ghost/2.0")

    # Others play what it could not take.
    publish_pending(publish=lambda _: None)
    for pk in ids[BATCH:]:
        assert finish(claimed(Match.objects.get(pk=pk), "own/1.0"), result())
    # It says that it plays, without progress, and loses everything when the clocks allow no more.
    assert renew(stolen, jobs) == []
    let_pass(HOUR)
    assert renew(stolen, jobs) == ids[:BATCH]
    assert claim(stolen, ids[:BATCH], slot="ghost/3.0").json()["jobs"] == []
    publish_pending(publish=lambda _: None)
    assert claim(stolen, ids[:BATCH], slot="ghost/3.0").json()["jobs"] == []
    assert watch_promises() == 1
    assert claim(stolen, ids).json()["code"] == "worker_token_quarantined"
    publish_pending(publish=lambda _: None)
    for pk in ids[:BATCH]:
        assert finish(claimed(Match.objects.get(pk=pk), "own/1.0"), result())

    assert set(Match.objects.values_list("state", "host_faults")) == {(MatchState.DONE, 0)}
    assert not Attempt.objects.exclude(blamed_version=None).exists()
    assert not MatchSeat.objects.exclude(fault_kind="").exists()
    accepted = Attempt.objects.filter(state=AttemptState.ACCEPTED).values_list("match")
    assert sorted(pk for (pk,) in accepted) == ids


def test_thief_who_falls_silent_under_many_names_voids_no_match(stolen: str) -> None:
    make_worker("own/1")
    (pk,) = make_matches(1)

    for number in range(10):
        (job,) = claim(stolen, [pk], slot=f"ghost/{number}.0").json()["jobs"]
        seat = Match.objects.get(pk=pk).seats.get(seat=0)
        told = {"id": pk, "token": job["token"], "reason": "?", "has_failed": True}
        post(stolen, "returns", {**told, "suspect": seat.version_id})
        Attempt.objects.update(ended_at=Now() - timedelta(minutes=1))
        Match.objects.update(sent_at=Now())

    match = Match.objects.get(pk=pk)
    assert match.state == MatchState.PENDING
    assert not any(seat.is_blamed for seat in claimed(match, "own/1.0").seats)


def test_staff_see_why_and_lift_it(stolen: str) -> None:
    for _ in range(2):
        jobs = claim(stolen, make_matches(2)).json()["jobs"]
        let_pass(HOUR)
        renew(stolen, jobs)

    assert watch_promises() == 1

    quarantine = Quarantine.objects.get()
    assert "held 4 matches without progress" in quarantine.reason
    assert not undecided(quarantine).exists()
    end_quarantine(actor=make_staff(), quarantine=quarantine, reason="A bug of its host.")
    assert watch_promises() == 0
    assert claim(stolen, make_matches(1)).status_code == 200


def test_token_has_the_slots_that_it_was_made_with(capsys: pytest.CaptureFixture[str]) -> None:
    call_command("worker_token", "create", "cluster", "--slots", "20")
    capsys.readouterr()

    call_command("worker_token", "list")

    assert "cluster: valid, slots 20, " in capsys.readouterr().out
    assert WorkerToken.objects.get().slots == 20
