"""What a worker asks of the platform: the same promises by the database and over HTTP."""

from __future__ import annotations

import io
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from uuid import uuid4
from zipfile import ZipFile

import pytest

from pentathlon.bots.models import BotVersion, BuildLog, VersionState
from pentathlon.core.errors import Conflict, DomainError, InvalidInput, NotFound
from pentathlon.fleet.announcements import Announcement
from pentathlon.fleet.models import Worker
from pentathlon.matches.jobs import Job, Submission
from pentathlon.matches.models import Attempt, AttemptState, Match, MatchState
from pentathlon.matches.replays.models import Replay
from pentathlon.matches.services import note_sent, void_matches
from pentathlon.matches.uploads.services import submit_named, submit_version
from pentathlon_engines import GAMES
from pentathlon_engines.archive.archives import read_archive
from pentathlon_engines.manifest import built_in_bots
from pentathlon_engines.match.plain_launcher import PlainLauncher
from tests.factories import make_match, make_user, make_version, zip_files
from tests.pentathlon.matches.acting import let_lease_expire
from tests.pentathlon.matches.replays.playing import record_of, report_of, submission_of
from tests.workers.playing import DIRECT, play_jobs
from tests.workers.sites import make_worker_token, remote_platform
from workers.port import Lease, Platform
from workers.slots.bot_files import BotFiles

pytestmark = pytest.mark.django_db


def announced(**changes: object) -> Announcement:
    facts: dict[str, object] = {
        "name": "host/1",
        "slots": 2,
        "games": {key: game.info.version for key, game in GAMES.items()},
        "runtimes": ("command", "python"),
        "sandbox": "namespaces",
        "layers": [{"layer": "identity", "state": "ok", "detail": "no rights", "remedy": ""}],
        "version": "1",
        "began_s": time.monotonic() - 60,
    }
    return Announcement(**{**facts, **changes})  # type: ignore[arg-type]  # of many kinds


@pytest.fixture(params=["direct", "remote"])
def platform(request: pytest.FixtureRequest, tmp_path: Path) -> Platform:
    if request.param == "direct":
        return DIRECT
    return remote_platform(tmp_path / "unsent", make_worker_token()[1])


def claim(platform: Platform, *matches: Match, slot: str = "host/1.0") -> list[Job]:
    """Claim matches whose hints are out."""
    ids = [match.pk for match in matches]
    note_sent(match_ids=ids)
    return list(platform.claim(ids, slot=slot, announcement=announced()))


@pytest.fixture
def job(platform: Platform) -> Job:
    (job,) = claim(platform, make_match([make_version(), make_version(like="greedy")]))
    return job


def played(job: Job, *, luck: int = 1) -> Submission:
    report = report_of(record_of(job, luck=luck))
    return submission_of(job, report)


def codes(answers: list[DomainError | None]) -> list[str | None]:
    return [None if answer is None else answer.code for answer in answers]


def test_claim_takes_each_match_once(platform: Platform) -> None:
    match = make_match()

    first, second = claim(platform, match), claim(platform, match)

    assert [job.match_id for job in first] == [match.pk]
    assert second == []
    assert Attempt.objects.get().worker.endswith("host/1.0")


def test_job_says_the_same_on_both_ways(tmp_path: Path) -> None:
    remote = remote_platform(tmp_path, make_worker_token()[1])
    matches = [make_match([make_version(), make_version()], options={}) for _ in range(2)]
    Match.objects.update(seed=2**62 + 1)

    (direct,), (distant,) = claim(DIRECT, matches[0]), claim(remote, matches[1])

    names = {"match_id": 0, "token": direct.token, "told_name": "", "seats": ()}
    assert replace(direct, **names) == replace(distant, **names)  # type: ignore[arg-type]
    assert [seat.manifest for seat in distant.seats] == [seat.manifest for seat in distant.seats]
    assert type(distant.seats[0].manifest) is type(direct.seats[0].manifest)


def test_match_that_the_worker_cannot_play_is_left_to_others(platform: Platform) -> None:
    match = make_match()

    jobs = platform.claim([match.pk], slot="h/1.0", announcement=announced(runtimes=()))

    assert jobs == []
    assert Match.objects.get().state == MatchState.PENDING


def test_renewal_keeps_what_is_held_and_names_what_is_lost(platform: Platform) -> None:
    kept, lost, foreign = claim(platform, *(make_match() for _ in range(3)))
    let_lease_expire(kept.match_id)
    void_matches(matches=Match.objects.filter(pk=lost.match_id), reason="cancelled")
    asked = [kept, lost, replace(foreign, token=uuid4())]

    found = platform.renew([Lease(job=job, ply=7) for job in asked])

    assert set(found) == {lost.match_id, foreign.match_id}
    match = Match.objects.get(pk=kept.match_id)
    assert match.ply == 7
    assert not Match.objects.lease_expired().exists()


def test_results_count_once_each(platform: Platform) -> None:
    jobs = claim(platform, *(make_match([make_version(), make_version()]) for _ in range(3)))
    told = [played(job) for job in jobs]

    first, again = platform.hand_in(told), platform.hand_in(told)

    assert first == again == [None] * 3
    assert set(Match.objects.values_list("state", flat=True)) == {MatchState.DONE}
    assert Replay.objects.count() == 3


def test_other_result_of_the_same_attempt_is_refused(platform: Platform, job: Job) -> None:
    platform.hand_in([played(job)])

    answers = platform.hand_in([played(job, luck=2)])

    assert codes(answers) == ["different_result"]
    assert isinstance(answers[0], Conflict)


def test_result_of_an_old_attempt_is_refused(platform: Platform, job: Job) -> None:
    platform.give_back(job, reason="draining")
    claim(platform, Match.objects.get())

    answers = platform.hand_in([played(job)])

    assert codes(answers) == ["stale_token"]
    assert not Replay.objects.exists()


def test_result_of_a_foreign_match_is_refused(platform: Platform, job: Job) -> None:
    (other,) = claim(DIRECT, make_match([make_version(), make_version()]))

    answers = platform.hand_in([replace(played(job), match_id=other.match_id)])

    assert codes(answers) == ["stale_token"]


def test_fake_record_is_refused(platform: Platform, job: Job) -> None:
    told = played(job)
    told.report.record["outcome"]["ranks"].reverse()

    answers = platform.hand_in([told])

    assert codes(answers) == ["bad_record"]
    assert isinstance(answers[0], InvalidInput)
    assert Match.objects.get().state == MatchState.RUNNING


def test_returned_match_waits_again_without_a_failure(platform: Platform, job: Job) -> None:
    assert platform.give_back(job, reason="draining")
    assert not platform.give_back(job, reason="again")

    match = Match.objects.get()
    assert (match.state, match.host_faults) == (MatchState.PENDING, 0)


def test_failure_of_the_host_is_noted_with_its_suspect(platform: Platform, job: Job) -> None:
    suspect = job.seats[1].version_id

    assert platform.give_back(
        job, reason="no memory", has_failed=True, suspect=suspect, was_too_slow=True
    )

    attempt = Attempt.objects.get()
    assert (attempt.state, attempt.reason) == (AttemptState.FAILED, "no memory")
    assert (attempt.blamed_version, attempt.was_too_slow) == (suspect, True)


def test_worker_is_known_once_it_is_announced(platform: Platform) -> None:
    assert not platform.beat(name="host/1", starved=0.0, held_slots=0)

    platform.announce(announced())

    assert platform.beat(name="host/1", starved=0.5, held_slots=1)
    worker = Worker.objects.alive().get()
    assert (worker.starved, worker.held_slots, worker.slots) == (0.5, 1, 2)
    assert 55 < (worker.seen_at - worker.started_at).total_seconds() < 120
    platform.note_draining("host/1")
    assert not Worker.objects.alive().exists()


@pytest.fixture
def files(platform: Platform) -> Iterator[BotFiles]:
    files = BotFiles(platform.archive)
    yield files
    files.close()


def test_match_is_played_to_its_end(platform: Platform, files: BotFiles, job: Job) -> None:
    assert play_jobs([job], platform=platform, launcher=PlainLauncher(), files=files) == 0

    match = Match.objects.get()
    assert (match.state, match.host_faults) == (MatchState.DONE, 0)
    assert not match.seats.exclude(fault_kind="").exists()


def test_bots_with_one_model_have_one_file_of_it(platform: Platform, files: BotFiles) -> None:
    owner, model = make_user(), b"\x08 weights"
    manifest = 'name = "learned"\ngames = ["tuned"]\nlanguage = "python"\nmodel = "a.onnx"\n'
    for salt in "12":
        bot: dict[str, bytes | str] = {
            "bot.toml": manifest,
            "main.py": f"# {salt}",
            "a.onnx": model,
        }
        submit_named(actor=owner, archive=read_archive(zip_files(bot)))
    jobs = claim(platform, *Match.objects.order_by("pk"))
    seats = [job.seats[0] for job in jobs]
    folders = [
        files.folder(seat.files_hash, model=(str(seat.manifest.model), seat.model_hash))
        for seat in seats
    ]

    assert [(folder / "a.onnx").read_bytes() for folder in folders] == [model, model]
    assert len({(folder / "a.onnx").stat().st_ino for folder in folders}) == 1
    assert not (folders[0] / "a.onnx").stat().st_mode & 0o222
    files._most = 1
    files.make_room()
    assert len(files._models) == 1
    files._most = 0
    files.make_room()
    assert files._models == {}


def unbuilt_job(platform: Platform) -> Job:
    manifest = 'name = "smith"\ngames = ["tuned"]\ncommand = ["{python}", "{bot}/made.py"]\n'
    manifest += 'build = ["cp", "source.py", "made.py"]\n'
    source = (built_in_bots()["random"] / "main.py").read_text()
    submit_version(
        actor=make_user(), archive=zip_files({"bot.toml": manifest, "source.py": source})
    )
    can_build = announced(runtimes=("command", "python", "build:cp"))
    match_ids = [Match.objects.get().pk]
    note_sent(match_ids=match_ids)
    job: Job
    (job,) = platform.claim(match_ids, slot="host/1.0", announcement=can_build)
    return job


def built(platform: Platform, job: Job) -> bytes:
    """Return what the build of the job's upload would make."""
    names = ("bot.toml", "source.py")
    upload = read_archive(platform.archive(job.seats[0].content_hash))

    with ZipFile(io.BytesIO(upload.normalised)) as sources:
        texts = {name: sources.read(name).decode() for name in names}
    return zip_files({**texts, "made.py": texts["source.py"]})


def test_build_is_kept_once(platform: Platform) -> None:
    job = unbuilt_job(platform)
    seat = job.seats[0]
    assert platform.built_files(job, seat) == ""
    platform.note_build_log(job, seat, "compiling")

    files_hash = platform.keep_build(job, seat, read_archive(built(platform, job)))

    assert files_hash == BotVersion.objects.get().files_hash() == platform.built_files(job, seat)
    assert platform.archive(files_hash)
    assert BuildLog.objects.get().text == "compiling"


def test_build_can_be_rejected_by_whoever_holds_a_match_of_it(platform: Platform) -> None:
    job = unbuilt_job(platform)
    stranger = replace(job, token=uuid4())

    for refused in (
        lambda: platform.reject_build(stranger, job.seats[0], reason="no", log=""),
        lambda: platform.note_build_log(stranger, job.seats[0], "no"),
        lambda: platform.keep_build(stranger, job.seats[0], read_archive(built(platform, job))),
    ):
        with pytest.raises(Conflict) as caught:
            refused()
        assert caught.value.code == "stale_token"
    assert BotVersion.objects.get().state == VersionState.VALIDATING

    platform.reject_build(job, job.seats[0], reason="build: it failed", log="cp: no")

    assert BotVersion.objects.get().state == VersionState.REJECTED
    assert Match.objects.get().state == MatchState.VOID


def test_unknown_match_is_refused(platform: Platform, job: Job) -> None:
    answers = platform.hand_in([replace(played(job), match_id=10**12)])

    assert codes(answers) == [NotFound.code]
