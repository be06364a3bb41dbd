"""A real worker that has no time left to stop: no match is lost, and no lease has to run out."""

import signal
from pathlib import Path

import pytest

from pentathlon.fleet.models import Worker
from pentathlon.matches.models import Attempt, AttemptState, Match, MatchState
from tests.factories import make_match
from tests.patience import PATIENCE_S
from tests.workers.playing import make_sleeper
from tests.workers.running import alive, descendants, running_platform

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.slow]


@pytest.mark.deep
def test_match_that_outlasts_the_grace_is_given_back_in_the_middle_of_a_turn(
    tmp_path: Path,
) -> None:
    sleepers = [make_sleeper(2.5), make_sleeper(2.5)]
    for _ in range(2):
        make_match(sleepers)

    with running_platform(tmp_path) as platform:
        platform.environment["PENTATHLON_DRAIN_S"] = "0.3"
        worker = platform.start_worker()
        reconciler = platform.start_reconciler()
        platform.eventually(lambda: Match.objects.live().exists())
        started = descendants(worker.pid)
        worker.send_signal(signal.SIGTERM)
        code = worker.wait(PATIENCE_S)
        logs = platform.all_logs()
        # Slots end by themselves a moment after the worker that they belong to.
        platform.eventually(lambda: not alive(started))
        reconciler.terminate()

    assert code == 0, logs
    states = set(Match.objects.values_list("state", "host_faults"))
    assert states == {(MatchState.PENDING, 0)}
    assert set(Attempt.objects.values_list("state", flat=True)) == {AttemptState.RETURNED}
    assert Worker.objects.get().is_draining
