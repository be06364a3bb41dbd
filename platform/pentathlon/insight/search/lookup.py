"""Finds bots, people, tournaments and events by name, and matches by number.

There is no index: each search looks at all names of its kinds.
"""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, Final

from django.db.models import Exists, OuterRef, Q, QuerySet, TextChoices
from django.db.models.functions import Length

from pentathlon.accounts.models import User
from pentathlon.bots.models import Bot
from pentathlon.matches.models import Match
from pentathlon.tournaments.models import Event, Tournament
from pentathlon.tournaments.people_rows import CoOrganiser

MOST_WORDS: Final = 8
LONGEST_QUERY: Final = 64
_WORD: Final = re.compile(r"[^\W_]+")
_LETTERS: Final = (range(0x41, 0x530), range(0x1E00, 0x2000), range(0x3040, 0x3100))
"""Latin, Greek and Cyrillic letters, and kana: those with case, or with accents of their own."""
MOST_FOUND: Final = 50
"""The most names of one kind that a search returns."""
_CANDIDATES: Final = 200
"""The most names of one kind that are graded, the shortest ones, however many fit."""
_NUMBER: Final = re.compile(r"#?0*([0-9]{1,15})")


def words_of(text: str) -> list[str]:
    """Return the first words of a text, in small letters without accents.

    >>> words_of("Château-d'Or_3")
    ['chateau', 'd', 'or', '3']
    """
    split = unicodedata.normalize("NFKD", text.casefold())
    plain = "".join(letter for letter in split if not unicodedata.combining(letter))
    return _WORD.findall(plain)[:MOST_WORDS]


def patterns_of(query: str) -> list[tuple[str, str]]:
    """Return each word of a query, with a regular expression for names in which a word begins so.

    Databases disagree on case and know nothing of accents, so the expression lists all letters.

    >>> bool(re.search(patterns_of("ole")[0][1], "Old Øle"))
    False
    >>> bool(re.search(patterns_of("oel")[0][1], "Old ÖEL"))
    True
    """
    words = _WORD.findall(query)[:MOST_WORDS]
    return [(word, rf"(^|\W|_){_pattern(''.join(words_of(word)))}") for word in words]


def grade(name: str, query: str) -> int | None:
    """Return how well a name fits a query, 0 best; None if it does not.

    0: it is the query; 1: it begins with it; 2: one of its words does; 3: it has all words of the
    query somewhere.

    >>> [grade(name, "blue") for name in ("Blue", "Bluebird", "Great Blue Bot", "Red")]
    [0, 1, 2, None]
    """
    asked, words = words_of(query), words_of(name)
    ends = [" ".join(words[start:]) for start in range(len(words))]
    if not asked or not ends:
        return None
    phrase = " ".join(asked)
    if ends[0] == phrase:
        return 0
    if ends[0].startswith(phrase):
        return 1
    if any(end.startswith(phrase) for end in ends):
        return 2
    return 3 if all(any(end.startswith(word) for end in ends) for word in asked) else None


def _pattern(word: str) -> str:
    classes = [f"[{_variants().get(letter, letter)}]" for letter in word]
    return "".join(classes).replace(_pattern_of_ss(), f"({_pattern_of_ss()}|[ßẞ])")


@cache
def _pattern_of_ss() -> str:
    return 2 * f"[{_variants()['s']}]"


@cache
def _variants() -> Mapping[str, str]:
    """Return all letters that are compared as one, by that one."""
    variants: dict[str, str] = defaultdict(str)
    for letter in (chr(code) for codes in _LETTERS for code in codes):
        if len(plain := "".join(words_of(letter))) == 1:
            variants[plain] += letter
    return variants


class Kind(TextChoices):
    """Kinds of things that the search finds by name."""

    BOT = "bot", "Bots"
    PERSON = "person", "People"
    TOURNAMENT = "tournament", "Tournaments"
    EVENT = "event", "Events"


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
    by_kind = (sorted(_find(kind, query, reader), key=_order)[:most] for kind in kinds)
    return sorted((name for names in by_kind for name in names), key=_order)


def find_match(query: str, *, reader: User | None) -> Match | None:
    """Return the match with this number (`12` or `#12`), if this person may see it."""
    number = _NUMBER.fullmatch(query.strip())
    if number is None:
        return None
    seen = Match.objects.visible_to(reader).with_seats()
    return seen.filter(pk=int(number[1])).first()


def _find(kind: Kind, query: str, reader: User | None) -> Iterator[FoundName]:
    rows, name, *others = _visible(kind, reader)
    for word, pattern in patterns_of(query):
        # The second catches what the expression cannot list, such as Hangul.
        rows = rows.filter(Q(**{f"{name}__regex": pattern}) | Q(**{f"{name}__icontains": word}))
    shortest = rows.order_by(Length(name), "-pk").values_list("pk", name, *others)
    for pk, text, *facts in shortest[:_CANDIDATES]:
        if (fit := grade(text, query)) is not None:
            author, game = (*facts, "", "")[:2]
            yield FoundName(kind=kind, id=pk, name=text, author=author, game=game, grade=fit)


def _visible(
    kind: Kind, reader: User | None
) -> tuple[QuerySet[Any], str, *tuple[str, ...]]:  # Any: four models
    """Return what a person may see of a kind; the columns of its name, its author and its game."""
    if kind is Kind.BOT:
        return Bot.objects.all(), "name", "owner__username"
    if kind is Kind.PERSON:
        return _public_people(reader), "username"
    if kind is Kind.EVENT:
        return Event.objects.all(), "name", "owner__username"
    return Tournament.objects.visible_to(reader).organised(), "name", "owner__username", "game"


def _public_people(reader: User | None) -> QuerySet[User]:
    """Return people known in public: authors of bots, and organisers of visible tournaments."""
    bots = Bot.objects.filter(owner=OuterRef("pk"))
    visible = Tournament.objects.visible_to(reader).organised()
    shared = CoOrganiser.objects.filter(person=OuterRef("pk"), tournament__in=visible.values("pk"))
    organises = Exists(visible.filter(owner=OuterRef("pk"))) | Exists(shared)
    return User.objects.filter(Exists(bots) | organises, is_active=True)


def _order(name: FoundName) -> tuple[int, int, int, int]:
    return name.grade, list(Kind).index(name.kind), len(name.name), -name.id
