"""Which engines matches are played with: offered by workers, told with results, in receipts."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from django.db.models.functions import Now

from pentathlon.fleet.models import all_show_compiled
from pentathlon.matches.jobs import EngineBuilds, Submission
from pentathlon.matches.transparency.models import LogEntry
from pentathlon.matches.transparency.services import log_results
from pentathlon_engines.builds import build_name, is_compiled_build, source_name
from pentathlon_engines.transparency.receipt import read_receipt
from tests.factories import make_match, make_version, make_worker
from tests.pentathlon.matches.replays.playing import record_of, report_of, submission_of
from tests.workers.playing import DIRECT
from tests.workers.sites import make_worker_token, remote_platform
from tests.workers.test_platforms import announced
from workers.port import Platform
from workers.sandbox.files.runtime import Bind, Runtime

pytestmark = pytest.mark.django_db

COMPILED = "0.1.0+compiled.0123456789abcdef"


@pytest.fixture(params=["direct", "remote"])
def platform(request: pytest.FixtureRequest, tmp_path: Path) -> Platform:
    if request.param == "direct":
        return DIRECT
    return remote_platform(tmp_path / "unsent", make_worker_token()[1])


def played(platform: Platform) -> Submission:
    match = make_match([make_version(), make_version(like="greedy")], sent_at=Now())
    (job,) = platform.claim([match.pk], slot="host/1.0", announcement=announced())
    report = report_of(record_of(job))
    return submission_of(job, report)


@pytest.mark.parametrize(
    ("versions", "shows"),
    [((COMPILED, COMPILED), True), ((COMPILED, "0.1.0"), False), (("0.1.0",), False), ((), False)],
    ids=["all", "some", "none", "nobody"],
)
def test_bots_get_compiled_engines_where_all_workers_have_them(
    versions: tuple[str, ...], shows: bool, platform: Platform
) -> None:
    for version in versions:
        make_worker(version=version)
    match = make_match(sent_at=Now())

    (job,) = platform.claim([match.pk], slot="host/1.0", announcement=announced())

    assert all_show_compiled() == shows
    assert job.shows_compiled is shows


def test_receipt_names_the_builds(platform: Platform) -> None:
    submission = played(platform)
    builds = EngineBuilds(referee=COMPILED, bots=source_name(COMPILED))

    assert platform.hand_in([replace(submission, builds=builds)]) == [None]
    log_results()

    receipt = read_receipt(LogEntry.objects.get().receipt)
    assert (receipt["referee_build"], receipt["bots_build"]) == (COMPILED, "0.1.0")


def test_bots_see_one_build_of_the_engines() -> None:
    sources, built = Path("/staged/pentathlon_engines"), Path("/built/pentathlon_engines")
    usr = Bind(source=Path("/usr"), target="/usr")
    at = "/opt/pentathlon/pentathlon_engines"
    runtime = Runtime(
        python="/usr/bin/python3",
        binds=(usr, Bind(source=sources, target=at)),
        links=(),
        engines=(sources,),
        compiled=(built,),
    )

    shown = runtime.with_compiled()

    assert shown.binds == (usr, Bind(source=built, target=at))
    assert shown.engines == (built,)
    assert replace(runtime, compiled=()).with_compiled().engines == (sources,)


def test_sources_are_no_compiled_build() -> None:
    assert is_compiled_build(COMPILED)
    assert is_compiled_build(build_name()) == ("+" in build_name())
