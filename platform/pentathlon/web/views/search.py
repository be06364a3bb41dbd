"""The search over everything that has a name or a number."""

from collections.abc import Sequence

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_safe

from pentathlon.insight.search.lookup import FoundName, Kind, find_match, find_names
from pentathlon.web.requests import person, query_text
from pentathlon_engines import GAMES, GameInfo

_SHOWN = 8
"""How many names of each kind are shown if all kinds are."""


@require_safe
def search(request: HttpRequest) -> HttpResponse:
    """Find what the query `q` names; `kind` shows only one kind, but more of it."""
    query, reader = query_text(request, "q"), person(request)
    only = query_text(request, "kind")
    kinds = [Kind(only)] if only in Kind else list(Kind)
    found = (
        find_names(query, reader=reader, kinds=kinds)
        if len(kinds) == 1
        else find_names(query, reader=reader, most=_SHOWN)
    )
    games = [] if only in Kind or not query else _games(query)
    match = None if only in Kind else find_match(query, reader=reader)
    context = {
        "query": query,
        "only": only if only in Kind else "",
        "groups": _groups(found),
        "match": match,
        "games": games,
        "shown": _SHOWN,
    }
    return render(request, "web/search.html", context)


def _groups(found: Sequence[FoundName]) -> list[tuple[Kind, list[tuple[FoundName, str]]]]:
    """Return the findings by kind, with addresses; the kind with the best name comes first."""
    kinds = dict.fromkeys(each.kind for each in found)
    return [
        (kind, [(each, _address(each)) for each in found if each.kind is kind]) for kind in kinds
    ]


def _games(query: str) -> list[GameInfo]:
    """Return the games whose title, or a word of it, begins with the query."""
    wanted = query.casefold()
    titles = {key: game.info.title.casefold() for key, game in GAMES.items()}
    return [
        GAMES[key].info
        for key, title in titles.items()
        if title.startswith(wanted) or any(word.startswith(wanted) for word in title.split())
    ]


def _address(found: FoundName) -> str:
    if found.kind is Kind.PERSON:
        return reverse("profile", args=[found.name])
    return reverse(found.kind.value, args=[found.id])
