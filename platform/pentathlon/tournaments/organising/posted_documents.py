"""Tournaments from whole documents: a published document can be posted again.

Unrated, that is a repeat: versions that have been retired or stopped since play once more. A
version whose code is gone cannot, a disqualified one may not, and a candidate plays only where its
own author enters it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import replace
from typing import Any, Final

from django.db import transaction

from pentathlon.accounts.models import User
from pentathlon.bots.models import BotVersion
from pentathlon.core.errors import InvalidInput, Problems
from pentathlon.ratings.skill import ALGORITHM_VERSION, BETA
from pentathlon.tournaments.documents.checks import error_of, ineligible
from pentathlon.tournaments.guards import check_may_create
from pentathlon.tournaments.models import ENTRIES_PER_AUTHOR, Tournament
from pentathlon.tournaments.organising.drafts import Draft, check_draft, create_tournament
from pentathlon_engines import GAMES
from pentathlon_engines.match.limits import Limits
from pentathlon_engines.tournament.checks import read_json
from pentathlon_engines.tournament.document import TournamentDocument
from pentathlon_engines.tournament.formats.registry import FORMATS

Json = Any

_RELEASE: Final = {"rating_algorithm": ALGORITHM_VERSION, "beta": BETA}


@transaction.atomic
def create_from_document(
    *,
    actor: User,
    document: Json,
    name: str | None = None,
    rated: bool = False,
    entries_per_author: int = ENTRIES_PER_AUTHOR,
    secret: str | None = None,
    is_draft: bool = False,
) -> Tournament:
    """Create a tournament from a posted document, with the entrants and strengths that it names.

    Raises:
        InvalidInput: `Problems`, with everything that is wrong.
    """
    check_may_create(actor, what="tournaments")
    draft = check_posted(
        actor=actor,
        document=document,
        name=name,
        rated=rated,
        entries_per_author=entries_per_author,
        secret=secret,
    )
    made = create_tournament(
        actor=actor, draft=draft, secret=secret, is_draft=is_draft, is_repeat=not rated
    )
    hinted = list(made.entries.filter(number__isnull=False))
    for entry in hinted:
        entry.strength_hint = draft.document.entries[entry.number or 0].strength
    hinted = [entry for entry in hinted if entry.strength_hint is not None]
    made.entries.bulk_update(hinted, ("strength_hint",))
    return made


def check_posted(
    *,
    actor: User,
    document: Json,
    name: str | None = None,
    rated: bool = False,
    entries_per_author: int = ENTRIES_PER_AUTHOR,
    secret: str | None = None,
) -> Draft:
    """Return the tournament of a posted document with its entrants; refuse an impossible one.

    Raises:
        InvalidInput: `Problems`, with everything that is wrong.
    """
    asked, problems = read_json(document, release=_RELEASE)
    errors = [error_of(problem) for problem in problems]
    if asked is None:
        raise Problems(errors)
    known_wrong = {error.field for error in errors}
    versions, unknown = _entrants(asked, actor=actor, rated=rated, known_wrong=known_wrong)
    draft = Draft(
        name=_name_for(asked) if name is None else name,
        document=replace(asked, limits=_unusual_limits(asked)),
        versions=versions,
        rated=rated,
        entries_per_author=entries_per_author,
    )
    check_draft(draft, secret=secret, is_repeat=not rated, errors=[*errors, *unknown])
    return draft


def _name_for(document: TournamentDocument) -> str:
    game, scheduling = GAMES.get(document.game), FORMATS.get(document.scheduler)
    return f"{game.info.title if game else '?'}, {scheduling.title if scheduling else '?'}"


def _unusual_limits(document: TournamentDocument) -> dict[str, Json]:
    """Return the limits that differ from the defaults, since documents write out all of them."""
    usual = Limits().to_json()
    return {name: value for name, value in document.limits.items() if usual.get(name) != value}


def _entrants(
    document: TournamentDocument, *, actor: User, rated: bool, known_wrong: Collection[str | None]
) -> tuple[list[int], list[InvalidInput]]:
    """Return the ids of entrants by content hash, and all errors about them."""
    hashes = {entry.hash for entry in document.entries}
    known: dict[str, list[BotVersion]] = {}
    found = BotVersion.objects.filter(archive__in=hashes).select_related("bot")
    for version in found.order_by("pk"):
        known.setdefault(version.archive_id, []).append(version)
    refused = _candidates(found, actor=actor)
    refused |= ineligible(found, game=document.game, is_repeat=not rated)
    ids: list[int] = []
    errors: list[InvalidInput] = []
    for number, entry in enumerate(document.entries):
        at = f"entries.{number}"
        same = known.get(entry.hash, [])
        named = [
            version
            for version in same
            if entry.bot in {"", version.bot.name} and entry.version == version.number
        ]
        if not same:
            errors.append(
                InvalidInput(
                    "No bot version has this content hash here.",
                    code="unknown_entrant",
                    field=f"{at}.hash",
                )
            )
        elif (chosen := (named or same)[0].pk) in refused:
            errors.append(InvalidInput(refused[chosen], code="ineligible_bots", field=at))
        elif chosen not in ids:
            ids.append(chosen)
        elif at not in known_wrong:
            errors.append(
                InvalidInput("Each bot version can enter once.", code="duplicate_bots", field=at)
            )
    return ids, errors


def _candidates(versions: Iterable[BotVersion], *, actor: User) -> dict[int, str]:
    """Return by id why candidates of other authors may not enter."""
    return {
        version.pk: f"{version.label} is a candidate, which plays only where its author enters it."
        for version in versions
        if version.is_candidate and version.bot.owner_id != actor.pk
    }
