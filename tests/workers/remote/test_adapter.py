"""What a worker without keys does while the network fails."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from django.db.models.functions import Now
from structlog.testing import capture_logs
from urllib3.exceptions import HTTPError, ProtocolError

from pentathlon.core.errors import Conflict, DomainError, InvalidInput, NotFound
from pentathlon.fleet.models import WorkerToken
from pentathlon.matches.jobs import Job, Submission
from pentathlon.matches.models import Match, MatchState
from pentathlon.matches.replays.models import Replay
from pentathlon.matches.wire import MOST_RESULTS, submission_to_json
from pentathlon.matches.worker_tokens import revoke_worker_token
from pentathlon_engines.match.plain_launcher import PlainLauncher
from tests.factories import make_match, make_version
from tests.pentathlon.matches.replays.playing import record_of, report_of, submission_of
from tests.workers.playing import play_jobs
from tests.workers.sites import Wire, cut, make_worker_token, remote_platform
from tests.workers.test_platforms import announced
from workers.port import Lease, PlatformAway
from workers.remote import adapter
from workers.remote.adapter import RemotePlatform
from workers.remote.client import TokenRefused
from workers.slots import play
from workers.slots.bot_files import BotFiles

pytestmark = pytest.mark.django_db

RESULTS = "/api/v1/fleet/results/"


@pytest.fixture
def job(platform: RemotePlatform) -> Job:
    match = make_match([make_version(), make_version(like="greedy")], sent_at=Now())
    job: Job
    (job,) = platform.claim([match.pk], slot="host/1.0", announcement=announced())
    return job


def played(job: Job) -> Submission:
    report = report_of(record_of(job))
    return submission_of(job, report)


def kept(folder: Path) -> list[Path]:
    """Return the files of results that wait on disk, whatever site and token they belong to."""
    return sorted(folder.rglob("*.json"))


def _nothing(path: str) -> None:
    """Let requests pass."""


def test_answer_that_is_lost_counts_nothing_twice(
    wire: Wire, platform: RemotePlatform, job: Job
) -> None:
    def lose(path: str, body: bytes) -> bytes:
        raise ProtocolError("Connection broken")

    wire.on_answer = lose
    with pytest.raises(PlatformAway):
        platform.hand_in([played(job)])
    assert Match.objects.get().state == MatchState.DONE

    wire.on_answer = lambda path, body: body

    assert platform.hand_in([played(job)]) == [None]
    assert Replay.objects.count() == 1


@pytest.mark.parametrize(
    "body",
    [b"", b"<html>", b'{"answers"', b"[]", b"{}", b'{"answers": []}', b'{"answers": [7]}'],
    ids=repr,
)
def test_answer_of_something_in_between_is_no_answer(
    body: bytes, wire: Wire, platform: RemotePlatform, job: Job
) -> None:
    wire.on_answer = lambda path, _: body

    with pytest.raises(PlatformAway):
        platform.hand_in([played(job)])


def test_result_lies_on_disk_until_it_is_taken(
    wire: Wire, platform: RemotePlatform, job: Job, tmp_path: Path
) -> None:
    wire.on_request = cut
    with pytest.raises(PlatformAway):
        platform.hand_in([played(job)])
    assert len(kept(tmp_path)) == 1

    # This stands for a new process after the first one was killed.
    wire.on_request = _nothing
    again = remote_platform(tmp_path, platform.site.headers["Authorization"][7:], wire)

    assert again.hand_in_unsent() == 1
    assert Match.objects.get().state == MatchState.DONE
    assert not kept(tmp_path)


def test_result_of_one_site_or_token_is_not_handed_in_with_another(
    wire: Wire, platform: RemotePlatform, job: Job, tmp_path: Path
) -> None:
    wire.on_request = cut
    with pytest.raises(PlatformAway):
        platform.hand_in([played(job)])
    wire.on_request, wire.paths = _nothing, []
    secret = platform.site.headers["Authorization"].removeprefix("Bearer ")

    other_token = remote_platform(tmp_path, make_worker_token()[1], wire)
    other_site = RemotePlatform(server="http://127.0.0.1:1", token=secret, unsent=tmp_path)

    assert other_token.hand_in_unsent() == 0
    assert other_site.hand_in_unsent() == 0, "it would have asked a closed port"
    assert wire.paths == []
    assert len(kept(tmp_path)) == 1
    assert platform.hand_in_unsent() == 1


def test_refused_token_leaves_the_results_on_disk(
    wire: Wire, platform: RemotePlatform, job: Job, tmp_path: Path
) -> None:
    token = WorkerToken.objects.get()
    revoke_worker_token(token)

    (refusal,) = platform.hand_in([played(job)])
    assert platform.hand_in_unsent() == 0

    assert isinstance(refusal, TokenRefused)
    assert len(kept(tmp_path)) == 1


@pytest.mark.parametrize("call", ["mkdir", "replace", "unlink"])
def test_disk_that_fails_holds_back_no_result(
    call: str, platform: RemotePlatform, job: Job, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    submission = played(job)
    with monkeypatch.context() as broken, capture_logs() as logs:
        broken.setattr(Path, call, fail)
        assert platform.hand_in([submission]) == [None]

    assert Match.objects.get().state == MatchState.DONE
    assert [line["event"] for line in logs if "result" in line["event"]][:1] == [
        "result not removed" if call == "unlink" else "result not kept"
    ]


def test_result_that_the_site_fails_at_holds_up_no_other(
    wire: Wire, platform: RemotePlatform, job: Job, tmp_path: Path
) -> None:
    result = submission_to_json(played(job))
    poison = {**result, "id": 0}
    platform._unsent.keep(poison)
    platform._unsent.keep(result)
    first = iter([True])

    def fail(path: str, body: bytes) -> bytes:
        return b"<html>" if path == RESULTS and next(first, False) else body

    wire.on_answer = fail

    assert platform.hand_in_unsent() == 1
    assert [path.name for path in kept(tmp_path)] == [f"0-{result['token']}.json"]


def test_result_that_spoils_a_request_is_refused_alone(
    wire: Wire, platform: RemotePlatform, job: Job
) -> None:
    good = submission_to_json(played(job))

    answers = platform._hand_in([{**good, "id": "seven"}, good])

    assert [type(answer) for answer in answers] == [InvalidInput, type(None)]
    assert Match.objects.get().state == MatchState.DONE


def test_result_that_nobody_wants_does_not_stay_on_disk(
    wire: Wire, platform: RemotePlatform, job: Job, tmp_path: Path
) -> None:
    platform.give_back(job, reason="draining")

    (refusal,) = platform.hand_in([played(job)])

    assert refusal is not None
    assert refusal.code == "stale_token"
    assert not kept(tmp_path)


def test_match_is_handed_in_when_the_network_is_back(
    wire: Wire, platform: RemotePlatform, job: Job, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(play, "AWAY_S", 0.0)
    monkeypatch.setattr(play, "AGAIN_AFTER_S", (0.0,) * 9)
    left = [5]

    def fail(path: str) -> None:
        if path == RESULTS and left[0]:
            left[0] -= 1
            cut(path)

    wire.on_request = fail
    files = BotFiles(platform.archive)

    assert play_jobs([job], platform=platform, launcher=PlainLauncher(), files=files) == 0

    files.close()
    match = Match.objects.get()
    assert (match.state, match.host_faults, match.attempts_made) == (MatchState.DONE, 0, 1)
    # When the site is back, the lease comes first.
    assert wire.paths[-2:] == ["/api/v1/fleet/leases/", RESULTS]


def test_download_goes_on_where_it_broke_off(
    wire: Wire, platform: RemotePlatform, job: Job
) -> None:
    content_hash = job.seats[0].content_hash
    whole = platform.archive(content_hash)
    wire.paths.clear()
    lengths: list[int] = []

    def cut_in_half(path: str, body: bytes) -> bytes:
        lengths.append(len(body))
        return body[: len(body) // 2] if len(lengths) < 3 else body

    wire.on_answer = cut_in_half

    assert platform.archive(content_hash) == whole
    assert lengths[0] == len(whole)
    assert lengths == sorted(set(lengths), reverse=True)


def test_download_that_brings_nothing_is_an_outage(
    wire: Wire, platform: RemotePlatform, job: Job
) -> None:
    wire.on_request = cut

    with pytest.raises(PlatformAway):
        platform.archive(job.seats[0].content_hash)


@pytest.fixture
def revoked(platform: RemotePlatform, job: Job) -> Job:
    revoke_worker_token(WorkerToken.objects.get())
    return job


@pytest.mark.parametrize(
    "ask",
    [
        lambda platform, job: platform.claim([1], slot="h", announcement=announced()),
        lambda platform, job: platform.publish_again([1]),
        lambda platform, job: platform.built_files(job, job.seats[0]),
    ],
)
def test_revoked_token_is_told_to_whoever_asks_for_work(
    ask: Callable[[RemotePlatform, Job], object], platform: RemotePlatform, revoked: Job
) -> None:
    with pytest.raises(TokenRefused):
        ask(platform, revoked)

    assert platform.has_refused


def test_revoked_token_ends_matches_without_a_fault(
    platform: RemotePlatform, revoked: Job
) -> None:
    assert platform.renew([Lease(job=revoked, ply=1)]) == [revoked.match_id]
    (refusal,) = platform.hand_in([played(revoked)])
    assert refusal is not None
    assert refusal.code == "worker_token_revoked"
    assert not platform.give_back(revoked, reason="")
    assert platform.beat(name="host/1", starved=0, held_slots=0)

    assert set(Match.objects.values_list("state", "host_faults")) == {(MatchState.PENDING, 0)}


@pytest.mark.parametrize("status", [429, 500, 502, 503])
def test_later_is_an_outage(
    status: int, platform: RemotePlatform, job: Job, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(PlatformAway):
        platform.site.refuse(status, b'{"code": "busy", "detail": "Come later."}')


def test_site_that_cannot_be_reached_does_not_answer(wire: Wire, platform: RemotePlatform) -> None:
    assert platform.answers()

    wire.on_request = cut

    assert not platform.answers()
    assert issubclass(ProtocolError, HTTPError)


@pytest.mark.parametrize("body", [b"<h1>Bad gateway</h1>", b"[]", b'{"code": "x"}'], ids=repr)
def test_refusal_that_is_not_the_sites_own_is_an_outage(
    body: bytes, platform: RemotePlatform
) -> None:
    with pytest.raises(PlatformAway, match="Something in between answers with status 404"):
        platform.site.refuse(404, body)

    assert not platform.has_refused


@pytest.mark.parametrize(
    ("status", "kind"),
    [(400, InvalidInput), (404, NotFound), (409, Conflict), (413, InvalidInput)],
)
def test_refusal_keeps_the_code_of_the_site(
    status: int, kind: type[DomainError], platform: RemotePlatform
) -> None:
    with pytest.raises(kind, match=r"^Not so\.$") as refused:
        platform.site.refuse(status, b'{"code": "not_so", "detail": "Not so."}')

    assert refused.value.code == "not_so"


def test_download_that_breaks_off_again_and_again_is_an_outage(
    wire: Wire, platform: RemotePlatform, job: Job
) -> None:
    asked: list[str] = []

    def trickle(path: str, body: bytes) -> bytes:
        asked.append(path)
        return body[:10]

    wire.on_answer = trickle

    with pytest.raises(PlatformAway, match="5 downloads"):
        platform.archive(job.seats[0].content_hash)

    assert len(asked) == 5


def test_results_of_an_earlier_run_that_nobody_wants_are_told_and_dropped(
    platform: RemotePlatform, job: Job, tmp_path: Path
) -> None:
    result = submission_to_json(played(job))
    platform._unsent.keep(result)
    platform.give_back(job, reason="draining")

    with capture_logs() as logs:
        assert platform.hand_in_unsent() == 0

    told = [line for line in logs if line["event"] == "result not wanted"]
    assert [line["code"] for line in told] == ["stale_token"]
    assert not kept(tmp_path)


@pytest.mark.parametrize(
    ("sizes", "parts"),
    [
        pytest.param([], [], id="none"),
        pytest.param([10, 10, 10], [3], id="together"),
        pytest.param([80, 80, 80], [2, 1], id="as many as have room"),
        pytest.param([500], [1], id="a large one alone"),
        pytest.param([10, 500, 10], [1, 1, 1], id="a large one between others"),
        pytest.param([9] * (MOST_RESULTS + 1), [MOST_RESULTS, 1], id="as many as it takes"),
    ],
)
def test_results_are_sent_in_parts_that_the_site_takes(
    sizes: list[int], parts: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(adapter, "LONGEST_BODY", 200)
    results = [{"": "x" * max(0, size - len('{"": ""}'))} for size in sizes]

    found = list(adapter._parts(results))

    assert [len(part) for part in found] == parts
    assert [result for part in found for result in part] == results


def test_site_that_refuses_connections_is_away(tmp_path: Path) -> None:
    closed = RemotePlatform(server="http://127.0.0.1:1/", token="ptw_1", unsent=tmp_path)

    assert not closed.answers()
    with pytest.raises(PlatformAway):
        closed.publish_again([1])


def test_processes_share_no_connection(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    platform = RemotePlatform(server="http://127.0.0.1:1/", token="ptw_1", unsent=tmp_path)
    platform.answers()
    own = platform.site._pool
    platform.answers()
    assert platform.site._pool is own

    monkeypatch.setattr("os.getpid", lambda: -1)
    platform.answers()

    assert platform.site._pool is not own
