"""Every address of the site, with examples of what varies in it."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final
from urllib.parse import urlencode

from django.urls import URLPattern, URLResolver, get_resolver

from pentathlon.bots.models import BotVersion
from pentathlon.matches.models import Match, MatchState
from pentathlon_engines import GAMES
from tools.benchmark.load.data import GAME, Cast

Examples = Mapping[str, Sequence[object]]
"""Values for the gaps of an address, by the words before the gap."""

_GAP: Final = re.compile(r"\(\?P<\w+>(?:[^()]|\([^()]*\))*\)|<[^>]*>")
_LEFT_OUT: Final = (
    *("admin/", "static/", "api/$"),
    "live/",  # streams have no end
)
_WITHOUT_END: Final = re.compile(r"((tournaments|friendlies)/\(.*\)|v1/matches)/events/\$$")
"""Streams about things that never end in the data."""
_NOT_MEASURED: Final = frozenset(
    {
        *("account/apps", "account/tokens", "account/webhooks", "account/sessions"),  # one's own
        *("tokens", "webhooks", "deliveries", "second-factors/passkeys", "sessions"),
        *("challenges", "play", "friendlies", "records", "desk-records"),  # one match, or few
        *("datasets", "datasets/history", "matches/history", "fleet/archives", "kit"),  # files
        *("events", "seasons", "teams", "organisers"),  # a few tournaments or people each
        *("log", "quarantines", "audit/people"),  # by index of a receipt; for staff
    }
)
"""The words before gaps for which the data has no example."""


def examples_of(cast: Cast) -> Examples:
    """Return the objects that the pages of a platform with a history are about."""
    tournament = cast.tournament.pk
    match = Match.objects.of_lane(tournament).filter(state=MatchState.DONE).latest("pk").pk
    version, other = BotVersion.objects.filter(pk__in=cast.rivals).order_by("pk")
    return {
        "games": [GAME],
        "leaderboards": [GAME],
        "ladders": [GAME],
        "examples": [1],
        "docs/bots": [GAME],
        "api/docs": ["matches"],
        "rankings": ["pentathlon"],
        "people": [cast.owner.username],
        "bots": [version.bot_id],
        "against": [other.bot_id],
        "versions": [version.pk],
        "tournaments": [tournament],
        "entries": [version.pk],
        "matches": [match],
        "replays": [match],
        "seats": [0],
        "reel": [GAME],
        "vectors": [GAME],
    }


def addresses(examples: Examples) -> Iterator[str]:
    """Yield every address that the site knows, once for each example of what varies in it."""
    for route in sorted(_routes(get_resolver().url_patterns, "")):
        if not route.startswith(_LEFT_OUT) and not _WITHOUT_END.search(route):
            yield from fill_route(route, examples)


def with_queries(examples: Examples) -> list[str]:
    """Return the addresses that answer only to a query, and lists that a query narrows."""
    (match, *_), (bot, *_), (version, *_) = (
        examples[word] for word in ("matches", "bots", "versions")
    )
    paths = [f"{path}?{urlencode({'q': 'load'})}" for path in ("/search/", "/api/v1/search/")]
    page = urlencode({"url": f"http://localhost/matches/{match}/"})
    lines: list[dict[str, object]] = [{"line": _first_action()}, {"match": match, "ply": 2}]
    paths += [f"/games/{GAME}/explorer/?{urlencode(line)}" for line in lines]
    paths += [f"/oembed/?{page}", f"/matches/{match}/moment/?ply=5", f"/matches/?bot={bot}"]
    paths += [f"/api/v1/matches/?version={version}", "/api/v1/matches/?page_size=200"]
    lists = ("/matches/", "/api/v1/matches/", "/bots/", "/tournaments/", "/api/v1/bots/")
    return paths + [f"{path}?game={GAME}" for path in lists]


def _first_action() -> str:
    start = GAMES[GAME].start()
    return start.text(start.legal_actions()[0])


def fill_route(route: str, examples: Examples) -> Iterator[str]:
    """Yield the addresses of a pattern, or none if the data is known to have no example.

    Raises LookupError if there is neither an example nor a note that there is none.
    """
    gap = _GAP.search(route)
    if gap is None:
        yield "/" + route.translate({ord(mark): None for mark in "^$\\"})
        return
    words = route[: gap.start()].rstrip("/").split("/")
    # Two words name a gap more closely than one: `docs/bots` are games, `bots` are bots.
    names = ["/".join(words[-2:]), words[-1]]
    if not _NOT_MEASURED.isdisjoint(names):
        return
    known = next((examples[name] for name in names if name in examples), None)
    if known is None:
        raise LookupError(f"{route}: give an example of {names[-1]}, or say that there is none")
    for example in known:
        yield from fill_route(f"{route[: gap.start()]}{example}{route[gap.end() :]}", examples)


def _routes(patterns: Sequence[URLPattern | URLResolver], before: str) -> Iterator[str]:
    for pattern in patterns:
        route = before + str(pattern.pattern).removeprefix("^")
        if isinstance(pattern, URLResolver):
            yield from _routes(pattern.url_patterns, route)
        else:
            yield route
