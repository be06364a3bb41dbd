"""What people and workers do with friendlies, for tests; no process is started."""

from __future__ import annotations

from pentathlon.accounts.models import User
from pentathlon.bots.models import BotVersion
from pentathlon.friendlies.jobs import FriendlyStretch, StretchResult
from pentathlon.friendlies.models import Friendly
from pentathlon.friendlies.services import act, create_friendly
from pentathlon.friendlies.stretches import accept_stretches, claim_stretch
from pentathlon_engines.match.faults import Fault, FaultKind
from pentathlon_engines.match.friendly import resume
from pentathlon_engines.match.referee import Referee
from tests.factories import make_user, make_version


def begun(
    *,
    person: User | None = None,
    seat: int = 0,
    bot: BotVersion | None = None,
    game: str = "tuned",
) -> Friendly:
    """Begin a friendly of two seats."""
    bot = bot or make_version(games=(game,))
    return create_friendly(actor=person or make_user(), game=game, bots=[bot.bot_id], seat=seat)


def claimed(friendly: Friendly) -> FriendlyStretch:
    """Claim a friendly in which a bot is to move."""
    stretch = claim_stretch(friendly_id=friendly.pk, worker="test/1")
    assert stretch is not None
    return stretch


def first_legal(friendly: Friendly) -> str:
    """Return the first legal action of whoever is to move."""
    state = resume(friendly.course).state
    return state.text(state.legal_actions()[0])


def move(friendly: Friendly) -> Friendly:
    """Let the person do the first legal action."""
    return act(
        actor=friendly.person,
        friendly_id=friendly.pk,
        ply=friendly.ply,
        action=first_legal(friendly),
    )


def answered(stretch: FriendlyStretch, text: str | None = None) -> Referee:
    """Let the bots of a stretch do this action, or else their first legal ones."""
    referee = resume(stretch.course)
    bots = {bot.seat for bot in stretch.seats}
    while (seat := referee.seat_to_ask()) is not None and seat in bots:
        referee.accept(text or referee.request().legal[0], cpu_ms=5, wall_ms=7)
    return referee


def result_of(stretch: FriendlyStretch, referee: Referee | None = None) -> StretchResult:
    """Return what a worker hands in, by default for the first legal actions."""
    referee = referee or answered(stretch)
    return StretchResult(
        id=stretch.id,
        token=stretch.token,
        events=tuple(referee.events),
        faults=tuple(fault.to_json() for fault in referee.faults),
        sandbox="namespaces",
        layers=("identity",),
    )


def answer(friendly: Friendly, text: str | None = None) -> Friendly:
    """Let a worker move the bots of a friendly, by this action if one is given."""
    stretch = claimed(friendly)
    assert accept_stretches([result_of(stretch, answered(stretch, text))]) == [None]
    return Friendly.objects.get(pk=friendly.pk)


def fail(friendly: Friendly) -> Friendly:
    """Let the bot that is to move crash."""
    stretch = claimed(friendly)
    referee = resume(stretch.course)
    seat = referee.seat_to_ask()
    assert seat is not None
    fault = Fault(FaultKind.CRASH, seat=seat, ply=referee.ply, detail="the process ended")
    referee.expel(fault)
    assert accept_stretches([result_of(stretch, referee)]) == [None]
    return Friendly.objects.get(pk=friendly.pk)


def play_to_end(friendly: Friendly) -> Friendly:
    """Play on with first legal actions until it is over."""
    while friendly.is_under_way:
        friendly = move(friendly) if friendly.is_persons_turn else answer(friendly)
    return friendly
