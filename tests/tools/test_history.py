"""The histories of the benchmarks are as those of a platform that has played them."""

from itertools import islice

import pytest
from django.core.management import CommandError, call_command

from pentathlon.matches.models import Match, MatchState
from pentathlon.matches.replays.models import Replay
from pentathlon.matches.replays.services import read_record
from tests.factories import make_match
from tools.benchmark.load.data import fields_of, make_cast
from tools.benchmark.meter import MemoryWatch

MIB = 1024 * 1024


@pytest.mark.django_db
def test_replays_of_a_history_can_be_read() -> None:
    make_cast(bots=31)

    done = Match.objects.filter(state=MatchState.DONE).count()
    assert (done, Match.objects.unfinished().count()) == (435, 435)
    assert Replay.objects.count() == done
    assert len(read_record(Replay.objects.earliest("pk"))["events"]) > 0


@pytest.mark.django_db
def test_history_is_not_added_to_matches_that_were_played() -> None:
    make_match()

    with pytest.raises(CommandError, match="name an empty database"):
        call_command("bench", "data")


def test_every_bot_of_many_is_in_a_tournament() -> None:
    versions = [*range(230)]

    fields = [*islice(fields_of(versions), 4)]

    assert [len(field) for field in fields] == [100, 100, 30, 100]
    assert {version for field in fields for version in field} == {*versions}
    assert fields[0] == fields[3]


def test_memory_that_is_held_for_a_moment_is_seen() -> None:
    with MemoryWatch() as memory:
        held = bytearray(40 * MIB)
        looks = len(memory.samples)
        while len(memory.samples) < looks + 2:
            pass
        del held

    assert memory.peak_mib >= 39
