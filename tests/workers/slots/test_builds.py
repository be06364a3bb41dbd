"""Uploads with a build entry: made once in the sandbox, run everywhere."""

from collections.abc import Iterator

import pytest
from django.db import DataError

from pentathlon.bots.models import Archive, BotVersion, VersionState
from pentathlon.matches.jobs import Job
from pentathlon.matches.models import Match, MatchState
from pentathlon.matches.replays.services import read_record
from pentathlon.matches.requirements import requirements_of
from pentathlon.matches.uploads import services
from pentathlon.matches.uploads.services import submit_version
from pentathlon_engines.manifest import built_in_bots
from pentathlon_engines.match.launcher import SandboxLevel
from pentathlon_engines.match.plain_launcher import PlainLauncher
from tests.factories import make_user, zip_files
from tests.pentathlon.matches.acting import claimed
from tests.workers.playing import play_jobs
from workers.sandbox.launcher import SandboxLauncher
from workers.slots.bot_files import BotFiles

pytestmark = pytest.mark.django_db

COMMAND = '["{python}", "-s", "-S", "-B", "-u", "{bot}/made.py"]'


@pytest.fixture
def launcher() -> Iterator[SandboxLauncher]:
    launcher = SandboxLauncher()
    yield launcher
    launcher.close()


def upload(build: str, *, command: str = COMMAND) -> BotVersion:
    """Hand in the random bot, of which the build makes the program."""
    source = (built_in_bots()["random"] / "main.py").read_text()
    manifest = f'name = "smith"\ngames = ["tuned"]\ncommand = {command}\nbuild = {build}\n'
    archive = zip_files({"bot.toml": manifest, "source.py": source})
    return submit_version(actor=make_user(), archive=archive)


def validation() -> Job:
    return claimed(Match.objects.get())


def test_build_is_kept_and_played(launcher: SandboxLauncher, files: BotFiles) -> None:
    version = upload('["cp", "source.py", "made.py"]')

    play_jobs([validation()], launcher=launcher, files=files)

    version.refresh_from_db()
    match = Match.objects.with_seats().get()
    assert version.built is not None
    assert (version.state, match.state) == (VersionState.ELIGIBLE, MatchState.DONE)
    assert Archive.objects.count() == 2
    assert version.files_hash() == version.built_id != version.archive_id
    record = read_record(match.replay)
    assert {bot["hash"] for bot in record["bots"]} == {version.archive_id}


def test_kept_build_is_not_made_again(launcher: SandboxLauncher, files: BotFiles) -> None:
    version = upload('["cp", "source.py", "made.py"]')
    play_jobs([validation()], launcher=launcher, files=files)
    built = BotVersion.objects.get().files_hash()
    Match.objects.update(state=MatchState.PENDING)

    again = validation()
    play_jobs([again], launcher=PlainLauncher(), files=files)

    assert [seat.files_hash for seat in again.seats] == [built, built]
    assert {seat.content_hash for seat in again.seats} == {version.archive_id}


@pytest.mark.parametrize(
    ("build", "command", "reason"),
    [
        ('["sh", "-c", "echo no such library >&2; exit 3"]', COMMAND, "exit status 3"),
        ('["true"]', '["./made"]', "it did not make 'made'"),
        ('["sh", "-c", "echo >> bot.toml; echo processes = 9 >> bot.toml"]', COMMAND, "bot.toml"),
        ('["sh", "-c", "echo x > a:b"]', COMMAND, "'a:b'"),
        (r"""["sh", "-c", "printf x > $(printf '\\377')"]""", COMMAND, r"'\udcff' is not UTF-8"),
        (r"""["sh", "-c", "printf x > $(printf 'a\\nb')"]""", COMMAND, r"'a\nb'"),
        (
            r"""["sh", "-c", "printf x > a; printf x > A"]""",
            COMMAND,
            "the same name on some computers",
        ),
    ],
)
def test_failed_build_rejects_the_version(
    launcher: SandboxLauncher, files: BotFiles, build: str, command: str, reason: str
) -> None:
    version = upload(build, command=command)

    play_jobs([validation()], launcher=launcher, files=files)

    version.refresh_from_db()
    match = Match.objects.get()
    assert (version.state, version.built_id) == (VersionState.REJECTED, None)
    assert reason in version.state_reason
    assert ("no such library" in version.validation_log) == ("library" in build)
    assert (match.state, match.host_faults) == (MatchState.VOID, 0)


def test_log_of_a_build_may_hold_anything(launcher: SandboxLauncher, files: BotFiles) -> None:
    version = upload(r"""["sh", "-c", "printf 'a\\0b\\377\\355\\240\\200c'; exit 3"]""")

    failed = play_jobs([validation()], launcher=launcher, files=files)

    version.refresh_from_db()
    assert (failed, version.state) == (0, VersionState.REJECTED)
    assert version.validation_log.startswith("a\N{REPLACEMENT CHARACTER}b")
    assert "\0" not in version.validation_log


def test_refusal_that_cannot_be_stored_stops_no_other_match(
    launcher: SandboxLauncher, files: BotFiles, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(**_: object) -> None:
        raise DataError("no such text")

    monkeypatch.setattr(services, "reject_build", refuse)
    upload('["false"]')
    job = validation()

    failed = play_jobs([job], launcher=launcher, files=files)

    assert failed == 1
    assert Match.objects.get().state == MatchState.PENDING


def test_host_that_cannot_build_is_nobodys_fault(files: BotFiles) -> None:
    version = upload('["cp", "source.py", "made.py"]')

    play_jobs([validation()], launcher=PlainLauncher(), files=files)

    version.refresh_from_db()
    assert version.state == VersionState.VALIDATING
    assert "a build with cp needs a sandbox" in Match.objects.get().state_reason


def test_match_of_a_version_to_be_built_needs_namespaces() -> None:
    upload('["cp", "source.py", "made.py"]')

    assert requirements_of(Match.objects.with_seats().get()).sandbox is SandboxLevel.NAMESPACES


def test_log_of_a_build_is_kept_for_its_author(launcher: SandboxLauncher, files: BotFiles) -> None:
    version = upload('["sh", "-c", "echo compiling; cp source.py made.py"]')

    play_jobs([validation()], launcher=launcher, files=files)

    version.refresh_from_db()
    assert version.state == VersionState.ELIGIBLE
    assert version.build_log.text == "compiling\n"
