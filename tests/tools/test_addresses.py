"""The benchmarks of pages know every address, and nobody can add one without saying how."""

import pytest

from tools.benchmark.load.addresses import Examples, addresses, fill_route, with_queries

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
