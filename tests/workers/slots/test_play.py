import os
import signal
from collections.abc import Sequence
from dataclasses import replace

import pytest
from django.db import OperationalError
from structlog.testing import capture_logs

from pentathlon import work
from pentathlon.bots.models import Archive
from pentathlon.core.errors import DomainError
from pentathlon.matches.jobs import Job, SeatJob, Submission
from pentathlon.matches.models import Attempt, AttemptState, Match, MatchSeat, MatchState, SeatLog
from pentathlon.matches.replays.models import Replay
from pentathlon.matches.replays.services import accept_results
from pentathlon.matches.services import claim_matches, void_matches
from pentathlon.matches.uploads import services
from pentathlon.matches.uploads.services import submit_version
from pentathlon_engines.manifest import built_in_bots
from pentathlon_engines.match.launcher import (
    BotCommand,
    BotProcess,
    Breach,
    EndedFromOutside,
    Launcher,
    LaunchFailed,
    SandboxLevel,
    Usage,
)
from pentathlon_engines.match.limits import Limits
from pentathlon_engines.match.plain_launcher import PlainLauncher
from tests.factories import make_match, make_user, make_version, zip_files
from tests.pentathlon.matches.acting import claimed
from tests.workers.playing import play_jobs
from tests.workers.slots.launchers import BrokenHost, Cleaner
from workers.direct import DirectPlatform
from workers.drain import Drain
from workers.host.cpu_pressure import Starvation
from workers.port import PlatformAway
from workers.sandbox.files.staging import remove_tree
from workers.slots import play
from workers.slots.bot_files import BotFiles
from workers.slots.builds import BuildRefused
from workers.slots.lease import LeaseKeeper

pytestmark = pytest.mark.django_db


class Outage:
    """A database that is away for the first few times that it is asked."""

    def __init__(self, times: int) -> None:
        self.left = times
        self.asked: list[str] = []

    def __call__(self, name: str) -> None:
        """Note a question; answer it once the outage is over."""
        self.asked.append(name)
        if self.left:
            self.left -= 1
            raise PlatformAway("server closed the connection")


class Meddler(Launcher):
    """A launcher during whose work the organiser calls everything off."""

    level = SandboxLevel.PROCESS
    layers: tuple[str, ...] = ()

    def start(self, command: BotCommand, *, seat: int, limits: Limits) -> BotProcess:
        void_matches(matches=Match.objects.all(), reason="cancelled")
        return PlainLauncher().start(command, seat=seat, limits=limits)


@pytest.fixture
def job() -> Job:
    return claimed(make_match([make_version(), make_version(like="greedy")]))


def test_match_is_played_and_handed_in(job: Job, files: BotFiles) -> None:
    assert play_jobs([job], launcher=PlainLauncher(), files=files) == 0

    match = Match.objects.get()
    assert (match.state, match.sandbox) == ("done", "process")
    assert match.ply > 0
    assert set(match.seats.values_list("rank", flat=True)) == {0, 1}
    assert all(match.seats.values_list("cpu_ms", flat=True))


def test_host_failure_is_nobodys_loss(job: Job, files: BotFiles) -> None:
    assert play_jobs([job], launcher=BrokenHost(), files=files) == 1

    match = Match.objects.get()
    assert match.state == MatchState.PENDING
    assert match.state_reason == "LaunchFailed: out of memory"
    assert not match.seats.exclude(fault_kind="").exists()
    assert Attempt.objects.get().state == AttemptState.FAILED


class StandStill(Launcher):
    """Bots that the host never lets run."""

    level = SandboxLevel.PROCESS
    layers: tuple[str, ...] = ()

    def start(self, command: BotCommand, *, seat: int, limits: Limits) -> BotProcess:
        process = PlainLauncher().start(command, seat=seat, limits=limits)
        process.resume = process.pause  # type: ignore[method-assign]  # asked, it stays stopped
        return process


def test_host_that_gives_no_time_counts_against_who_was_asked(
    job: Job, files: BotFiles, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pentathlon_engines.match.seat.is_given_up", lambda *_: True)

    host = Starvation(slots=1, pressure=lambda: 0.1)

    assert play_jobs([job], launcher=StandStill(), files=files, host=host) == 1

    attempt = Attempt.objects.get()
    assert (attempt.state, attempt.was_too_slow) == (AttemptState.FAILED, True)
    assert attempt.blamed_version == job.seats[0].version_id
    assert Match.objects.get().state_reason.startswith("HostTooSlow: The host gave a bot")


def test_starved_host_that_gives_no_time_counts_against_nobody(
    job: Job, files: BotFiles, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pentathlon_engines.match.seat.is_given_up", lambda *_: True)
    host = Starvation(slots=1, pressure=lambda: 0.9)

    play_jobs([job], launcher=StandStill(), files=files, host=host)

    attempt = Attempt.objects.get()
    assert (attempt.was_too_slow, attempt.blamed_version) == (True, None)


def test_bot_that_hosts_have_given_up_before_loses(
    job: Job, files: BotFiles, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pentathlon_engines.match.seat.is_given_up", lambda *_: True)
    blamed = replace(job, seats=(replace(job.seats[0], is_blamed=True), job.seats[1]))

    assert play_jobs([blamed], launcher=StandStill(), files=files) == 0

    seats = Match.objects.get().seats.order_by("seat")
    assert list(seats.values_list("fault_kind", "rank")) == [("wall_time", 1), ("", 0)]


class Killed(Launcher):
    """Bots of seat 0 that somebody on the host kills at their start."""

    level = SandboxLevel.PROCESS
    layers: tuple[str, ...] = ()

    def start(self, command: BotCommand, *, seat: int, limits: Limits) -> BotProcess:
        process = PlainLauncher().start(command, seat=seat, limits=limits)
        if seat == 0:
            os.kill(process.pid, signal.SIGKILL)
            process.verdict = self.verdict  # type: ignore[method-assign]  # as the sandbox's
        return process

    def verdict(self, usage: Usage) -> Breach | None:
        raise EndedFromOutside(seat=0)


def test_bot_that_its_host_killed_is_suspected(job: Job, files: BotFiles) -> None:
    assert play_jobs([job], launcher=Killed(), files=files) == 1

    assert Attempt.objects.get().blamed_version == job.seats[0].version_id
    assert not Match.objects.get().seats.exclude(fault_kind="").exists()


def test_bot_that_was_killed_on_other_hosts_before_loses(job: Job, files: BotFiles) -> None:
    blamed = replace(job, seats=(replace(job.seats[0], is_blamed=True), job.seats[1]))

    assert play_jobs([blamed], launcher=Killed(), files=files) == 0

    seats = Match.objects.get().seats.order_by("seat")
    assert list(seats.values_list("fault_kind", "fault_detail", "rank")) == [
        ("startup", "was killed from outside, as on other hosts before", 1),
        ("", "", 0),
    ]


def test_damaged_archive_is_a_host_failure(job: Job, files: BotFiles) -> None:
    first, second = (Archive.objects.get(pk=seat.content_hash) for seat in job.seats)
    Archive.objects.filter(pk=first.pk).update(data=second.data)

    play_jobs([job], launcher=PlainLauncher(), files=files)

    match = Match.objects.get()
    assert match.state == MatchState.PENDING
    assert match.state_reason.startswith("ArchiveDamaged: ")


def test_foreign_error_is_named_but_not_quoted(
    job: Job, files: BotFiles, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(**_: object) -> None:
        raise RuntimeError("/etc/operator/secret")

    monkeypatch.setattr(play, "play_match", fail)

    play_jobs([job], launcher=PlainLauncher(), files=files)

    assert Match.objects.get().state_reason == "RuntimeError"


def test_result_that_nobody_wants_is_dropped(job: Job, files: BotFiles) -> None:
    play_jobs([job], launcher=Meddler(), files=files)

    assert Match.objects.get().state == MatchState.VOID
    assert not Replay.objects.exists()


@pytest.mark.django_db(transaction=True)  # the connection is closed on the way
def test_hand_in_waits_for_the_database(
    job: Job, files: BotFiles, monkeypatch: pytest.MonkeyPatch
) -> None:
    outages = iter([OperationalError("restarting"), OperationalError("restarting")])

    def accept_after_the_outage(told: Sequence[Submission]) -> list[DomainError | None]:
        for outage in outages:
            raise outage
        return accept_results(told)

    monkeypatch.setattr(work, "accept", accept_after_the_outage)
    monkeypatch.setattr(play, "AGAIN_AFTER_S", (0, 0, 0))

    play_jobs([job], launcher=PlainLauncher(), files=files)

    assert Match.objects.get().state == MatchState.DONE
    assert Attempt.objects.count() == 1


def test_what_a_bot_says_is_kept_for_its_owner(files: BotFiles) -> None:
    main = built_in_bots()["random"] / "main.py"
    talker = zip_files(
        {
            "bot.toml": 'name = "talker"\ngames = ["tuned"]\nlanguage = "python"\n',
            "main.py": 'import sys\nsys.stderr.write("hello")\n' + main.read_text(),
        }
    )
    version = submit_version(actor=make_user(), archive=talker)

    play_jobs([claimed(Match.objects.get())], launcher=PlainLauncher(), files=files)

    logs = SeatLog.objects.readable_by(version.bot.owner)
    assert [log.text for log in logs] == ["hello", "hello"]
    version.refresh_from_db()
    assert "hello" in version.validation_log


def test_batch_goes_on_after_a_match_that_this_host_cannot_play(files: BotFiles) -> None:
    good, lost = make_version(), make_version()
    ids = [make_match([good, good]).pk, make_match([lost, lost]).pk, make_match([good, good]).pk]
    jobs = claim_matches(match_ids=ids, worker="w")
    Archive.objects.filter(pk=lost.archive_id).update(data=b"no zip")

    play_jobs(jobs, launcher=PlainLauncher(), files=files)

    states = Match.objects.order_by("pk").values_list("state", "host_faults")
    assert list(states) == [("done", 0), ("pending", 1), ("done", 0)]


def test_short_matches_are_handed_in_together(
    files: BotFiles, monkeypatch: pytest.MonkeyPatch
) -> None:
    versions = [make_version(), make_version()]
    ids = [make_match(versions).pk for _ in range(3)]
    together: list[int] = []

    def accept_and_count(told: Sequence[Submission]) -> list[DomainError | None]:
        together.append(len(told))
        return accept_results(told)

    monkeypatch.setattr(work, "accept", accept_and_count)
    monkeypatch.setattr(play, "LONG_S", 60)

    play_jobs(claim_matches(match_ids=ids, worker="w"), launcher=PlainLauncher(), files=files)

    assert together == [3]


def test_bots_whose_files_were_removed_between_matches_play_on(files: BotFiles) -> None:
    versions = [make_version(), make_version()]
    jobs = [claimed(make_match(versions)) for _ in range(2)]
    play_jobs(jobs[:1], launcher=PlainLauncher(), files=files)

    remove_tree(files.folder(jobs[0].seats[0].content_hash).parent.parent)
    play_jobs(jobs[1:], launcher=PlainLauncher(), files=files)

    assert set(Match.objects.values_list("state", "host_faults")) == {("done", 0)}
    assert not MatchSeat.objects.exclude(fault_kind="").exists()


def test_bot_whose_files_are_removed_while_it_runs_is_not_to_blame(
    job: Job, files: BotFiles
) -> None:
    play_jobs([job], launcher=Cleaner(), files=files)

    match = Match.objects.get()
    assert (match.state, match.host_faults) == (MatchState.PENDING, 1)
    assert match.state_reason.startswith("FilesRemoved: ")


def test_paths_of_the_host_are_not_shown(
    job: Job, files: BotFiles, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(**_: object) -> None:
        raise LaunchFailed("bwrap: Can't find source path /tmp/secret-1/bot: No such file and/or")

    monkeypatch.setattr(play, "play_match", fail)

    play_jobs([job], launcher=PlainLauncher(), files=files)

    told = "LaunchFailed: bwrap: Can't find source path (a path): No such file and/or"
    assert Match.objects.get().state_reason == told


def test_suspect_of_a_failure_is_noted(
    job: Job, files: BotFiles, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(**_: object) -> None:
        raise EndedFromOutside(seat=1)

    monkeypatch.setattr(play, "play_match", fail)

    play_jobs([job], launcher=PlainLauncher(), files=files)

    assert Attempt.objects.get().blamed_version == job.seats[1].version_id


def test_build_that_cannot_be_rejected_takes_no_other_result_along(
    files: BotFiles, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(job: Job, seat: SeatJob, *_: object, **__: object) -> str:
        raise BuildRefused("no", version_id=seat.version_id, log="\0")

    def fail(**_: object) -> None:
        raise ValueError("A string literal cannot contain NUL (0x00) characters.")

    versions = [make_version(), make_version()]
    good, bad = make_match(versions), make_match(versions)
    jobs = claim_matches(match_ids=[good.pk, bad.pk], worker="w")
    unbuilt = tuple(replace(seat, files_hash="") for seat in jobs[1].seats)
    monkeypatch.setattr(play, "build_version", refuse)
    monkeypatch.setattr(services, "fail_attempt", fail)
    monkeypatch.setattr(play, "LONG_S", 60)

    failed = play_jobs(
        [jobs[0], replace(jobs[1], seats=unbuilt)], launcher=PlainLauncher(), files=files
    )

    assert failed == 1
    states = Match.objects.order_by("pk").values_list("state", "host_faults")
    assert list(states) == [("done", 0), ("pending", 1)]


def test_result_that_cannot_be_stored_takes_no_other_one_along(
    files: BotFiles, monkeypatch: pytest.MonkeyPatch
) -> None:
    versions = [make_version(), make_version()]
    ids = [make_match(versions).pk for _ in range(3)]

    def accept(told: Sequence[Submission]) -> list[DomainError | None]:
        if ids[1] in [each.match_id for each in told]:
            raise ValueError("A string literal cannot contain NUL (0x00) characters.")
        return accept_results(told)

    monkeypatch.setattr(work, "accept", accept)
    monkeypatch.setattr(play, "LONG_S", 60)

    play_jobs(claim_matches(match_ids=ids, worker="w"), launcher=PlainLauncher(), files=files)

    states = Match.objects.order_by("pk").values_list("state", "host_faults")
    assert list(states) == [("done", 0), ("pending", 1), ("done", 0)]


@pytest.mark.django_db(transaction=True)  # the connection is closed on the way
class TestOutage:
    @pytest.fixture(autouse=True)
    def _at_once(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(play, "AGAIN_AFTER_S", ())
        monkeypatch.setattr(play, "AWAY_S", 0)

    def test_result_waits_however_long_it_takes_and_the_lease_comes_first(
        self, job: Job, files: BotFiles, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        outage = Outage(100)

        def accept(told: Sequence[Submission]) -> list[DomainError | None]:
            outage("accept")
            return accept_results(told)

        def renew(lease: LeaseKeeper) -> None:
            outage("renew")

        monkeypatch.setattr(work, "accept", accept)
        monkeypatch.setattr(LeaseKeeper, "renew", renew)
        monkeypatch.setattr(DirectPlatform, "answers", lambda _: not outage.left)
        monkeypatch.setattr(play, "AGAIN_AFTER_S", (0,))

        play_jobs([job], launcher=PlainLauncher(), files=files)

        assert Match.objects.get().state == MatchState.DONE
        assert outage.asked == ["accept", *["renew"] * 100, "accept"]

    def test_match_that_meets_an_outage_is_given_back_without_a_failure(
        self, job: Job, files: BotFiles, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def fail(**_: object) -> None:
            raise PlatformAway("server closed the connection")

        monkeypatch.setattr(play, "play_match", fail)

        assert play_jobs([job], launcher=PlainLauncher(), files=files) == 1

        match = Match.objects.get()
        assert (match.state, match.host_faults) == (MatchState.PENDING, 0)
        assert Attempt.objects.get().state == AttemptState.RETURNED


def test_no_matches_need_no_host(files: BotFiles) -> None:
    assert play_jobs([], launcher=BrokenHost(), files=files) == 0


def test_match_that_cannot_be_given_back_holds_nobody_up(
    job: Job, files: BotFiles, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> bool:
        raise RuntimeError("a bug")

    monkeypatch.setattr(DirectPlatform, "give_back", fail)

    with capture_logs() as logs:
        assert play_jobs([job], launcher=BrokenHost(), files=files) == 1

    assert [line["event"] for line in logs] == ["attempt failed", "not given back"]
    assert Match.objects.get().state == MatchState.RUNNING, "its lease runs out"


def test_worker_that_must_stop_waits_no_longer_for_the_platform(
    job: Job, monkeypatch: pytest.MonkeyPatch
) -> None:
    drain = Drain(grace_s=0)

    def fetch(_: str) -> bytes:
        drain.ask()
        raise PlatformAway("cut")

    monkeypatch.setattr(play, "AGAIN_AFTER_S", (60.0,))
    monkeypatch.setattr("time.sleep", lambda _: None)
    files = BotFiles(fetch)

    assert play_jobs([job], launcher=BrokenHost(), files=files, drain=drain) == 1

    files.close()
    assert Attempt.objects.get().state == AttemptState.RETURNED
