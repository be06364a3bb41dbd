"""The histories of the benchmarks are as those of a platform that has played them."""

from itertools import islice
from mmap import MAP_ANONYMOUS, MAP_PRIVATE, PAGESIZE, mmap

import pytest
from django.core.management import CommandError, call_command

from pentathlon.matches.models import Match, MatchState
from pentathlon.matches.replays.models import Replay
from pentathlon.matches.replays.services import read_record
from tests.factories import make_match
from tests.pentathlon.matches.acting import claimed
from tests.pentathlon.matches.replays.playing import record_of, submit
from tools.benchmark.load.addresses import Examples, addresses, fill_route, with_queries
from tools.benchmark.load.data import fields_of, make_cast
from tools.benchmark.load.nodes import judge_matches
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


@pytest.mark.django_db
def test_match_without_its_result_is_counted_as_lost() -> None:
    job = claimed(make_match())
    played, waiting = submit(job, record_of(job)), make_match()

    found = {demand.name: demand for demand in judge_matches([played.pk, waiting.pk])}

    lost = found["lost: without exactly one result"]
    assert (lost.measured, lost.is_met) == (1, False)
    assert found["without a replay"].measured == 1
    assert found["void"].is_met
    assert all(demand.is_met for demand in judge_matches([played.pk]))


def test_memory_that_is_held_for_a_moment_is_seen() -> None:
    with MemoryWatch() as memory, mmap(-1, 40 * MIB, flags=MAP_PRIVATE | MAP_ANONYMOUS) as held:
        for page in range(0, len(held), PAGESIZE):
            held[page] = 1
        looks = len(memory.samples)
        while len(memory.samples) < looks + 2:
            pass

    assert memory.peak_mib >= 39


EXAMPLES: Examples = {
    "games": ["tuned"],
    "leaderboards": ["tuned"],
    "ladders": ["tuned"],
    "examples": [1],
    "docs/bots": ["tuned"],
    "api/docs": ["matches"],
    "rankings": ["pentathlon"],
    "people": ["ada"],
    "bots": [1],
    "against": [2],
    "versions": [3],
    "tournaments": [4, 5],
    "entries": [3],
    "matches": [6],
    "replays": [6],
    "seats": [0],
    "reel": ["tuned"],
    "vectors": ["tuned"],
}


def test_every_address_is_measured_or_named_as_left_out() -> None:
    found = [*addresses(EXAMPLES)]

    assert len(found) == len(set(found))
    assert not [path for path in found if "<" in path or "(" in path]
    assert found[0] == "/"
    assert {
        *("/people/ada/", "/bots/1/against/2/", "/bots/1/opponents/", "/games/tuned/explorer/"),
        *("/bots/1/feed.xml", "/bots/1/share.png", "/embed/matches/6/", "/ladders/tuned/"),
        *("/share.png", "/games/tuned/share.png", "/tournaments/4/share.png"),
        *("/tournaments/4/", "/tournaments/5/", "/docs/bots/tuned/", "/api/v1/bots/1/"),
        *("/api/v1/rankings/pentathlon/", "/ranking/", "/search/", "/leaderboards/tuned/"),
    } <= {*found}
    assert len({path.partition("?")[0] for path in with_queries(EXAMPLES)} - {*found}) == 0


def test_new_kind_of_address_needs_an_example() -> None:
    with pytest.raises(LookupError, match="give an example of clubs"):
        [*fill_route("clubs/<int:club_id>/", EXAMPLES)]


def test_gaps_are_filled_from_left_to_right() -> None:
    route = r"api/v1/tournaments/(?P<pk>\d{1,18})/entries/(?P<version>\d{1,18})/$"

    found = [*fill_route(route, EXAMPLES)]

    assert found == ["/api/v1/tournaments/4/entries/3/", "/api/v1/tournaments/5/entries/3/"]
