"""Who won a closed tournament, in one sentence and on the three best places."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from pentathlon.bots.models import BotVersion
from pentathlon.tournaments.models import FinalRow
from pentathlon_engines.commentary.words import enumerate_all

_LAST = 3
"""The last place of a podium."""
_MOST_NAMED = 5


class Step(NamedTuple):
    """One place of a podium, and the versions that share it."""

    place: int
    versions: Sequence[BotVersion]


class Podium(NamedTuple):
    """The best places of a closed tournament, the first one first."""

    steps: Sequence[Step]

    @property
    def story(self) -> str:
        """Return who won, and who came next, in a sentence."""
        first, *others = self.steps
        names = _named(first.versions)
        if not others:
            return (
                f"{names} share the first place." if len(first.versions) > 1 else f"{names} won."
            )
        verb = "share the first place" if len(first.versions) > 1 else "won"
        behind = _named([version for step in others for version in step.versions])
        return f"{names} {verb}, ahead of {behind}."


def podiums(tournaments: Iterable[int]) -> Mapping[int, Podium]:
    """Return the podiums of those of these tournaments that have a final table, by id.

    Whoever shows them asks before whether results are hidden from the reader.
    """
    rows = FinalRow.objects.filter(entry__tournament__in=tournaments, place__lte=_LAST)
    rows = rows.select_related("entry__version__bot").order_by(
        "place", "entry__version__bot__name"
    )
    steps: dict[int, dict[int, list[BotVersion]]] = defaultdict(lambda: defaultdict(list))
    for row in rows:
        steps[row.entry.tournament_id][row.place].append(row.entry.version)
    return {
        tournament: Podium([Step(place, versions) for place, versions in places.items()])
        for tournament, places in steps.items()
        if 1 in places
    }


def _named(versions: Sequence[BotVersion]) -> str:
    """Return the names of bots; of very many, the first ones and how many more there are."""
    names = [version.bot.name for version in versions]
    if len(names) <= _MOST_NAMED:
        return enumerate_all(names)
    return f"{', '.join(names[:_MOST_NAMED])} and {len(names) - _MOST_NAMED} more"
