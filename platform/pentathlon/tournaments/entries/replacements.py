"""An entry changes its bot: another version of it, or until the start another bot of its side.

Until the start, an entry is a place that any bot of the same author or team may take. From then on
the field stands. The organiser may let another version of the same bot go on in its place, as a
repaired chess engine goes on in its season; `replacement_blocks` decides what each of the two
plays. Authors have to ask the organiser, because an author who knows all pairings could otherwise
choose a version for each opponent. In an A/B test, the two versions that it compares cannot be
replaced: its figures would describe neither. Ladders let the newest version take over
automatically.

A bot that was withdrawn, or that the platform has stopped, comes back in the same way with another
version, unless a bracket has gone on without it. A disqualification stands: it is a verdict about
the bot's place, and the bot's results may have been taken back with it.
"""

from __future__ import annotations

from django.db import transaction

from pentathlon.accounts.audit.models import AuditAction
from pentathlon.accounts.models import User
from pentathlon.bots.doors import Door, check_door
from pentathlon.bots.models import BotVersion
from pentathlon.bots.services import checked_reason
from pentathlon.core.errors import Conflict, InvalidInput, NotAllowed, refuse_all
from pentathlon.tournaments.documents import checks
from pentathlon.tournaments.documents.checks import gather_errors
from pentathlon.tournaments.documents.document import document, event_key
from pentathlon.tournaments.entries.eligibility import (
    check_authors,
    check_may_enter,
    check_not_disqualified,
    lock_teams,
)
from pentathlon.tournaments.entries.replacement_blocks import begin_replacement
from pentathlon.tournaments.entries.withdrawals import forget_start_problem, get_entry
from pentathlon.tournaments.guards import check_may_manage, check_organiser, is_organiser_of, lock
from pentathlon.tournaments.models import UNSTARTED, Entry, EntryState, Tournament, TournamentState
from pentathlon.tournaments.notices import audit_entry, note_entry
from pentathlon.tournaments.people_rows import LONGEST_REASON
from pentathlon.tournaments.scheduling.blocks import versions_out
from pentathlon.tournaments.scheduling.history import read_input
from pentathlon_engines.tournament.formats.interface import Eliminating

_PLAYED = (TournamentState.RUNNING, TournamentState.PAUSED)
_COMPARED = 2
"""How many entries an A/B test compares: the first ones."""


@transaction.atomic
def replace_entry(
    *, actor: User, tournament: Tournament, version_id: int, by: int, reason: str = ""
) -> Entry:
    """Replace the version of an entry.

    Its author, its team and the organiser may until the start; afterwards only the organiser may,
    with a reason that everybody can read.

    Raises:
        InvalidInput: `Problems` if several things are wrong.
    """
    tournament = lock(tournament, *UNSTARTED, *_PLAYED, to="replace a bot")
    entry = get_entry(tournament, version_id)
    check_may_replace(actor, tournament, entry)
    if entry.state == EntryState.DISQUALIFIED:
        raise Conflict(
            f"{entry.version.label} was disqualified: {entry.reason} A disqualification stands.",
            code="disqualified",
        )
    if tournament.state in _PLAYED:
        return _replace_running(actor, tournament, entry, by=by, reason=reason)
    version = _known_version(by)
    lock_teams(version, entry.team)
    is_organiser = _acts_as_organiser(actor, tournament, entry)
    if is_organiser:
        _check_same_side(entry, version)
        check_door(Door.ORGANISER, version, actor=actor, field="by")
    elif entry.team is not None:
        check_door(Door.TEAM, version, actor=actor, team=entry.team.member_ids(), field="by")
    else:
        check_door(Door.OWN, version, actor=actor, field="by")
    checks.check_eligible([version], game=tournament.game, field="by")
    check_not_disqualified(tournament, [version], field="by")
    check_authors(tournament, [version], field="by")
    _check_new(tournament, entry, version)
    if not is_organiser:
        check_may_enter(tournament, version)
    note_entry("entry.replaced", entry, by=version.pk)
    entry.version = version
    entry.save(update_fields=("version",))
    forget_start_problem(tournament)
    return entry


def check_may_replace(actor: User, tournament: Tournament, entry: Entry) -> None:
    """Refuse an actor who may not replace the version of an entry now."""
    if tournament.state in UNSTARTED:
        check_may_manage(actor, tournament, entry, to="replace")
    else:
        check_organiser(actor, tournament, to="replace a bot that has begun to play in")


def _replace_running(
    actor: User, tournament: Tournament, entry: Entry, *, by: int, reason: str
) -> Entry:
    """Replace the version of an entry by another one of the same bot."""
    _check_can_be_replaced(tournament, entry)
    refuse_all(
        gather_errors(
            (
                lambda: checked_reason(reason),
                lambda: _check_successor(tournament, entry, _known_version(by)),
            )
        )
    )
    version = _known_version(by)
    check_door(Door.ORGANISER, version, actor=actor, field="by")
    _check_new(tournament, entry, version)
    note_entry("entry.replaced", entry, by=version.pk)
    replaced = entry.version
    begin_replacement(
        actor=actor,
        entry=entry,
        tournament=tournament,
        new=version,
        reason=checked_reason(reason)[:LONGEST_REASON],
    )
    audit_entry(
        AuditAction.ENTRY_REPLACE, tournament, replaced, actor=actor, reason=reason, by=version.pk
    )
    return entry


def _check_can_be_replaced(tournament: Tournament, entry: Entry) -> None:
    if tournament.division is not None:
        raise Conflict(
            "On a ladder, the newest version takes over automatically.", code="is_ladder"
        )
    if tournament.revealed_at is not None:
        raise Conflict(
            f"{tournament.name} was closed before, and its secret is public: a newcomer could "
            "know every seed. Withdraw the bot instead.",
            code="seeds_revealed",
        )
    if tournament.format == "ab_test" and (entry.number or 0) < _COMPARED:
        raise Conflict(
            f"{tournament.name} compares {entry.version.label} with another version; its figures "
            "would be of neither. Cancel it, and start a test of the new version.",
            code="compared_version",
        )
    if entry.state != EntryState.ACTIVE and _is_out(tournament, entry):
        raise Conflict(
            f"{entry.version.label} is out of the bracket of {tournament.name}: others have gone "
            "on without it.",
            code="out_of_bracket",
        )


def _is_out(tournament: Tournament, entry: Entry) -> bool:
    """Return whether an entry that has left would have nothing left to play if it came back."""
    planned = document(tournament)
    scheduling = planned.scheduling
    if not isinstance(scheduling, Eliminating):
        return False
    note, told = read_input(tournament, scheduling, tournament.blocks.count())
    field = planned.field(left=set(told.left) - {entry.number}, ever_left=told.ever_left)
    # Blocks without any match that have decided nothing yet may still be played.
    open_again = {
        number
        for number, ranks in note.results.items()
        if ranks is None or len(note.forfeits.get(number, ())) == len(ranks)
    }
    played = [
        block._replace(ranks=None) if number in open_again else block
        for number, block in enumerate(told.played, start=1)
    ]
    plan = planned.plan(key=event_key(tournament))
    return scheduling.is_out(plan, field, played, number=entry.number or 0)


def _known_version(version_id: int) -> BotVersion:
    version = BotVersion.objects.listed().filter(pk=version_id).first()
    if version is None:
        raise InvalidInput(f"No such bot version: {version_id}.", code="unknown_bots", field="by")
    return version


def _check_successor(tournament: Tournament, entry: Entry, version: BotVersion) -> None:
    if version.bot_id != entry.version.bot_id:
        raise InvalidInput(
            f"After the start, only another version of {entry.version.bot.name} takes its place.",
            code="other_bot",
            field="by",
        )
    checks.check_eligible([version], game=tournament.game, field="by")


def _check_new(tournament: Tournament, entry: Entry, version: BotVersion) -> None:
    former = tournament.replacements.filter(old=version).exclude(entry=entry)
    has_left = version.pk in versions_out(tournament)
    if has_left or former.exists() or tournament.entries.filter(version=version).exists():
        raise Conflict(
            f"{version.label} has already entered, left or been disqualified here.",
            code="already_entered",
            field="by",
        )


def _acts_as_organiser(actor: User, tournament: Tournament, entry: Entry) -> bool:
    """Return whether only the organiser's right lets the actor manage an entry.

    A superuser who is on the entry's side keeps to what holds for authors.
    """
    if is_organiser_of(actor, tournament):
        return True
    is_member = entry.team is not None and actor.pk in entry.team.member_ids()
    return actor.is_superuser and actor.pk != entry.version.bot.owner_id and not is_member


def _check_same_side(entry: Entry, version: BotVersion) -> None:
    side = {entry.version.bot.owner_id} if entry.team is None else entry.team.member_ids()
    if version.bot_id != entry.version.bot_id and version.bot.owner_id not in side:
        raise NotAllowed(
            f"{version.label} is neither by the author of {entry.version.label} nor by its team.",
            code="not_your_bot",
            field="by",
        )
