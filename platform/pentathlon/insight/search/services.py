"""Keeps the terms by which names are found.

Names change rarely and are made in many places, and none of those places knows this index. So the
reconciler reads new names, and goes through all names again and again to find changed ones.
"""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Any, Final

from django.db import transaction
from django.db.models import QuerySet

from pentathlon.accounts.models import User
from pentathlon.bots.models import Bot
from pentathlon.insight.search.models import IndexedKind, Kind, NameTerm
from pentathlon.insight.search.words import terms_of
from pentathlon.tournaments.models import Event, Tournament

AT_ONCE: Final = 100
"""Names in one transaction, so that it writes at most 800 rows."""
_MARGIN: Final = 50
"""How far below the newest id names are read again: older transactions may have ended later."""
_ROUND_S: Final = 5.0
"""Seconds between two steps of the round through all names."""

_Names = QuerySet[Any, tuple[int, str]]  # Any: bots, people, tournaments, events


class NameIndexer:
    """The step that the reconciler calls again and again."""

    def __init__(self) -> None:
        self._round_at = 0.0

    def step(self) -> int:
        """Index new names, and a stretch of names that may have changed; return how many."""
        read = sum(_index_new(kind) for kind in Kind)
        if time.monotonic() >= self._round_at:
            self._round_at = time.monotonic() + _ROUND_S
            read += sum(_check_some(kind) for kind in Kind)
        return read


def index_all() -> int:
    """Index all names now; return how many there are."""
    read = 0
    for kind in Kind:
        IndexedKind.objects.update_or_create(kind=kind, defaults={"checked": 0})
        while found := _check_some(kind):
            read += found
    return read


def index_person(person: User) -> None:
    """Index a person by their present name, and by no former one."""
    _store(Kind.PERSON, {person.pk: person.username})


def _names(kind: Kind) -> _Names:
    if kind is Kind.BOT:
        return Bot.objects.values_list("pk", "name")
    if kind is Kind.PERSON:
        return User.objects.values_list("pk", "username")
    if kind is Kind.TOURNAMENT:
        return Tournament.objects.organised().values_list("pk", "name")
    return Event.objects.values_list("pk", "name")


def _index_new(kind: Kind) -> int:
    place, _ = IndexedKind.objects.get_or_create(kind=kind)
    names = _names(kind)
    last = names.order_by("-pk").values_list("pk", flat=True).first() or 0
    if last <= place.newest:
        return 0
    after = max(0, place.newest - _MARGIN)
    found = dict(names.filter(pk__gt=after).order_by("pk")[:AT_ONCE])
    with transaction.atomic():
        _store(kind, found)
        IndexedKind.objects.filter(kind=kind).update(newest=max(found, default=last))
    return len(found)


def _check_some(kind: Kind) -> int:
    place, _ = IndexedKind.objects.get_or_create(kind=kind)
    found = dict(_names(kind).filter(pk__gt=place.checked).order_by("pk")[:AT_ONCE])
    with transaction.atomic():
        _store(kind, found)
        IndexedKind.objects.filter(kind=kind).update(checked=max(found, default=0))
    return len(found)


def _store(kind: Kind, names: Mapping[int, str]) -> None:
    """Store the right terms of these names, writing only what differs."""
    own = NameTerm.objects.filter(kind=kind, object_id__in=list(names))
    stored: dict[int, dict[str, int]] = defaultdict(dict)
    for term_id, object_id, term in own.values_list("pk", "object_id", "term"):
        stored[object_id][term] = term_id
    wanted = {object_id: terms_of(name) for object_id, name in names.items()}
    old = [
        term_id
        for object_id, terms in stored.items()
        for term, term_id in terms.items()
        if term not in wanted[object_id]
    ]
    if old:
        NameTerm.objects.filter(pk__in=old).delete()
    missing = list(_missing(kind, wanted, stored))
    if missing:
        # The step and the command may index at the same time.
        NameTerm.objects.bulk_create(missing, ignore_conflicts=True)


def _missing(
    kind: Kind, wanted: Mapping[int, list[str]], stored: Mapping[int, Mapping[str, int]]
) -> Iterable[NameTerm]:
    for object_id, terms in wanted.items():
        for number, term in enumerate(terms):
            if term not in stored.get(object_id, {}):
                yield NameTerm(kind=kind, object_id=object_id, term=term, tier=min(number, 1))
