"""Builds of workers that may not play rated matches: workers that do, build anew."""

from __future__ import annotations

import pytest
from django.urls import reverse

from pentathlon.bots.models import BotVersion, VersionState
from pentathlon.fleet.announcements import Work
from pentathlon.fleet.capabilities import Capabilities
from pentathlon.fleet.models import Worker, WorkerToken
from pentathlon.matches.jobs import Job
from pentathlon.matches.models import Match, MatchState
from pentathlon.matches.requirements import requirements_of
from pentathlon.matches.services import claim_matches
from pentathlon.matches.uploads import services
from pentathlon.matches.uploads.services import Building
from pentathlon_engines.archive.archives import CheckedArchive, read_archive
from pentathlon_engines.match.launcher import SandboxLevel
from tests.api.client import V1, client_of
from tests.factories import make_match, make_version, make_worker, zip_files
from tests.pentathlon.trust.acting import claim, join
from tests.pentathlon.web.pages import page_of
from tests.pentathlon.web.test_forms import as_person

pytestmark = pytest.mark.django_db

MANIFEST = """
name = "built"
games = ["tuned"]
build = ["cc", "-o", "bot", "main.c"]
command = ["./bot"]
"""


@pytest.fixture
def version() -> BotVersion:
    made = make_version()
    made.manifest["build"] = ["cc", "-o", "bot", "main.c"]
    made.save()
    return made


@pytest.fixture
def volunteer() -> WorkerToken:
    return join(Work.UNRATED, Work.BUILDS)


def made_of(program: str) -> CheckedArchive:
    return read_archive(zip_files({"bot.toml": MANIFEST, "main.c": "", "bot": program}))


def build(job: Job, program: str, *, is_trusted: bool) -> str:
    building = Building.of(job, job.seats[0])
    return services.keep(building, built=made_of(program), is_trusted=is_trusted)


def test_rated_matches_play_no_build_of_a_volunteer(
    version: BotVersion, volunteer: WorkerToken
) -> None:
    unrated = claim(make_match([version, version]), volunteer)
    strange = build(unrated, "strange", is_trusted=False)
    rated = claim(make_match([version, version], rated=True), join())

    assert [seat.files_hash for seat in rated.seats] == ["", ""]
    assert services.built_files(Building.of(rated, rated.seats[0])) == ""
    own = build(rated, "own", is_trusted=True)

    # From now on everybody plays the trusted build, and no volunteer can replace it.
    for is_rated in (True, False):
        job = claim(make_match([version, version], rated=is_rated), None)
        assert {seat.files_hash for seat in job.seats} == {own} != {strange}
    assert build(unrated, "stranger", is_trusted=False) == own


def test_unrated_matches_play_what_a_volunteer_has_built(
    version: BotVersion, volunteer: WorkerToken
) -> None:
    first = claim(make_match([version, version]), volunteer)
    built = build(first, "strange", is_trusted=False)

    second = claim(make_match([version, version]), volunteer)

    assert {seat.files_hash for seat in second.seats} == {built}


def test_trusted_build_counts_for_rated_matches(version: BotVersion) -> None:
    unrated = claim(make_match([version, version]), join())
    built = build(unrated, "own", is_trusted=True)

    rated = claim(make_match([version, version], rated=True), join())

    assert {seat.files_hash for seat in rated.seats} == {built}


def test_worker_of_a_rated_match_needs_the_compiler_until_it_is_built_anew(
    version: BotVersion, volunteer: WorkerToken
) -> None:
    build(claim(make_match([version, version]), volunteer), "strange", is_trusted=False)
    rated = make_match([version, version], rated=True)
    bare = Capabilities.of(make_worker("bare/1", runtimes=["python", "c"]))

    lacks = list(bare.missing(requirements_of(Match.objects.with_needs().get(pk=rated.pk))))

    assert ("no_worker_for_build", "builds with cc") in lacks


def test_build_that_only_a_volunteer_can_make_stops_the_version(
    version: BotVersion, volunteer: WorkerToken
) -> None:
    BotVersion.objects.update(state=VersionState.ELIGIBLE)
    build(claim(make_match([version, version]), volunteer), "strange", is_trusted=False)
    match = make_match([version, version], rated=True)
    rated = claim(match, join())

    services.reject(Building.of(rated, rated.seats[0]), reason="build: it failed", log="no main")

    version.refresh_from_db()
    match.refresh_from_db()
    assert (version.state, version.built) == (VersionState.STOPPED, None)
    assert version.state_reason == "Built anew for rated play: build: it failed"
    assert version.build_log.text == "no main"
    assert (match.state, match.host_faults) == (MatchState.PENDING, 1)
    assert match.attempts.get().blamed_version == version.pk


def test_volunteer_stops_no_version_that_needs_no_build(
    version: BotVersion, volunteer: WorkerToken
) -> None:
    BotVersion.objects.update(state=VersionState.ELIGIBLE)
    built = build(claim(make_match([version, version]), join()), "own", is_trusted=True)
    match = make_match([version, version])
    unrated = claim(match, volunteer)

    services.reject(Building.of(unrated, unrated.seats[0]), reason="no", log="no")

    version.refresh_from_db()
    match.refresh_from_db()
    assert (version.state, version.built_id) == (VersionState.ELIGIBLE, built)
    assert (match.state, match.host_faults) == (MatchState.PENDING, 1)


def _claim_by(worker: str, version: BotVersion, *, tools: bool = True, rated: bool = True) -> Job:
    """Claim a match for one of several workers beside the database."""
    runtimes = ["python", "c", *(["build:cc"] if tools else [])]
    Worker.objects.filter(name=worker).delete()
    row = make_worker(worker, runtimes=runtimes, sandbox=SandboxLevel.NAMESPACES)
    match = make_match([version, version], rated=rated)
    (job,) = claim_matches(
        match_ids=[match.pk], worker=f"{worker}.0", capabilities=Capabilities.of(row)
    )
    return job


def _builds(job: Job) -> bool:
    """Return whether the worker is to build, by its job and by what it asks before."""
    asked = services.built_files(Building.of(job, job.seats[0])) == ""
    return not job.seats[0].files_hash and asked


def test_build_of_rated_play_is_made_again_by_another_worker_and_compared(
    version: BotVersion,
) -> None:
    first = build(_claim_by("one/1", version), "one", is_trusted=True)
    unrated = _builds(_claim_by("two/1", version, rated=False))
    bare = _builds(_claim_by("two/2", version, tools=False))
    same = _builds(_claim_by("one/1", version))
    second = _claim_by("two/1", version)
    is_asked = _builds(second)

    counts = build(second, "other", is_trusted=True)

    version.refresh_from_db()
    assert (unrated, bare, same, is_asked) == (False, False, False, True)
    assert counts == first == version.built_id != version.second_build
    assert not _builds(second)
    assert {seat.files_hash for seat in _claim_by("three/1", version).seats} == {first}


def test_author_alone_is_told_that_builds_differ(version: BotVersion) -> None:
    author, page = as_person(version.bot.owner), reverse("version", args=[version.pk])
    build(_claim_by("one/1", version), "one", is_trusted=True)
    build(_claim_by("two/1", version), "other", is_trusted=True)

    log = client_of(version.bot.owner).get(f"{V1}/versions/{version.pk}/log/").json()

    assert log["build_difference"].startswith("Two workers built this version and got different")
    assert "Its builds differ." in page_of(author.get(page)).text
    assert "Its builds differ." not in page_of(as_person(make_version().bot.owner).get(page)).text


def test_equal_builds_are_not_mentioned(version: BotVersion) -> None:
    build(_claim_by("one/1", version), "one", is_trusted=True)
    build(_claim_by("two/1", version), "one", is_trusted=True)

    version.refresh_from_db()
    assert version.second_build == version.built_id
    assert version.build_difference == ""


def test_second_build_that_fails_is_told_and_stops_nothing(version: BotVersion) -> None:
    BotVersion.objects.update(state=VersionState.ELIGIBLE)
    first = build(_claim_by("one/1", version), "one", is_trusted=True)
    second = _claim_by("two/1", version)

    services.reject(Building.of(second, second.seats[0]), reason="build: it failed", log="no main")

    version.refresh_from_db()
    match = Match.objects.get(pk=second.match_id)
    assert (version.state, version.built_id) == (VersionState.ELIGIBLE, first)
    assert version.build_difference.startswith("One worker built this version, and another")
    assert (match.state, match.attempts.get().blamed_version) == (MatchState.PENDING, None)
    assert not _builds(_claim_by("two/2", version))
