"""Tables at which no two bots of one author sit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pentathlon_engines.tournament.formats.blocks import Group


def has_two_of_one(group: Group, authors: Mapping[int, str]) -> bool:
    """Return whether an author has several bots in a group."""
    return len({authors[bot] for bot in group}) < len(group)


def separate_groups(
    rounds: Sequence[Sequence[Group]], authors: Mapping[int, str]
) -> list[list[Group]]:
    """Return rounds of groups in which no author has several bots.

    Where one has, another bot takes a chair: the one that has met the others there least so far,
    then the one that has played least, then the first in `authors`, which should be in a drawn
    order. A group that nobody can join is left out.
    """
    met = {bot: dict.fromkeys(authors, 0) for bot in authors}
    played = dict.fromkeys(authors, 0)
    separated = []
    for groups in rounds:
        seated = []
        for group in groups:
            chosen = _fill(_one_of_each(group, authors), len(group), authors, met, played)
            if len(chosen) < len(group):
                continue
            seated.append(tuple(chosen))
            for bot in chosen:
                played[bot] += 1
                for other in chosen:
                    met[bot][other] += 1
        separated.append(seated)
    return separated


def _one_of_each(group: Group, authors: Mapping[int, str]) -> list[int]:
    first_of = {authors[bot]: bot for bot in reversed(group)}
    return [bot for bot in group if first_of[authors[bot]] == bot]


def _fill(
    chosen: list[int],
    seats: int,
    authors: Mapping[int, str],
    met: Mapping[int, Mapping[int, int]],
    played: Mapping[int, int],
) -> list[int]:
    """Return a group with its empty chairs taken, as far as there are bots that may take them."""
    while len(chosen) < seats:
        taken = {authors[bot] for bot in chosen}
        free = [bot for bot in authors if authors[bot] not in taken]
        if not free:
            break
        rank = {bot: (sum(met[bot][each] for each in chosen), played[bot]) for bot in free}
        chosen = [*chosen, min(free, key=rank.__getitem__)]
    return chosen
