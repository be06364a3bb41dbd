"""Workers of the previous release go on while the new release is rolled out.

The database is migrated first; then reconciler and web server are new, and the workers still old.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path

import pytest
from django.db.models import F

from pentathlon.fleet.announcements import Work
from pentathlon.fleet.models import Worker
from pentathlon.fleet.tokens import create_worker_token
from pentathlon.matches.jobs import LEASE_S
from pentathlon.matches.models import Attempt, AttemptState, Match, MatchState
from pentathlon.ratings.models import Rating
from pentathlon.ratings.services import enter_matches, open_live_pool
from pentathlon.roles import worker_command
from tests.e2e.previous_release import import_path, unpack
from tests.factories import make_match, make_version
from tests.workers.playing import make_sleeper
from tests.workers.running import Platform, running_platform

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.slow]

VERSION = "0.0.previous"
KINDS = ("direct", "http")


@pytest.mark.deep
@pytest.mark.parametrize("kind", KINDS)
def test_workers_of_the_previous_release_work_on_the_new_schema(kind: str, tmp_path: Path) -> None:
    """They claim, renew and hand in, and their results are rated."""
    old = unpack(tmp_path / "old")
    # The version shows that workers of the previous release played.
    (old / "engines/pentathlon_engines/version.py").write_text(f'__version__ = "{VERSION}"\n')
    short = make_match([make_version(), make_version(like="greedy")], rated=True)
    # This one is renewed after 10 s: its seed and alias, which seed bots, make it 13 actions long.
    sleepers = [make_sleeper(1.2), make_sleeper(1.2)]
    long = make_match(sleepers, rated=True, seed=1, alias=f"{1:032x}")
    enter_matches(pool=open_live_pool(game="tuned"), matches=[short, long])
    played = Match.objects.filter(pk__in=[short.pk, long.pk])
    renewed = Match.objects.filter(
        lease_until__gt=F("started_at") + timedelta(seconds=LEASE_S + 5), state=MatchState.RUNNING
    )

    with running_platform(tmp_path) as platform:
        start_old(platform, old, command_of(kind, platform, tmp_path))
        platform.start_reconciler()
        platform.eventually(renewed.exists)
        platform.eventually(lambda: not played.unfinished().exists())
        platform.eventually(lambda: Rating.objects.count() == 4)

    assert set(Worker.objects.values_list("version", flat=True)) == {VERSION}
    assert set(played.values_list("state", "host_faults")) == {(MatchState.DONE, 0)}
    attempts = Attempt.objects.values_list("state", "worker_token")
    ended = {(state, token is None) for state, token in attempts}
    assert ended == {(AttemptState.ACCEPTED, kind == "direct")}


def command_of(kind: str, platform: Platform, folder: Path) -> Sequence[str]:
    if kind == "direct":
        return worker_command(slots=1)
    site = platform.start_web()
    _, secret = create_worker_token(actor=None, name="old", work=tuple(Work))
    state = ("--slots", "1", "--data", str(folder / "state"))
    return [sys.executable, "-m", "workers", "--server", site, "--token", secret, *state]


def start_old(platform: Platform, old: Path, command: Sequence[str]) -> None:
    """Start a program of the previous release, in its folder: `-m` looks there first."""
    present = platform.environment
    platform.environment = {**present, "PYTHONPATH": import_path(old)}
    try:
        platform._start("old", ["env", "-C", old, *command])
    finally:
        platform.environment = present
