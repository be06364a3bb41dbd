"""A trace goes through the broker: reconciler, hint and worker, each a process of its own."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from pentathlon.matches.models import Match, MatchState
from tests.factories import make_match
from tests.workers.running import running_platform

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.slow]

TRACE = "ab" * 16
SPAN = re.compile(r'"name": "([^"]+)",\s+"context": \{\s+"trace_id": "0x([0-9a-f]+)"')


@pytest.mark.deep
def test_processes_go_on_with_the_trace_of_a_match(tmp_path: Path) -> None:
    make_match(traceparent=f"00-{TRACE}-{'cd' * 8}-01")

    with running_platform(tmp_path) as platform:
        platform.environment["OTEL_TRACES_EXPORTER"] = "console"
        platform.start_worker()
        platform.start_reconciler()
        platform.eventually(lambda: Match.objects.get().state == MatchState.DONE)

    # Read the logs when all processes have ended: spans that they have not sent by then are lost.
    logged = "\n".join(log.read_text() for log in tmp_path.glob("*.log"))
    assert {name for name, trace in SPAN.findall(logged) if trace == TRACE} == {
        *("send hint", "follow hint", "claim match", "play match"),
        *("hand in result", "re-simulate match", "commit result"),
    }
