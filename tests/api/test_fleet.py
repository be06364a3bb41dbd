"""The addresses of workers without keys: who may ask, and what they are not told."""

from __future__ import annotations

import json
from datetime import timedelta
from io import StringIO
from typing import Any, cast
from uuid import uuid4

import pytest
from django.core.management import CommandError, call_command
from django.db.models.functions import Now
from django.test import Client
from kombu import Connection
from pytest_django import DjangoAssertNumQueries

from pentathlon.fleet.announcements import Work
from pentathlon.fleet.models import Worker, WorkerToken
from pentathlon.fleet.queues import QUEUES
from pentathlon.friendlies.stretches import publish_friendlies
from pentathlon.insight.analyses.jobs import PATIENCE_S
from pentathlon.insight.analyses.models import Analysis
from pentathlon.insight.analyses.services import ask_for_analysis, send_analyses
from pentathlon.matches.models import Attempt, AttemptState, Match, MatchState
from pentathlon.matches.worker_tokens import revoke_worker_token
from pentathlon_engines import GAMES
from tests.api.client import assert_problem
from tests.factories import (
    make_match,
    make_staff,
    make_token,
    make_user,
    make_version,
    make_worker,
)
from tests.pentathlon.friendlies.acting import begun
from tests.pentathlon.insight.analyses.test_services import make_played
from tests.pentathlon.matches.acting import claimed

pytestmark = pytest.mark.django_db

FLEET = "/api/v1/fleet"
ANNOUNCED = {
    "name": "host/1",
    "slots": 2,
    "games": {key: game.info.version for key, game in GAMES.items()},
    "runtimes": ["command", "python"],
    "untried": [],
    "sandbox": "namespaces",
    "layers": [],
    "version": "1",
    "age_s": 5.0,
}
BODIES: dict[str, dict[str, Any]] = {
    "heartbeats": {"name": "host/1"},
    "hints": {},
    "passed-hints": {"ids": []},
    "claims": {"ids": [], "slot": "host/1.0", "announcement": ANNOUNCED},
    "leases": {"leases": []},
    "results": {"results": []},
    "returns": {"id": 1, "token": str(uuid4()), "reason": "", "has_failed": False},
    "builds": {"id": 1, "token": str(uuid4()), "version_id": 1, "archive": ""},
    "demand": {},
}


def secret_of(name: str, *work: Work) -> str:
    """Make a token by the command, and return what it prints."""
    printed = StringIO()
    options = ["--work", *work] if work else []
    call_command("worker_token", "create", name, *options, stdout=printed)
    return printed.getvalue().strip()


@pytest.fixture
def secret() -> str:
    return secret_of("machine")


def post(secret: str, path: str, body: dict[str, Any]) -> Any:
    return Client().post(
        f"{FLEET}/{path}/",
        json.dumps(body),
        content_type="application/json",
        headers={"Authorization": f"Bearer {secret}"},
    )


def claim(secret: str, *matches: Match) -> list[dict[str, Any]]:
    """Claim matches whose hints are out."""
    ids = [match.pk for match in matches]
    Match.objects.filter(pk__in=ids, state=MatchState.PENDING).update(sent_at=Now())
    answer = post(secret, "claims", {**BODIES["claims"], "ids": ids})
    assert answer.status_code == 200, answer.content
    jobs: list[dict[str, Any]] = answer.json()["jobs"]
    return jobs


@pytest.mark.parametrize("path", BODIES)
def test_only_workers_are_answered(path: str) -> None:
    _, of_a_person = make_token(make_user())
    revoked = secret_of("old")
    revoke_worker_token(WorkerToken.objects.get(name="old"))

    codes = {
        who: post(who, path, BODIES[path]).json()["code"]
        for who in (of_a_person, "ptw_" + "0" * 64, "ptw_\xe9", revoked)
    }

    assert list(codes.values()) == [*["worker_token_unknown"] * 3, "worker_token_revoked"]
    assert Client().post(f"{FLEET}/{path}/").status_code == 401


def test_worker_token_is_no_persons(secret: str) -> None:
    answer = Client().get(
        "/api/v1/challenges/quota/", headers={"Authorization": f"Bearer {secret}"}
    )

    assert answer.status_code == 401
    assert WorkerToken.objects.get().digest != secret
    assert WorkerToken.objects.get().last_used_at is None


@pytest.mark.parametrize("path", BODIES)
def test_unknown_fields_are_refused(path: str, secret: str) -> None:
    answer = post(secret, path, {**BODIES[path], "nonsense": 1})

    assert answer.status_code == 400
    assert answer.json()["errors"][0]["code"] == "unknown_field"


def hints(secret: str, *, most: int = 64, **asked: object) -> list[tuple[Any, ...]]:  # Any: JSON
    """Return the tasks that a worker is told of, each with its argument and options."""
    body = {"queues": [*QUEUES], "most": most, "wait_s": 0, **asked}
    answer = post(secret, "hints", body)
    assert answer.status_code == 200, answer.content
    with Connection("memory://") as connection:
        channel: Any = connection.default_channel  # Any: virtual
        told = [channel.message_to_python(each["message"]) for each in answer.json()["messages"]]
    found = [(message.headers["task"], *message.decode()) for message in told]
    return [(task, *arguments, *options.values()) for task, arguments, options, _ in found]


def test_wait_for_a_hint_is_left_to_the_server(secret: str) -> None:
    answer = post(secret, "hints", {"wait_s": 5, "queues": [*QUEUES]})

    assert not any(answer.json().values())
    assert answer.headers["Pentathlon-Hint-Pause"] == "5.0"


def test_held_worker_is_told_of_friendlies_only(secret: str) -> None:
    make_worker()
    make_match(rated=True, sent_at=Now())
    friendly = begun(seat=1)
    publish_friendlies(lambda ids: None)

    assert hints(secret, queues=["friendly"]) == [("move_bots", [friendly.pk])]
    assert len(hints(secret)) == 2


def test_worker_is_told_as_much_as_it_has_idle_slots(secret: str) -> None:
    matches = {make_match(rated=True, sent_at=Now()).pk for _ in range(5)}

    two, all_of_them = hints(secret, most=2), hints(secret)

    assert [task for task, _ in two] == ["play_matches"] * 2
    assert {pk for _, ids in all_of_them for pk in ids} == matches


def test_worker_without_full_trust_is_told_only_of_what_it_may_do() -> None:
    """Else hints would go to and fro between it and the reconciler."""
    unbuilt = make_version()
    unbuilt.manifest["build"] = ["cc", "-o", "bot", "main.c"]
    unbuilt.save()
    rated, unrated = make_match(rated=True, sent_at=Now()), make_match(sent_at=Now())
    building = make_match([unbuilt, unbuilt], sent_at=Now())
    make_match()  # has not been sent out

    def named(*work: Work) -> Any:
        told = hints(secret_of("-".join(work), *work))
        return sorted(pk for _, ids in told for pk in ids)

    assert named(Work.RATED) == [rated.pk]
    assert named(Work.UNRATED) == [unrated.pk]
    assert named(Work.BUILDS) == [building.pk]
    assert named(Work.UNRATED, Work.BUILDS) == [unrated.pk, building.pk]
    assert named(Work.ANALYSES) == []


def test_worker_gets_only_work_that_it_is_trusted_with() -> None:
    helper = secret_of("helper", Work.UNRATED)
    rated, unrated = make_match(rated=True), make_match(rated=False, sent_at=Now())
    post(helper, "hints", {})

    jobs = claim(helper, rated, unrated)

    assert [job["match_id"] for job in jobs] == [unrated.pk]
    assert Match.objects.get(pk=rated.pk).state == MatchState.PENDING


def test_claim_costs_the_same_however_many_matches(
    secret: str, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    versions = [make_version(), make_version(like="greedy")]
    matches = [make_match(versions) for _ in range(8)]
    claim(secret, matches[0])

    with django_assert_max_num_queries(19):
        assert len(claim(secret, *matches[1:])) == 7


def test_renewal_costs_the_same_however_many_matches(
    secret: str, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    versions = [make_version(), make_version(like="greedy")]
    jobs = claim(secret, *(make_match(versions) for _ in range(4)))
    leases = [{"id": job["match_id"], "token": job["token"], "ply": 3} for job in jobs]

    with django_assert_max_num_queries(6):
        answer = post(secret, "leases", {"leases": leases})

    assert answer.json() == {"lost": []}


def test_workers_of_two_tokens_never_share_a_name() -> None:
    for name in ("one", "two"):
        post(secret_of(name), "heartbeats", {"name": "host/1", "announcement": ANNOUNCED})

    assert Worker.objects.count() == 2
    assert {worker.name.partition(":")[2] for worker in Worker.objects.all()} == {"host/1"}


def archive(secret: str, content_hash: str, match_id: int, **headers: str) -> Any:
    return Client().get(
        f"{FLEET}/archives/{content_hash}/?match={match_id}",
        headers={"Authorization": f"Bearer {secret}", **headers},
    )


def test_archive_comes_in_parts(secret: str) -> None:
    version = make_version()
    (job,) = claim(secret, make_match([version, version]))
    whole = bytes(version.archive.data)

    first = archive(secret, version.archive_id, job["match_id"])
    rest = archive(secret, version.archive_id, job["match_id"], Range="bytes=10-")

    assert (first.status_code, first.content) == (200, whole)
    assert (rest.status_code, rest.content) == (206, whole[10:])
    assert rest.headers["Content-Range"] == f"bytes 10-{len(whole) - 1}/{len(whole)}"


@pytest.mark.parametrize("wanted", ["bytes=-", "bytes=0-1,4-5", "lines=1-"])
def test_range_that_makes_no_sense_gets_everything(wanted: str, secret: str) -> None:
    version = make_version()
    (job,) = claim(secret, make_match([version, version]))

    answer = archive(secret, version.archive_id, job["match_id"], Range=wanted)

    assert (answer.status_code, answer.content) == (200, bytes(version.archive.data))


def test_worker_reads_no_bot_that_it_does_not_play(secret: str) -> None:
    stranger, other = make_version(), make_version(like="greedy")
    (job,) = claim(secret, make_match([other, other]))
    foreign = claimed(make_match([stranger, stranger]))

    answers = [
        archive(secret, stranger.archive_id, match_id)
        for match_id in (job["match_id"], foreign.match_id, 10**17)
    ]

    assert [answer.json()["code"] for answer in answers] == ["unneeded_files"] * 3


def test_worker_reads_no_bot_after_its_match(secret: str) -> None:
    version = make_version()
    (job,) = claim(secret, make_match([version, version]))
    post(secret, "returns", _returning(job))

    answer = archive(secret, version.archive_id, job["match_id"])

    assert answer.json()["code"] == "unneeded_files"


def _returning(job: dict[str, Any]) -> dict[str, Any]:
    told = {"id": job["match_id"], "token": job["token"]}
    return {**told, "reason": "draining", "has_failed": False}


def test_revoked_token_gives_its_matches_back_without_a_failure(secret: str) -> None:
    (job,) = claim(secret, make_match([make_version(), make_version()]))

    call_command("worker_token", "revoke", "machine")

    match = Match.objects.get()
    assert (match.state, match.host_faults) == (MatchState.PENDING, 0)
    assert Attempt.objects.get().state == AttemptState.RETURNED
    assert post(secret, "leases", BODIES["leases"]).json()["code"] == "worker_token_revoked"
    assert job["attempt"] == 1


def test_command_says_what_is_wrong(secret: str) -> None:
    with pytest.raises(CommandError, match="already"):
        call_command("worker_token", "create", "machine")
    with pytest.raises(CommandError, match="no worker token"):
        call_command("worker_token", "revoke", "nobody")


@pytest.mark.parametrize(
    "broken",
    [
        {},
        {"id": 1},
        {"task": "sweep"},
        {"task": []},
        {"task": "move_bots"},
        {"task": "analyse_match"},
        {"logs": "x"},
        {"usage": [{"cpu_s": 1e300, "wall_s": 1, "memory_peak_mb": 1, "exit_status": 0}]},
        {"record": []},
        {"record": {"game": "tuned", "events": [[0]]}},
        {"notes": [[[10**30, "x"]]]},
        {"traces": [1]},
        {"id": -1},
        {"token": "x"},
    ],
    ids=str,
)
def test_nonsense_is_refused_result_by_result(broken: dict[str, Any], secret: str) -> None:
    (job,) = claim(secret, make_match([make_version(), make_version()]))
    usage = {"cpu_s": 0.1, "wall_s": 0.1, "memory_peak_mb": 1.0, "exit_status": 0}
    whole = {
        "id": job["match_id"],
        "token": job["token"],
        "record": {},
        "logs": ["", ""],
        "usage": [usage] * 2,
        "notes": [[], []],
        "traces": [],
    }
    told = {**whole, **broken} if broken else {}

    answer = post(secret, "results", {"results": [told]})

    assert answer.status_code == 200
    (refusal,) = answer.json()["answers"]
    assert refusal["code"] in {"bad_result", "bad_record", "not_found"}
    assert Match.objects.get().state == MatchState.RUNNING


def test_staff_make_a_token_and_see_what_it_played() -> None:
    browser = Client()
    browser.force_login(make_staff(superuser=True))
    made = browser.post(
        "/admin/fleet/workertoken/add/",
        {"name": "lab", "work": ["rated"], "slots": 4},
        follow=True,
    )
    secret = made.content.decode().partition("ptw_")[2][:64]
    match = make_match([make_version(), make_version()], rated=True, sent_at=Now())
    post(f"ptw_{secret}", "hints", {})
    (job,) = claim(f"ptw_{secret}", match)
    token = WorkerToken.objects.get()

    page = browser.get(f"/admin/fleet/workertoken/{token.pk}/change/").content.decode()

    assert f"match {job['match_id']}, attempt 1" in page
    assert secret not in page
    revoking = {"action": "revoke", "_selected_action": [token.pk]}
    browser.post("/admin/fleet/workertoken/", revoking)
    assert Match.objects.get().state == MatchState.PENDING


@pytest.mark.parametrize(
    "match_id",
    ["", "-1", "1.0", "x", "9" * 20, "0" * 20 + "9" * 20, "0" * 5000, "\u0661"],
    ids=["none", "below", "real", "word", "large", "zeros before", "zeros", "Arabic"],
)
def test_place_that_no_bot_can_have_is_refused(match_id: str, secret: str) -> None:
    answer = archive(secret, make_version().archive_id, cast("int", match_id))

    assert_problem(answer, status=400, code="invalid", attr="match")


def test_helper_is_told_of_friendlies_first_and_of_analyses_last() -> None:
    helper = secret_of("helper", Work.UNRATED, Work.ANALYSES)
    make_worker(slots=2)
    played = make_played()
    ask_for_analysis(played)
    send_analyses(send=lambda match_id, *, is_lent: None)
    friendly = begun(seat=1)
    publish_friendlies(lambda ids: None)

    assert hints(helper) == [("move_bots", [friendly.pk]), ("analyse_match", [played.pk])]
    assert hints(helper, most=1) == [("move_bots", [friendly.pk])]


def test_slot_is_lent_to_an_analysis_while_matches_wait(secret: str) -> None:
    make_worker(slots=2)
    make_match(rated=True, sent_at=Now())
    played = make_played()
    ask_for_analysis(played)
    asked_at = Now() - timedelta(seconds=PATIENCE_S + 1)
    Analysis.objects.update(asked_at=asked_at, sent_at=Now())

    lent, match = hints(secret)

    assert lent == ("analyse_match", [played.pk], True)
    assert match[0] == "play_matches"


def test_build_that_is_no_base64_is_refused(secret: str) -> None:
    answer = post(secret, "builds", {**BODIES["builds"], "archive": "é!"})

    assert_problem(answer, status=400, code="invalid", attr="archive")
