"""Everything that people do to friendlies.

person --acts--> bot --a worker answers--> person … done
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Final

from django.db import transaction

from pentathlon.accounts.models import User
from pentathlon.bots.models import Bot, BotVersion
from pentathlon.core.clock import database_now
from pentathlon.core.errors import Conflict, InvalidInput, NotFound
from pentathlon.core.quotas import Quota
from pentathlon.core.server.limits import FRIENDLIES_A_DAY, FRIENDLIES_IN_ALL, FRIENDLIES_UNDER_WAY
from pentathlon.friendlies.models import Friendly, FriendlySeat, FriendlyState
from pentathlon.friendlies.stretches import store_progress
from pentathlon.matches.models import Match
from pentathlon.tournaments.challenges.players import active_version
from pentathlon_engines import GAMES
from pentathlon_engines.commentary.words import count, count_range
from pentathlon_engines.contract.registry import unknown_game
from pentathlon_engines.errors import BadOption, BadRecord, EngineError
from pentathlon_engines.match.events import Event
from pentathlon_engines.match.friendly import resume
from pentathlon_engines.record.record import position
from pentathlon_engines.record.rerun import fork_at
from pentathlon_engines.record.shape import SEED_END, Record

_DAY: Final = timedelta(days=1)
LONGEST_THOUGHT_MS: Final = 24 * 3600 * 1000
"""The longest thinking time recorded for a person; longer times count as this."""
_ALIAS_BYTES: Final = 12


def under_way_quota(person: User) -> Quota:
    """Return how many games have not ended."""
    return Quota(
        key="friendlies_under_way",
        about="games of your own under way",
        limit=FRIENDLIES_UNDER_WAY,
        used=Friendly.objects.of_person(person).under_way().count(),
        code="too_many_friendlies",
    )


def daily_quota(person: User) -> Quota:
    """Return how many games were begun in the last 24 hours."""
    latest = Friendly.objects.of_person(person).order_by("-pk")
    since = database_now() - _DAY
    begun = latest.values_list("created_at", flat=True)[:FRIENDLIES_A_DAY]
    counted = [at for at in begun if at > since]
    return Quota(
        key="friendlies_a_day",
        about="games of your own begun in 24 hours",
        limit=FRIENDLIES_A_DAY,
        used=len(counted),
        renews_at=min(counted) + _DAY if counted else None,
        code="friendly_quota",
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Origin:
    """The position that a friendly begins with, of a record that its person may see."""

    record: Record
    ply: int
    match: Match | None = None
    friendly: Friendly | None = None


@transaction.atomic
def create_friendly(
    *,
    actor: User,
    game: str,
    bots: Sequence[int],
    seat: int | None = None,
    options: Mapping[str, Any] | None = None,  # Any: the game checks the values
) -> Friendly:
    """Begin a friendly of the actor against bots, which take the other seats in this order.

    Without a seat, one is drawn.
    """
    if game not in GAMES:
        raise InvalidInput(f"There is {unknown_game(game)}.", code="unknown_game", field="game")
    versions = _versions(bots, game)
    seats = _check_seats(game, 1 + len(versions))
    seat = secrets.randbelow(seats) if seat is None else _check_seat(seat, seats)
    _check_room(actor)
    return _begin(
        actor,
        versions,
        Friendly(game=game, seat=seat, options=_check_options(game, seats, options)),
    )


@transaction.atomic
def fork_friendly(
    *, actor: User, origin: Origin, bots: Sequence[int], seat: int | None = None
) -> Friendly:
    """Begin a friendly at a position of another match; chance is drawn anew from there.

    Without a seat, the actor takes the seat that is to move.
    """
    record = origin.record
    try:
        fork = fork_at(record, origin.ply)
    except BadRecord as error:
        raise InvalidInput(f"{error}.", code="bad_ply", field="ply") from error
    to_move = position(record, origin.ply).to_move
    if seat is None:
        seat = to_move if to_move is not None and to_move >= 0 else 0
    _check_seat(seat, record["seats"])
    versions = _versions(bots, record["game"])
    if len(versions) != record["seats"] - 1:
        raise InvalidInput(
            f"This match has {record['seats']} seats: name {count(record['seats'] - 1, 'bot')}.",
            code="bad_seats",
            field="bots",
        )
    _check_room(actor)
    return _begin(
        actor,
        versions,
        Friendly(
            game=record["game"],
            seat=seat,
            options=record["options"],
            events=[Event(event.seat, event.text).to_row() for event in fork.events],
            given=origin.ply,
            origin_chain=record["chain"],
            origin_match=origin.match,
            origin_friendly=origin.friendly,
        ),
    )


@transaction.atomic
def act(*, actor: User, friendly_id: int, ply: int, action: str) -> Friendly:
    """Play an action of the actor at this ply; sending the same one again changes nothing.

    Raises:
        Conflict: `late_action` or `not_your_turn` or `friendly_over`.
        InvalidInput: `illegal_action`.
    """
    friendly = _lock(actor, friendly_id)
    if 0 <= ply < friendly.ply and friendly.events[ply][:2] == [friendly.seat, action]:
        return friendly
    _check_under_way(friendly)
    if ply != friendly.ply:
        raise Conflict(
            f"The game is at ply {friendly.ply} by now, not at {ply}: look at the board again.",
            code="late_action",
            field="ply",
            allowed=friendly.ply,
        )
    if not friendly.is_persons_turn:
        raise Conflict("It is not your turn: a bot is to move.", code="not_your_turn")
    referee = resume(friendly.course)
    legal = referee.state.legal_actions()
    try:
        is_legal = referee.state.parse(action) in legal
    except EngineError:
        is_legal = False
    if not is_legal:
        raise InvalidInput(
            f"{action[:60]!r} is not among the {len(legal)} legal actions here.",
            code="illegal_action",
            field="action",
        )
    thought_s = (database_now() - friendly.moved_at).total_seconds()
    wall_ms = min(LONGEST_THOUGHT_MS, max(0, round(1000 * thought_s)))
    referee.accept(action, cpu_ms=0, wall_ms=wall_ms)
    return store_progress(friendly, referee)


@transaction.atomic
def resign(*, actor: User, friendly_id: int) -> Friendly:
    """Resign as the actor, who comes last; with more than two seats a stand-in plays on."""
    friendly = _lock(actor, friendly_id)
    if friendly.resigned_at is not None:
        return friendly
    _check_under_way(friendly)
    friendly.resigned_at = friendly.ply
    # The result of a worker that is moving a bot now comes too late.
    friendly.token = None
    return store_progress(friendly, resume(friendly.course))


def _lock(actor: User, friendly_id: int) -> Friendly:
    own = Friendly.objects.of_person(actor).select_for_update(of=("self",))
    friendly = own.select_related("person").filter(pk=friendly_id).first()
    if friendly is None:
        raise NotFound(f"You play no friendly {friendly_id}.")
    return friendly


def _check_under_way(friendly: Friendly) -> None:
    if not friendly.is_under_way:
        raise Conflict("This game is over.", code="friendly_over")


def _versions(bots: Sequence[int], game: str) -> list[BotVersion]:
    found = Bot.objects.select_related("owner").in_bulk(bots)
    versions = []
    for bot_id in bots:
        if bot_id not in found:
            raise InvalidInput(f"There is no bot {bot_id}.", code="unknown_bot", field="bots")
        versions.append(active_version(found[bot_id], game=game, field="bots"))
    return versions


def _check_seats(game: str, seats: int) -> int:
    lowest, highest = GAMES[game].info.seats
    if not lowest <= seats <= highest:
        has = f"{GAMES[game].info.title} has {count_range(lowest, highest, 'seat')}"
        raise InvalidInput(
            f"{has}, one of them yours: name {count_range(lowest - 1, highest - 1, 'bot')}.",
            code="bad_seats",
            field="bots",
        )
    return seats


def _check_seat(seat: int, seats: int) -> int:
    if not 0 <= seat < seats:
        raise InvalidInput(
            f"The seats are 0 to {seats - 1}.", code="bad_seat", field="seat", allowed=seats - 1
        )
    return seat


def _check_options(
    game: str, seats: int, options: Mapping[str, Any] | None
) -> dict[str, Any]:  # Any: each option has its own type
    try:
        return GAMES[game].start(seats, options or {}).options
    except (BadOption, EngineError, TypeError, ValueError) as error:
        raise InvalidInput(f"{error}", code="bad_option", field="options") from error


def _check_room(actor: User) -> None:
    # Friendlies of one person are begun one after the other.
    User.objects.select_for_update().get(pk=actor.pk)
    under_way = under_way_quota(actor)
    under_way.check_left(
        f"You have {under_way.limit} games under way, the most that one person may have. Finish "
        "one, or resign."
    )
    begun = daily_quota(actor)
    begun.check_left(
        f"You have begun {begun.limit} games in 24 hours, the maximum for one person. Begin "
        "the next one tomorrow."
    )
    if Friendly.objects.under_way().count() >= FRIENDLIES_IN_ALL:
        raise Conflict(
            "All places for such games are taken. Try again later.",
            code="no_room",
        )


def _begin(actor: User, versions: Sequence[BotVersion], friendly: Friendly) -> Friendly:
    friendly.person = actor
    friendly.rules_version = GAMES[friendly.game].info.version
    friendly.seed = secrets.randbelow(SEED_END)
    friendly.alias = secrets.token_hex(_ALIAS_BYTES)
    friendly.ply = len(friendly.events)
    friendly.state = FriendlyState.BOT
    friendly.save()
    line = iter(versions)
    FriendlySeat.objects.bulk_create(
        FriendlySeat(
            friendly=friendly, seat=at, version=None if at == friendly.seat else next(line)
        )
        for at in range(1 + len(versions))
    )
    return store_progress(friendly, resume(friendly.course))
