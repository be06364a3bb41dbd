"""The people and things of the cells, and how each action asks a service and the API for one."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final

from rest_framework.test import APIClient

from pentathlon.accounts.models import User
from pentathlon.bots.models import Bot, BotVersion, VersionState
from pentathlon.bots.services import activate_version, check_may_read, retire_version
from pentathlon.core.errors import NotFound
from pentathlon.friendlies.services import create_friendly
from pentathlon.ladders.membership import join_ladder
from pentathlon.ladders.models import Ladder
from pentathlon.tournaments.challenges.services import create_challenge
from pentathlon.tournaments.entries.enrolment import enter_tournament
from pentathlon.tournaments.entries.replacements import replace_entry
from pentathlon.tournaments.entries.withdrawals import withdraw_entry
from pentathlon.tournaments.models import Entry, Tournament, TournamentState
from pentathlon.tournaments.organising.drafts import Draft, create_tournament
from pentathlon.tournaments.people_rows import Team, TeamMember
from pentathlon.tournaments.services import start_tournament
from pentathlon.tournaments.teams import services as teams
from pentathlon_engines.tournament.document import TournamentDocument
from tests.api.client import V1
from tests.api.rights.cells import CUPS, SIGNED_IN, VERSIONS, Cell
from tests.factories import make_bot, make_staff, make_team, make_user, make_version
from tests.pentathlon.ladders.playing import open_ladder
from tests.pentathlon.tournaments.acting import open_cup

_STATES: Final = {
    "candidate": VersionState.ELIGIBLE,
    "active": VersionState.ELIGIBLE,
    "retired": VersionState.RETIRED,
    "stopped": VersionState.STOPPED,
}
_REASON: Final = "It was repaired."


@dataclass(frozen=True, slots=True, kw_only=True)
class World:
    """People by their part, versions by owner and state, tournaments by state, one team."""

    people: Mapping[str, User]
    clients: Mapping[str, APIClient]
    versions: Mapping[tuple[str, str], BotVersion]
    """Each of a bot of its own."""
    entered: Mapping[str, BotVersion]
    """What plays for each side in every tournament."""
    coming: Mapping[tuple[str, str], BotVersion]
    """Further versions of the same bots, by side and state."""
    cups: Mapping[str, Tournament]
    team: Team
    ladder: Ladder

    def version(self, cell: Cell) -> BotVersion:
        """Return the version that a cell is about."""
        owners = {"own": cell.actor, "author's": "author", "former member's": "removed"}
        return self.versions[owners[cell.whose], cell.version]

    def incoming(self, cell: Cell) -> BotVersion:
        """Return the version that takes a place: of the same bot, where that is whose it is."""
        is_authors = cell.whose == "author's" or cell.actor == "author"
        if is_authors and cell.side != "left":
            return self.coming[cell.side, cell.version]
        return self.version(cell)


def make_world() -> World:
    """Store everything that the cells need."""
    special = {
        "organiser": make_user(organiser=True),
        "other organiser": make_user(organiser=True),
        "staff": make_staff(),
        "superuser": make_staff(superuser=True),
    }
    people = {part: special.get(part) or make_user() for part in SIGNED_IN}
    team = make_team(owner=people["author"], members=[people["mate"]])
    TeamMember.objects.create(team=team, person=people["invited"])
    bots = {
        "alone": make_bot(owner=people["author"]),
        "team": make_bot(owner=people["author"]),
        "left": make_bot(owner=people["removed"]),
    }
    entered = {side: make_version(bot=bot) for side, bot in bots.items()}
    return World(
        people=people,
        clients={part: _client(people.get(part)) for part in ("anonymous", *SIGNED_IN)},
        versions={
            (part, state): _version(state, make_bot(owner=person))
            for part, person in people.items()
            for state in VERSIONS
        },
        entered=entered,
        coming={
            (side, state): _version(state, bots[side])
            for side in ("alone", "team")
            for state in VERSIONS
        },
        cups={state: _cup(state, people["organiser"], entered, team) for state in CUPS},
        team=team,
        ladder=open_ladder(),
    )


def _client(person: User | None) -> APIClient:
    client = APIClient()
    if person is not None:
        client.force_authenticate(person)
    return client


def _version(state: str, bot: Bot) -> BotVersion:
    version = make_version(bot=bot, state=_STATES[state])
    if state == "candidate":
        BotVersion.objects.filter(pk=version.pk).update(is_candidate=True)
        version.refresh_from_db()
    return version


def _cup(state: str, organiser: User, entered: Mapping[str, BotVersion], team: Team) -> Tournament:
    cup = open_cup(organiser, is_draft=state == "draft", entries_per_author=20)
    Entry.objects.bulk_create(
        Entry(
            tournament=cup, version=version, number=number, team=team if side != "alone" else None
        )
        for number, (side, version) in enumerate(entered.items())
    )
    if state in {"running", "closed"}:
        cup = start_tournament(actor=organiser, tournament=cup)
    if state == "closed":
        cup.state, cup.finished_at = TournamentState.CLOSED, datetime.now(tz=UTC)
        cup.save()
    return cup


def ask_service(world: World, cell: Cell) -> object:
    """Ask the service; it raises what it refuses."""
    return _SERVICES[cell.action](world, cell, world.people[cell.actor])


def ask_api(world: World, cell: Cell) -> bool:
    """Return whether the API allows a cell."""
    method, path, body = _CALLS[cell.action](world, cell)
    client = world.clients[cell.actor]
    response = getattr(client, method)(f"{V1}{path}", body, format="json")
    if response.status_code >= 400:
        return False
    # Everybody may read a team; the invitations in it are for its members.
    return cell.action != "see invitations" or response.json()["invited"] != []


def _enter(world: World, cell: Cell, actor: User) -> object:
    return enter_tournament(
        actor=actor,
        tournament=world.cups[cell.cup],
        version_id=world.version(cell).pk,
        team=world.team.pk if cell.side == "team" else None,
    )


def _list(world: World, cell: Cell, actor: User) -> object:
    return create_tournament(
        actor=actor,
        draft=Draft(
            name="Cup",
            document=TournamentDocument(game="tuned"),
            versions=[world.version(cell).pk],
        ),
    )


def _replace(world: World, cell: Cell, actor: User) -> object:
    return replace_entry(
        actor=actor,
        tournament=world.cups[cell.cup],
        version_id=world.entered[cell.side].pk,
        by=world.incoming(cell).pk,
        reason=_REASON,
    )


def _withdraw(world: World, cell: Cell, actor: User) -> object:
    cup, version = world.cups[cell.cup], world.entered[cell.side]
    return withdraw_entry(actor=actor, tournament=cup, version_id=version.pk)


def _challenge(world: World, cell: Cell, actor: User) -> object:
    own, bot = world.versions[cell.actor, "active"], world.version(cell).bot_id
    return create_challenge(actor=actor, version=own.pk, bot=bot, blocks=1)


def _challenge_with(world: World, cell: Cell, actor: User) -> object:
    version, rival = world.version(cell), _rival(world, cell)
    return create_challenge(actor=actor, version=version.pk, bot=rival.bot_id, blocks=1)


def _rival(world: World, cell: Cell) -> BotVersion:
    return world.versions["mate" if cell.actor == "stranger" else "stranger", "active"]


def _see_draft(world: World, cell: Cell, actor: User) -> None:
    if not Tournament.objects.visible_to(actor).filter(pk=world.cups["draft"].pk).exists():
        raise NotFound("There is no such draft.")


def _see_invitations(world: World, cell: Cell, actor: User) -> None:
    if actor.pk not in world.team.member_ids():
        raise NotFound("There are no invitations that you may see.")


_SERVICES: Final[Mapping[str, Callable[[World, Cell, User], object]]] = {
    "enter": _enter,
    "list": _list,
    "replace": _replace,
    "withdraw": _withdraw,
    "challenge": _challenge,
    "challenge with": _challenge_with,
    "play against": lambda world, cell, actor: create_friendly(
        actor=actor, game="tuned", bots=[world.version(cell).bot_id]
    ),
    "join a ladder": lambda world, cell, actor: join_ladder(
        actor=actor, ladder=world.ladder, bot=world.version(cell).bot
    ),
    "activate": lambda world, cell, actor: activate_version(
        actor=actor, version=world.version(cell)
    ),
    "retire": lambda world, cell, actor: retire_version(actor=actor, version=world.version(cell)),
    "read files": lambda world, cell, actor: check_may_read(
        actor=actor, version=world.version(cell)
    ),
    "read log": lambda world, cell, actor: check_may_read(
        actor=actor, version=world.version(cell)
    ),
    "see the draft": _see_draft,
    "see invitations": _see_invitations,
    "invite": lambda world, cell, actor: teams.invite_member(
        actor=actor, team=world.team, username=world.people["stranger"].username
    ),
    "remove a member": lambda world, cell, actor: teams.remove_member(
        actor=actor, team=world.team, username=world.people["mate"].username
    ),
    "delete a team": lambda world, cell, actor: teams.delete_team(actor=actor, team=_free(world)),
    "accept": lambda world, cell, actor: teams.accept_invitation(actor=actor, team=world.team),
    "decline": lambda world, cell, actor: teams.decline_invitation(actor=actor, team=world.team),
    "leave": lambda world, cell, actor: teams.leave_team(actor=actor, team=world.team),
}


def _free(world: World) -> Team:
    """Return a team of the author that has not entered a bot."""
    return make_team(owner=world.people["author"])


Call = tuple[str, str, Any]  # Any: JSON


def _entries(world: World, cell: Cell) -> str:
    return f"/tournaments/{world.cups[cell.cup].pk}/entries/"


def _call_enter(world: World, cell: Cell) -> Call:
    team = world.team.pk if cell.side == "team" else None
    body = {"version": world.version(cell).pk, "team": team}
    return "post", _entries(world, cell), body


def _call_list(world: World, cell: Cell) -> Call:
    body = {"name": "Cup", "game": "tuned", "versions": [world.version(cell).pk]}
    return "post", "/tournaments/", body


def _call_replace(world: World, cell: Cell) -> Call:
    path = f"{_entries(world, cell)}{world.entered[cell.side].pk}/replace/"
    return "post", path, {"by": world.incoming(cell).pk, "reason": _REASON}


def _call_withdraw(world: World, cell: Cell) -> Call:
    return "post", f"{_entries(world, cell)}{world.entered[cell.side].pk}/withdraw/", {}


def _call_challenge(world: World, cell: Cell) -> Call:
    actor = "stranger" if cell.actor == "anonymous" else cell.actor
    body = {"version": world.versions[actor, "active"].pk, "bot": world.version(cell).bot_id}
    return "post", "/challenges/", {**body, "blocks": 1}


def _call_challenge_with(world: World, cell: Cell) -> Call:
    body = {"version": world.version(cell).pk, "bot": _rival(world, cell).bot_id, "blocks": 1}
    return "post", "/challenges/", body


def _of_version(method: str, end: str) -> Callable[[World, Cell], Call]:
    return lambda world, cell: (method, f"/versions/{world.version(cell).pk}/{end}/", None)


def _of_team(method: str, end: str, part: str = "") -> Callable[[World, Cell], Call]:
    def call(world: World, cell: Cell) -> Call:
        body = {"person": world.people[part].username} if part else None
        return method, f"/teams/{world.team.pk}/{end}", body

    return call


_CALLS: Final[Mapping[str, Callable[[World, Cell], Call]]] = {
    "enter": _call_enter,
    "list": _call_list,
    "replace": _call_replace,
    "withdraw": _call_withdraw,
    "challenge": _call_challenge,
    "challenge with": _call_challenge_with,
    "play against": lambda world, cell: (
        "post",
        "/friendlies/",
        {"game": "tuned", "bots": [world.version(cell).bot_id]},
    ),
    "join a ladder": lambda world, cell: (
        "post",
        f"/ladders/{world.ladder.key}/join/",
        {"bot": world.version(cell).bot_id},
    ),
    "activate": _of_version("post", "activate"),
    "retire": _of_version("post", "retire"),
    "read files": _of_version("get", "archive"),
    "read log": _of_version("get", "log"),
    "see the draft": lambda world, cell: ("get", f"/tournaments/{world.cups['draft'].pk}/", None),
    "see invitations": _of_team("get", ""),
    "invite": _of_team("post", "invite/", "stranger"),
    "remove a member": _of_team("post", "remove/", "mate"),
    "delete a team": lambda world, cell: ("delete", f"/teams/{_free(world).pk}/", None),
    "accept": _of_team("post", "accept/"),
    "decline": _of_team("post", "decline/"),
    "leave": _of_team("post", "leave/"),
}
