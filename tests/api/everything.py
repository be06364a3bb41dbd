"""Every answer that a server gives about tournaments and matches, whoever asks.

That includes what it sends unasked: the bodies of all webhooks.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from http import HTTPStatus
from io import BytesIO
from itertools import product
from typing import Any
from zipfile import ZipFile, is_zipfile

from django.core.cache import cache
from django.http import HttpResponseBase
from django.test import Client, override_settings
from django.urls import NoReverseMatch, URLPattern, URLResolver, get_resolver, reverse

from pentathlon.accounts.models import User
from pentathlon.insight.datasets.models import Dataset
from pentathlon.tournaments.models import Tournament, TournamentMatch
from pentathlon.webhooks.messages import body_of
from pentathlon.webhooks.models import OutboxEvent

_GROUP = re.compile(r"\(\?P<(\w+)>|<(?:\w+:)?(\w+)>")
GUIDES = "/docs/"
"""Pages below this are not asked for: `test_guides` proves that they read no match."""
_WRITTEN_ONLY: set[tuple[bool, str]] = set()
"""Names of addresses that answer 405 to every GET, learnt from the first answer.

Each comes with whether somebody is signed in: others may be sent to the sign-in instead.
"""
EACH_BLOCK = (0, 2, 3, 4)
"""Of three blocks: both matches of the second, and one match of each other block."""
_OF_A_PAGE = {"tournament_document": "?download", "match": "?ply=0&seat=1"}


def answers(
    person: User | None,
    *tournaments: Tournament,
    where: Callable[[str], bool] = bool,
    matches: Sequence[int] = EACH_BLOCK,
) -> Iterator[tuple[str, str]]:
    """Yield the address of every GET that can tell something, and all of its answer.

    Args:
        where: whether to ask for an address; for every one if not said.
        matches: which matches of each tournament to ask for, by their place in its order.
    """
    cache.clear()
    asked = {
        address for tournament in tournaments for address in addresses_of(tournament, matches)
    }
    # Signed cookies save the query for the session; the user is still read from the database.
    with override_settings(SESSION_ENGINE="django.contrib.sessions.backends.signed_cookies"):
        client = Client()
        if person is not None:
            client.force_login(person)
        for name, address in sorted(asked):
            kind = (person is not None, name)
            if kind in _WRITTEN_ONLY or not where(address):
                continue
            response = client.get(address)
            assert response.status_code != HTTPStatus.TOO_MANY_REQUESTS
            if response.status_code == HTTPStatus.METHOD_NOT_ALLOWED:
                _WRITTEN_ONLY.add(kind)
            else:
                yield address, f"{_headers(response)} {_body(response)}"
    for number, event in enumerate(OutboxEvent.objects.order_by("pk")):
        yield f"webhook {number}", body_of(event, site="http://testserver").decode()


def _headers(response: HttpResponseBase) -> list[tuple[str, str]]:
    """Return the headers but those that say how much somebody has asked."""
    return [(name, value) for name, value in response.items() if "RateLimit" not in name]


def _body(response: HttpResponseBase) -> str:
    """Return the text of an answer, of an archive that of all its files."""
    if response.streaming:
        chunks: Any = response
        data = b"".join(chunks)
    else:
        data = getattr(response, "content", b"")
    if response.headers.get("Content-Type") != "application/zip" or not is_zipfile(BytesIO(data)):
        return data.decode(errors="replace")
    with ZipFile(BytesIO(data)) as archive:
        texts = {name: archive.read(name).decode(errors="replace") for name in archive.namelist()}
    return "".join(f"{name}: {text}" for name, text in texts.items())


def addresses_of(
    tournament: Tournament, matches: Sequence[int] = EACH_BLOCK
) -> Iterator[tuple[str, str]]:
    """Yield the name of each view that can be read, with an address of it."""
    values = _values(tournament, matches)
    for namespace, pattern in _patterns(get_resolver(), ""):
        names = [one or other for one, other in _GROUP.findall(str(pattern.pattern))]
        full = f"{namespace}{pattern.name}"
        lists = [_known(values, full, name) for name in names]
        for found in product(*lists):
            try:
                address = reverse(full, kwargs=dict(zip(names, found, strict=True)))
            except NoReverseMatch:
                continue
            if "sign-out" not in address and not address.startswith(GUIDES):
                yield full, address
                yield full, address + _OF_A_PAGE.get(pattern.name or "", "")
    yield "v1:match-list", f"/api/v1/matches/?tournament={tournament.pk}"


def _patterns(resolver: URLResolver, namespace: str) -> Iterator[tuple[str, URLPattern]]:
    for entry in resolver.url_patterns:
        if isinstance(entry, URLResolver):
            if entry.namespace != "admin":
                inner = f"{entry.namespace}:" if entry.namespace else ""
                yield from _patterns(entry, namespace + inner)
        elif entry.name and _may_be_read(entry):
            yield namespace, entry


def _may_be_read(pattern: URLPattern) -> bool:
    """Return whether GET may be asked; of the API known before, since it asks first who asks."""
    view: Any = pattern.callback
    handler = getattr(view, "cls", None)
    return handler is None or "get" in (getattr(view, "actions", None) or dir(handler))


def _values(tournament: Tournament, matches: Sequence[int]) -> dict[str, list[object]]:
    places = TournamentMatch.objects.filter(tournament=tournament).order_by("index")
    all_matches = list(places.values_list("match", flat=True)[: max(matches) + 1])
    entries = list(tournament.entries.select_related("version").order_by("pk")[:2])
    entry = entries[0] if entries else None
    return {
        "tournament": [tournament.pk],
        "match": [all_matches[n] for n in matches if n < len(all_matches)],
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
    kinds |= dict.fromkeys(("opponents", "against", "meetings", "rivals"), "bot")
    basename = re.split(r"[:\-_]", address)[1]
    return values.get(kinds.get(basename, basename), [])
