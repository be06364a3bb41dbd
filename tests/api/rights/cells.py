"""Actor by action by whose thing by state: all cells, and the rules that say what each answers.

The rules are written from the glossary and the guides, not from the code. A cell that no rule
covers is refused.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Final, NamedTuple

SIGNED_IN: Final = (
    *("author", "mate", "invited", "removed", "stranger"),
    *("organiser", "other organiser", "staff", "superuser"),
)
"""The author of the bots in question; a member of the author's team, somebody whom that team has
only invited, a former member; the organiser of the tournaments in question; …"""
ACTORS: Final = ("anonymous", *SIGNED_IN)
VERSIONS: Final = ("candidate", "active", "retired", "stopped")
CUPS: Final = ("draft", "open", "running", "closed")
SIDES: Final = ("alone", "team", "left")
"""The author's own entry; the team's, with a bot of the author; the team's, with a bot of the
former member."""

PLAYING: Final = ("candidate", "active")
ACTIVE: Final = ("active",)
OWN: Final = ("own",)
THEIRS: Final = ("author's",)
UNSTARTED: Final = ("draft", "open")
OPEN: Final = ("open",)
NOT_OVER: Final = ("draft", "open", "running")
MEMBERS: Final = ("author", "mate")
RULING: Final = ("organiser", "superuser")
SEES_DRAFTS: Final = ("organiser", "staff", "superuser")


class Cell(NamedTuple):
    """One thing that somebody tries."""

    action: str
    actor: str
    whose: str = "author's"
    """Whose the version is: the actor's own, the author's, or the former member's."""
    version: str = "active"
    cup: str = ""
    side: str = ""
    is_willing: bool = True
    """Whether the author lets organisers enter bots."""


class Rule(NamedTuple):
    """Who may do something, where; each field holds the values that it allows."""

    action: str
    actors: tuple[str, ...]
    whose: tuple[str, ...] = THEIRS
    versions: tuple[str, ...] = VERSIONS
    cups: tuple[str, ...] = ("",)
    sides: tuple[str, ...] = ("",)
    willing: tuple[bool, ...] = (True, False)

    def covers(self, cell: Cell) -> bool:
        """Return whether this rule allows a cell."""
        return (
            cell.action == self.action
            and cell.actor in self.actors
            and cell.whose in self.whose
            and cell.version in self.versions
            and cell.cup in self.cups
            and cell.side in self.sides
            and cell.is_willing in self.willing
        )


RULES: Final = (
    # Everybody enters what is theirs, candidates too; the organiser also before it is open.
    Rule("enter", SIGNED_IN, OWN, PLAYING, OPEN, ("alone",)),
    Rule("enter", ("organiser",), OWN, PLAYING, ("draft",), ("alone",)),
    # Organisers enter active versions of those who let them.
    Rule("enter", ("organiser",), THEIRS, ACTIVE, UNSTARTED, ("alone",), (True,)),
    # Members enter for their team: candidates of their own, active versions of each other.
    Rule("enter", MEMBERS, OWN, PLAYING, OPEN, ("team",)),
    Rule("enter", ("mate",), THEIRS, ACTIVE, OPEN, ("team",)),
    # The list of a new tournament.
    Rule("list", ("organiser", "other organiser"), OWN, PLAYING),
    Rule("list", ("organiser", "other organiser"), THEIRS, ACTIVE, willing=(True,)),
    # Before the start, an entry goes to a version that its side could enter.
    Rule("replace", ("author",), OWN, PLAYING, UNSTARTED, ("alone",)),
    Rule("replace", MEMBERS, OWN, PLAYING, UNSTARTED, ("team", "left")),
    Rule("replace", ("mate",), THEIRS, ACTIVE, UNSTARTED, ("team", "left")),
    Rule("replace", RULING, THEIRS, ACTIVE, UNSTARTED, SIDES, (True,)),
    # Afterwards organisers alone replace, by another version of the same bot.
    Rule("replace", RULING, THEIRS, ACTIVE, ("running",), ("alone", "team"), (True,)),
    # A bot's author, its team and the organiser withdraw it.
    Rule("withdraw", ("author", *RULING), cups=NOT_OVER, sides=("alone",)),
    Rule("withdraw", (*MEMBERS, *RULING), cups=NOT_OVER, sides=("team",)),
    Rule("withdraw", ("removed", *MEMBERS, *RULING), cups=NOT_OVER, sides=("left",)),
    # One challenges with what is one's own, and anybody's active version.
    Rule("challenge with", SIGNED_IN, OWN, PLAYING),
    Rule("challenge", tuple(each for each in SIGNED_IN if each != "author"), versions=ACTIVE),
    Rule("play against", SIGNED_IN, versions=ACTIVE),
    Rule("join a ladder", ("author",), versions=ACTIVE),
    # What is private stays with the author, whoever shares a team with them.
    Rule("activate", ("author",), versions=("candidate",)),
    Rule("retire", ("author",), versions=("candidate", "active", "stopped")),
    Rule("read files", ("author",)),
    Rule("read log", ("author",)),
    Rule("see the draft", SEES_DRAFTS),
    Rule("see invitations", MEMBERS),
    # The team belongs to its founder, who is the author.
    Rule("invite", ("author",)),
    Rule("remove a member", ("author",)),
    Rule("delete a team", ("author",)),
    Rule("accept", ("invited",)),
    Rule("decline", ("invited",)),
    Rule("leave", MEMBERS),
)

_BY_VERSION: Final = (
    *("challenge", "play against", "join a ladder"),
    *("activate", "retire", "read files", "read log"),
)
_SIMPLE: Final = (
    *("see the draft", "see invitations", "invite", "remove a member", "delete a team"),
    *("accept", "decline", "leave"),
)


def is_allowed(cell: Cell) -> bool:
    """Return whether a rule allows a cell."""
    return any(rule.covers(cell) for rule in RULES)


def all_cells() -> Iterator[Cell]:
    """Yield every cell that there is."""
    for actor in ACTORS:
        for whose, version in product(_owners(actor), VERSIONS):
            yield from _of_entries(actor, whose, version)
            for is_willing in _answers(version):
                yield Cell("list", actor, whose, version, is_willing=is_willing)
            yield Cell("challenge with", actor, whose, version)
        for cup, side in product(CUPS, SIDES):
            yield Cell("withdraw", actor, cup=cup, side=side)
        for action, version in product(_BY_VERSION, VERSIONS):
            yield Cell(action, actor, version=version)
        for action in _SIMPLE:
            yield Cell(action, actor)


def _of_entries(actor: str, whose: str, version: str) -> Iterator[Cell]:
    for cup, is_willing in product(_cups(version), _answers(version)):
        for side in ("alone", "team"):
            yield Cell("enter", actor, whose, version, cup, side, is_willing)
        for side in SIDES:
            yield Cell("replace", actor, whose, version, cup, side, is_willing)


def _cups(version: str) -> tuple[str, ...]:
    """Return where a version is tried: what plays nowhere, only where others are let in."""
    cups = {"active": CUPS, "candidate": NOT_OVER}
    return cups.get(version, ("open", "running"))


def _answers(version: str) -> tuple[bool, ...]:
    """Return what the author answers to organisers: only active versions ask for it."""
    return (True, False) if version == "active" else (True,)


def _owners(actor: str) -> tuple[str, ...]:
    """Return whose versions there are for an actor: the author's are the author's own."""
    owners = {"author": OWN, "anonymous": THEIRS, "mate": (*OWN, *THEIRS, "former member's")}
    return owners.get(actor, (*OWN, *THEIRS))
