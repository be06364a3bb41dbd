"""A match that is played by a real worker is watched while it is played."""

import json
import urllib.request
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from django.db import connection
from redis import Redis

from pentathlon.bots.models import BotVersion, VersionState
from pentathlon.matches.models import Match, MatchKind, MatchState
from pentathlon.matches.uploads.services import submit_version
from pentathlon_engines.cli.client.http_site import ServerEvent, read_events
from tests.engines.commands import Run, run_in_process
from tests.factories import make_match, make_user, zip_files
from tests.workers.running import running_platform

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.slow]

_SLOW = """
import json, sys, time
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        print(json.dumps({"type": "ready"}), flush=True)
    elif message["type"] == "act":
        time.sleep(0.1)
        legal = message["legal"]
        print(json.dumps({"action": legal[message["ply"] % len(legal)]}), flush=True)
"""


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Return a function that runs the command in this process."""
    return run_in_process(monkeypatch, capsys)


def slow_version() -> BotVersion:
    manifest = 'name = "slow"\ngames = ["maatatahay"]\nlanguage = "python"\nmain = "main.py"\n'
    archive = zip_files({"bot.toml": manifest, "main.py": _SLOW})
    version = submit_version(actor=make_user(), archive=archive)
    Match.objects.all().delete()  # it is validated elsewhere
    BotVersion.objects.update(state=VersionState.ELIGIBLE)
    return version


def follow(address: str, **headers: str) -> Iterator[ServerEvent]:
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    with closing(opener.open(urllib.request.Request(address, headers=headers))) as answer:
        yield from read_events(line.decode() for line in answer)


@pytest.mark.deep
def test_match_is_seen_as_it_is_played(tmp_path: Path, run: Run) -> None:
    if connection.vendor != "postgresql":
        pytest.skip("processes share a server")
    version = slow_version()
    match = make_match([version, version], game="maatatahay", kind=MatchKind.CHALLENGE)

    with running_platform(tmp_path) as platform:
        site = platform.start_web()
        listening = follow(f"{site}/api/v1/matches/{match.pk}/events/")
        first = next(listening)
        platform.start_worker()
        platform.start_reconciler()
        heard = list(listening)
        watched: Any = run("watch", f"{site}/matches/{match.pk}/", "--json")
        with Redis.from_url(platform.environment["REDIS_URL"]) as broker:
            platform.eventually(lambda: not broker.pubsub_channels("pentathlon:live:*"))

    assert (first.name, first.data["state"]) == ("state", "pending")
    plies = [event.data for event in heard if event.name == "plies"]
    events = [row for each in plies for row in each["events"]]
    # The last events come with the replay; the earlier ones were streamed once, in order.
    match.refresh_from_db()
    assert match.state == MatchState.DONE
    assert len(plies) > 1
    assert match.ply > len(events)
    assert events
    assert [each["first"] for each in plies[1:]] == [each["ply"] for each in plies[:-1]]
    assert heard[-1].name == "end"
    assert heard[-1].data["state"] == "done"
    told = [json.loads(line) for line in watched.out.splitlines()]
    assert [line["event"] for line in told] == ["result"]
