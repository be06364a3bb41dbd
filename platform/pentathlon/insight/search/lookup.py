"""Finds bots, people, tournaments and events by name, and matches by number."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Final

from django.db.models import Exists, OuterRef, QuerySet

from pentathlon.accounts.models import User
from pentathlon.bots.models import Bot
from pentathlon.insight.search.models import Kind, NameTerm
from pentathlon.insight.search.words import grade, range_of, words_of
from pentathlon.matches.models import Match
from pentathlon.tournaments.models import Event, Tournament
from pentathlon.tournaments.people_rows import CoOrganiser

MOST_FOUND: Final = 50
"""The most names of one kind that a search returns."""
_CANDIDATES: Final = 200
"""The most terms read from one stretch of the index, however many fit."""
_TIERS: Final = (0, 1)
_NUMBER: Final = re.compile(r"#?0*([0-9]{1,15})")


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundName:
    """Something with a name that fits a query."""

    kind: Kind
    id: int
    name: str
    author: str
    """A bot's author, or the organiser of a tournament or event; else empty."""
    game: str = ""
    """The key of a tournament's game; else empty."""
    grade: int
    """How well the name fits; 0 is best."""


def find_names(
    query: str, *, reader: User | None, kinds: Iterable[Kind] = tuple(Kind), most: int = MOST_FOUND
) -> list[FoundName]:
    """Return what a person may see and the query fits, best first; at most so many of a kind.

    The best name is the query itself; then come names that begin with it, names with a word that
    does, and names with all of its words; among equals the shorter, then the newer.
    """
    if not words_of(query):
        return []
    found = [each for kind in kinds for each in _find(kind, query, reader)[:most]]
    return sorted(found, key=_order)


def find_match(query: str, *, reader: User | None) -> Match | None:
    """Return the match with this number (`12` or `#12`), if this person may see it."""
    number = _NUMBER.fullmatch(query.strip())
    if number is None:
        return None
    seen = Match.objects.visible_to(reader).with_seats()
    return seen.filter(pk=int(number[1])).first()


def prefixed_terms(kind: Kind, prefix: str, *, tier: int) -> QuerySet[NameTerm, int]:
    """Return the ids of things with a term that has this prefix, in the order of the index."""
    low, high = range_of(prefix)
    terms = NameTerm.objects.filter(kind=kind, tier=tier, term__gte=low, term__lt=high)
    return terms.order_by("term", "object_id").values_list("object_id", flat=True)[:_CANDIDATES]


def _find(kind: Kind, query: str, reader: User | None) -> list[FoundName]:
    ids = list(dict.fromkeys(_candidates(kind, words_of(query))))
    # The present name decides, because terms may be older.
    graded = ((each, grade(each.name, query)) for each in _read(kind, ids, reader))
    fitting = (replace(each, grade=value) for each, value in graded if value is not None)
    return sorted(fitting, key=_order)


def _candidates(kind: Kind, words: list[str]) -> Iterator[int]:
    phrase = " ".join(words)
    for tier in _TIERS:
        yield from prefixed_terms(kind, phrase, tier=tier)
    if len(words) > 1:
        longest = max(words, key=len)
        for tier in _TIERS:
            yield from prefixed_terms(kind, longest, tier=tier)


def _read(kind: Kind, ids: list[int], reader: User | None) -> Iterator[FoundName]:
    if kind is Kind.BOT:
        for bot in Bot.objects.filter(pk__in=ids).select_related("owner"):
            yield _found(kind, bot.pk, bot.name, author=bot.owner.username)
    elif kind is Kind.PERSON:
        for person in _public_people(reader).filter(pk__in=ids):
            yield _found(kind, person.pk, person.username)
    elif kind is Kind.TOURNAMENT:
        seen = Tournament.objects.visible_to(reader).organised().filter(pk__in=ids)
        for each in seen.select_related("owner").only("name", "game", "owner__username"):
            author = each.owner.username
            yield _found(kind, each.pk, each.name, author=author, game=each.game)
    else:
        for event in Event.objects.filter(pk__in=ids).select_related("owner"):
            yield _found(kind, event.pk, event.name, author=event.owner.username)


def _public_people(reader: User | None) -> QuerySet[User]:
    """Return people known in public: authors of bots, and organisers of visible tournaments."""
    bots = Bot.objects.filter(owner=OuterRef("pk"))
    visible = Tournament.objects.visible_to(reader).organised()
    shared = CoOrganiser.objects.filter(person=OuterRef("pk"), tournament__in=visible.values("pk"))
    organises = Exists(visible.filter(owner=OuterRef("pk"))) | Exists(shared)
    return User.objects.filter(Exists(bots) | organises, is_active=True)


def _found(
    kind: Kind, object_id: int, name: str, *, author: str = "", game: str = ""
) -> FoundName:
    return FoundName(kind=kind, id=object_id, name=name, author=author, game=game, grade=0)


def _order(found: FoundName) -> tuple[int, int, int, int]:
    return found.grade, list(Kind).index(found.kind), len(found.name), -found.id
