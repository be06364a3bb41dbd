"""Why a match is not running, in a word for machines and a sentence for people."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from statistics import fmean
from typing import Final

from django.conf import settings
from django.db.models import Q
from django.db.models.functions import Now

from pentathlon.bots.models import OUT_OF_PLAY, BotVersion, VersionState
from pentathlon.core.clock import database_now
from pentathlon.core.models import Leadership
from pentathlon.core.services import RECONCILER
from pentathlon.core.texts import duration
from pentathlon.fleet.capabilities import Fleet, read_fleet
from pentathlon.matches.attempts import MAX_ATTEMPTS
from pentathlon.matches.capacity import Cap, durations_s, live_matches, read_plays, sent_matches
from pentathlon.matches.dispatch.publishing import TURN_OF_NEWCOMERS
from pentathlon.matches.hidden_lanes import NEVER_REPEATED, HeldLane, RepeatedLane
from pentathlon.matches.jobs import LEASE_S
from pentathlon.matches.models import Match, MatchKind, MatchState
from pentathlon.matches.requirements import requirements_of
from pentathlon_engines.commentary.words import count

_LATEST: Final = 50
"""The matches whose lengths tell how long a slot takes for one."""
_MOST: Final = 2000
"""The most waiting matches of new versions that are read; what stands behind them is not told."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Before:
    """What goes before a waiting match."""

    matches: int
    expected_s: int | None
    """Seconds until its turn, as matches have lasted lately; None while that is not known."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchLine:
    """The matches that go out next, in their order, and how fast they go."""

    sent: tuple[int, ...] = ()
    """Matches that were sent to workers and that no slot has taken yet."""
    newcomers: tuple[tuple[int | None, int], ...] = ()
    """Matches for new versions that wait to be sent, each behind the id of its author."""
    slots: int = 0
    match_s: float | None = None
    """The seconds for which a match has lately kept a slot busy."""
    others_wait: bool = False
    """Whether others take the turns between those of new versions."""

    def before(self, match: Match) -> Before | None:
        """Return what goes before a match; None if its place is not known."""
        if match.pk in self.sent:
            place = self.sent.index(match.pk)
            return Before(matches=place, expected_s=self._seconds(place))
        own = [pk for author, pk in self.newcomers if author == match.newcomer_of]
        if match.pk not in own:
            return None
        mine = own.index(match.pk)
        # Authors take turns, and each of the others may have one before its author's next.
        authors = Counter(author for author, _ in self.newcomers if author != match.newcomer_of)
        place = mine + sum(min(count, mine + 1) for count in authors.values())
        turns = TURN_OF_NEWCOMERS if self.others_wait else 1
        return Before(matches=place, expected_s=self._seconds(len(self.sent) + place * turns))

    def _seconds(self, matches: int) -> int | None:
        if not matches:
            return 0
        if self.match_s is None or not self.slots:
            return None
        return round(matches * self.match_s / self.slots)


def read_line(*, slots: int) -> MatchLine:
    """Read the line as it is now, with four queries."""
    sent = Match.objects.sent().exclude(kind=MatchKind.LADDER, newcomer_of=None)
    unsent = Match.objects.unsent()
    newcomers = unsent.filter(newcomer_of__isnull=False).order_by("newcomer_of", "pk")
    is_other = ~Q(kind=MatchKind.LADDER) & Q(newcomer_of=None)
    lasted_s = durations_s(read_plays(Match.objects.all(), latest=_LATEST)).values()
    return MatchLine(
        sent=tuple(sent.order_by("sent_at", "pk").values_list("pk", flat=True)),
        newcomers=tuple(newcomers.values_list("newcomer_of", "pk")[:_MOST]),
        slots=slots,
        match_s=fmean(lasted_s) if lasted_s else None,
        others_wait=unsent.filter(is_other).exists(),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Reason:
    """`code` is stable; `sentence` is for the page of the match."""

    code: str
    sentence: str
    before: Before | None = None
    """What goes before the match, where its place in the line is known."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Situation:
    """The present state of the platform; read it once for any number of matches."""

    now: datetime
    fleet: Fleet
    cap: Cap
    held_lanes: frozenset[int]
    """The lanes of paused tournaments."""
    is_handed_out: bool
    """Whether there is a reconciler that publishes matches."""
    repeated_lanes: frozenset[int] = frozenset()
    """The lanes in which retired and stopped versions play again."""
    line: MatchLine = field(default_factory=MatchLine)


def read_situation() -> Situation:
    """Return the present situation."""
    fleet = read_fleet()
    return Situation(
        now=database_now(),
        fleet=fleet,
        cap=Cap.over(live_matches(), sent=sent_matches()),
        held_lanes=frozenset(HeldLane.objects.values_list("lane", flat=True)),
        repeated_lanes=frozenset(RepeatedLane.objects.values_list("lane", flat=True)),
        is_handed_out=Leadership.objects.filter(name=RECONCILER, until__gt=Now()).exists(),
        line=read_line(slots=fleet.slots - fleet.held_slots),
    )


def why_waiting(match: Match, situation: Situation | None = None) -> Reason | None:
    """Return what a match waits for or was stopped by; None if it runs or is done.

    For many matches, load their seats and versions and hand in one situation.
    """
    match match.state:
        case MatchState.PENDING:
            return _why_pending(match, situation or read_situation())
        case MatchState.RUNNING:
            return _why_silent(match, situation.now if situation else database_now())
        case MatchState.VOID:
            return Reason(code="void", sentence=f"Called off: {match.state_reason}")
        case _:
            return None


def _why_silent(match: Match, now: datetime) -> Reason | None:
    if match.lease_until is None or match.lease_until >= now:
        return None
    return Reason(
        code="worker_silent",
        sentence=f"Worker {match.worker} was not heard from for {LEASE_S} s; "
        "another one gets the match.",
    )


def _why_pending(match: Match, situation: Situation) -> Reason:
    out_of_play = NEVER_REPEATED if match.lane in situation.repeated_lanes else OUT_OF_PLAY
    if (out := next(_versions_at(match, out_of_play), None)) is not None:
        return Reason(
            code="out_of_play",
            sentence=f"{out.label} is {out.get_state_display()}: the match will be called off.",
        )
    if match.lane in situation.held_lanes:
        return Reason(code="on_hold", sentence="Its tournament is paused.")
    if (lack := situation.fleet.missing(requirements_of(match))) is not None:
        return Reason(code=lack[0], sentence=lack[1])
    if not situation.is_handed_out:
        return Reason(
            code="no_reconciler",
            sentence="Matches are paused: the scheduler is not answering.",
        )
    return _why_not_yet(match, situation)


def _versions_at(match: Match, states: Collection[VersionState]) -> Iterator[BotVersion]:
    """Yield the versions at the table that are in one of these states."""
    versions = (seat.version for seat in match.seats.all())
    return (version for version in versions if version.state in states)


def _why_not_yet(match: Match, situation: Situation) -> Reason:
    """Return what a match waits for although workers can play it."""
    before = situation.line.before(match)
    if match.host_faults:
        return Reason(
            code="retry",
            sentence=f"{_next_try(match)} comes next. "
            f"The last one failed on our side: {match.state_reason}",
            before=before,
        )
    if held := situation.fleet.held_slots:
        return Reason(
            code="starved",
            sentence=f"The server is busy: {held} of {situation.fleet.slots} slots wait for CPU "
            f"time, and the others play on.{_told(before)}",
            before=before,
        )
    if match.sent_at is not None:
        sentence = "Comes next: the first free worker takes it."
        if before is not None and before.matches:
            sentence = f"Was sent to the workers.{_told(before)}"
        return Reason(code="sent", sentence=sentence, before=before)
    if (bot := situation.cap.holds(match)) is not None:
        return Reason(
            code="bot_cap",
            sentence=f"Held by the per-bot cap: {bot} keeps "
            f"{count(settings.BOT_MATCHES, 'slot')} busy, the most that one bot may at a time.",
            before=before,
        )
    return Reason(code="queued", sentence=f"{_turn_of(match)}{_told(before)}", before=before)


def _turn_of(match: Match) -> str:
    """Say whose turns a match waits for."""
    if match.newcomer_of is not None:
        return (
            f"Waits for its turn among new versions, which have one in {TURN_OF_NEWCOMERS} turns."
        )
    if match.kind == MatchKind.CHALLENGE:
        return "Waits for its turn: rated matches go first."
    if match.kind == MatchKind.LADDER:
        return "Waits for a slot that nothing else needs: ladders are played last."
    return "Waits for its turn in the schedule."


def _told(before: Before | None) -> str:
    """Say what goes before a match, behind another sentence; nothing if that is not known."""
    if before is None:
        return ""
    if not before.matches:
        return " It is next."
    first = f" {count(before.matches, 'match')} {'goes' if before.matches == 1 else 'go'} first"
    if before.expected_s is None:
        return f"{first}."
    return f"{first}, which takes about {duration(before.expected_s)}."


def _next_try(match: Match) -> str:
    """Name the next attempt; after the usual number, workers other than the broken one try."""
    number = match.host_faults + 1
    return f"Try {number} of {MAX_ATTEMPTS}" if number <= MAX_ATTEMPTS else f"Try {number}"
