"""Every answer that a server gives about tournaments and matches, whoever asks.

What it sends by itself belongs to that: the bodies of all webhooks.
"""

import re
from collections.abc import Callable, Iterator
from itertools import product
from typing import Any

from django.core.cache import cache
from django.http import HttpResponseBase
from django.test import Client
from django.urls import NoReverseMatch, URLPattern, URLResolver, get_resolver, reverse

from pentathlon.accounts.models import User
from pentathlon.datasets.models import Dataset
from pentathlon.tournaments.models import Tournament, TournamentMatch
from pentathlon.webhooks.messages import body_of
from pentathlon.webhooks.models import OutboxEvent

_GROUP = re.compile(r"\(\?P<(\w+)>|<(?:\w+:)?(\w+)>")
_OF_A_PAGE = {"tournament_document": "?download", "match": "?ply=0&seat=1"}


def answers(
    tournament: Tournament, person: User | None, *, where: Callable[[str], bool] = bool
) -> Iterator[tuple[str, str]]:
    """Yield the address of every GET and all of its answer, headers included.

    Args:
        where: whether to ask for an address; for every one if not said.
    """
    client = Client()
    if person is not None:
        client.force_login(person)
    for address in sorted(filter(where, set(_addresses(tournament)))):
        cache.clear()  # who asks for everything asks often
        response = client.get(address)
        yield address, f"{response.headers} {_body(response)}"
    for number, event in enumerate(OutboxEvent.objects.order_by("pk")):
        yield f"webhook {number}", body_of(event, site="http://testserver").decode()


def _body(response: HttpResponseBase) -> str:
    if response.streaming:
        chunks: Any = response
        return b"".join(chunks).decode(errors="replace")
    return getattr(response, "content", b"").decode(errors="replace")


def _addresses(tournament: Tournament) -> Iterator[str]:
    values = _values(tournament)
    for namespace, pattern in _patterns(get_resolver(), ""):
        names = [one or other for one, other in _GROUP.findall(str(pattern.pattern))]
        full = f"{namespace}{pattern.name}"
        lists = [_known(values, full, name) for name in names]
        for found in product(*lists):
            try:
                address = reverse(full, kwargs=dict(zip(names, found, strict=True)))
            except NoReverseMatch:
                continue
            if "sign-out" not in address:
                yield address
                yield address + _OF_A_PAGE.get(pattern.name or "", "")
    yield f"/api/v1/matches/?tournament={tournament.pk}"


def _patterns(resolver: URLResolver, namespace: str) -> Iterator[tuple[str, URLPattern]]:
    for entry in resolver.url_patterns:
        if isinstance(entry, URLResolver):
            if entry.namespace != "admin":
                inner = f"{entry.namespace}:" if entry.namespace else ""
                yield from _patterns(entry, namespace + inner)
        elif entry.name:
            yield namespace, entry


def _values(tournament: Tournament) -> dict[str, list[object]]:
    places = TournamentMatch.objects.filter(tournament=tournament).order_by("index")
    matches = list(places.values_list("match", flat=True)[:6])
    entries = list(tournament.entries.select_related("version").order_by("pk")[:2])
    entry = entries[0] if entries else None
    return {
        "tournament": [tournament.pk],
        # Of three blocks both of the second, and of the others one that stands for the other.
        "match": [matches[n] for n in (0, 2, 3, 4) if n < len(matches)],
        "bot": [entry.version.bot_id] if entry else [],
        "other": [each.version.bot_id for each in entries[1:]],
        "username": [entry.version.bot.owner.username] if entry else [],
        "version": [entry.version_id] if entry else [],
        "seat": [0, 1],
        "dataset": [*Dataset.objects.filter(tournament=tournament).values_list("pk", flat=True)],
        "table": ["decisions", "matches"],
        "number": [1],
        "game": [tournament.game],
        "key": [tournament.game],
    }


def _known(values: dict[str, list[object]], address: str, name: str) -> list[object]:
    if name != "pk":
        return values.get(name.removesuffix("_id"), [])
    kinds = {"replay": "match", "seat": "match", "board": "match"}
    kinds |= dict.fromkeys(("opponents", "against", "meetings"), "bot")
    basename = re.split(r"[:\-_]", address)[1]
    return values.get(kinds.get(basename, basename), [])
