"""Builds of workers that may not play rated matches: workers that do, build anew."""

from __future__ import annotations

import pytest

from pentathlon.bots.models import BotVersion, VersionState
from pentathlon.fleet.announcements import Work
from pentathlon.fleet.capabilities import Capabilities
from pentathlon.fleet.models import WorkerToken
from pentathlon.matches.jobs import Job
from pentathlon.matches.models import Match, MatchState
from pentathlon.matches.requirements import requirements_of
from pentathlon.matches.uploads import builds
from pentathlon.matches.uploads.builds import Building
from pentathlon_engines.archive.archives import CheckedArchive, read_archive
from tests.factories import make_match, make_version, make_worker, zip_files
from tests.pentathlon.trust.acting import claim, join

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
    return builds.keep(building, built=made_of(program), is_trusted=is_trusted)


def test_rated_matches_play_no_build_of_a_volunteer(
    version: BotVersion, volunteer: WorkerToken
) -> None:
    unrated = claim(make_match([version, version]), volunteer)
    strange = build(unrated, "strange", is_trusted=False)
    rated = claim(make_match([version, version], rated=True), join())

    assert [seat.files_hash for seat in rated.seats] == ["", ""]
    assert builds.built_files(Building.of(rated, rated.seats[0])) == ""
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

    builds.reject(Building.of(rated, rated.seats[0]), reason="build: it failed", log="no main")

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

    builds.reject(Building.of(unrated, unrated.seats[0]), reason="no", log="no")

    version.refresh_from_db()
    match.refresh_from_db()
    assert (version.state, version.built_id) == (VersionState.ELIGIBLE, built)
    assert (match.state, match.host_faults) == (MatchState.PENDING, 1)
