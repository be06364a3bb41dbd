"""The same matches by both builds of the engines, played by real workers.

Part of `manage.py test compiled`, which builds the engines first.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from pentathlon.env import IMPORT_PATH
from pentathlon.fleet.models import Worker
from pentathlon.local.environment.compiled_build import compiled_engines
from pentathlon.matches.models import Match, MatchState
from pentathlon.matches.replays.services import read_record
from pentathlon_engines import GAMES
from pentathlon_engines.builds import is_compiled_build
from pentathlon_engines.record.record import canonical
from tests.factories import make_match, make_version
from tests.workers.running import running_platform

pytestmark = pytest.mark.django_db(transaction=True)

SEEDS = (11, 12, 13)


def test_same_seeds_give_the_same_records_on_both_builds(tmp_path: Path) -> None:
    versions = [make_version(like=like, games=list(GAMES)) for like in ("random", "greedy")]

    written = play(tmp_path / "written", [], versions)
    compiled = play(tmp_path / "compiled", [str(compiled_engines())], versions)

    assert set(written) == {(game, seed) for game in GAMES for seed in SEEDS}
    for key, (record, builds) in written.items():
        assert compiled[key][0] == record, key
        assert not any(map(is_compiled_build, builds))
        assert all(map(is_compiled_build, compiled[key][1]))


def play(
    folder: Path, engines: list[str], versions: list[Any]
) -> dict[tuple[str, int], tuple[bytes, tuple[str, str]]]:
    """Return for each game and seed the record without times, and the builds at work."""
    folder.mkdir()
    with running_platform(folder) as platform:
        platform.environment["PYTHONPATH"] = os.pathsep.join([*engines, IMPORT_PATH])
        platform.start_worker()
        # Wait for this before the first claim: what all workers offer decides what bots get.
        platform.eventually(lambda: Worker.objects.alive().exists())
        matches = [
            make_match(
                [versions[seat % 2] for seat in range(GAMES[game].info.default_seats)],
                game=game,
                rules_version=GAMES[game].info.version,
                seed=seed,
                alias=f"{game}-{seed}",
            )
            for game in GAMES
            for seed in SEEDS
        ]
        played = Match.objects.filter(pk__in=[match.pk for match in matches])
        platform.start_reconciler()
        platform.eventually(
            lambda: played.filter(state=MatchState.DONE).count() == len(matches),
            patience_s=300,
        )
    Worker.objects.all().delete()
    return {
        (match.game, match.seed): (timeless(match), (match.referee_build, match.bots_build))
        for match in played.select_related("replay")
    }


def timeless(match: Match) -> bytes:
    """Return the record in canonical JSON without what depends on the machine: its times."""
    record = read_record(match.replay)
    events = [[*row[:2], *row[4:]] for row in record["events"]]
    return canonical({**record, "events": events, "chain": ""})
