"""All formats of this release by name and version."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from pentathlon_engines.tournament.formats.ab_test import AbTest
from pentathlon_engines.tournament.formats.finals import Finals, FirstFinals
from pentathlon_engines.tournament.formats.gauntlet import Gauntlet
from pentathlon_engines.tournament.formats.interface import PAIR, Format
from pentathlon_engines.tournament.formats.knockout import Knockout
from pentathlon_engines.tournament.formats.ladder import LadderRounds
from pentathlon_engines.tournament.formats.round_robin import RoundRobin
from pentathlon_engines.tournament.formats.swiss import Swiss
from pentathlon_engines.tournament.formats.tables import Tables

_ALL: Final[tuple[Format, ...]] = (
    RoundRobin(),
    Tables(),
    Gauntlet(),
    Swiss(),
    Knockout(),
    FirstFinals(),
    Finals(),
    AbTest(),
    LadderRounds(),
)

FORMATS: Final[Mapping[str, Format]] = MappingProxyType({each.name: each for each in _ALL})
"""All formats by the names with versions that documents use; the newest version comes last."""

NEVER_RATED: Final = frozenset({"ab_test"})
"""Kinds of formats whose results count on no leaderboard: they play one pair hundreds of times."""


def newest_formats() -> dict[str, Format]:
    """Return the newest version of each kind of format, by kind."""
    return {name.partition("/")[0]: each for name, each in FORMATS.items()}


def newest_format(kind: str, *, seats: int = 2) -> str:
    """Return the newest version of a kind of format, or the name as it is if there is none.

    A round robin of larger tables is the format `tables`.

    >>> newest_format("gauntlet"), newest_format("round_robin", seats=4)
    ('gauntlet/1', 'tables/2')
    """
    if kind == "round_robin" and seats > PAIR:
        kind = "tables"
    found = newest_formats().get(kind)
    return kind if found is None else found.name
