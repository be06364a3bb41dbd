"""Snapshots of what is followed, from the database, and tickets that say who may follow it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Collection, Sequence
from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any, Final

from django.db.models import Exists, OuterRef
from django.http import HttpRequest, HttpResponse

from pentathlon.accounts.models import User
from pentathlon.core.throttle import home_of
from pentathlon.friendlies.models import Friendly, FriendlyState
from pentathlon.live.messages import RETRY_MS, StreamEvent, message
from pentathlon.matches.hidden_lanes import HiddenLane
from pentathlon.matches.models import Match, MatchState
from pentathlon.tournaments.models import Tournament, TournamentState

HIDDEN: Final = "hidden"
"""The state of a match for those who may no longer see it."""
_OVER: Final = (MatchState.DONE, MatchState.VOID, HIDDEN)
HEADER: Final = "Pentathlon-Stream"


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchNow:
    """The state of a match now."""

    match: int
    state: str
    attempt: int = 0
    ply: int = 0
    is_hidden: bool = False
    """Whether some people may not see it."""

    def shown(self, *, is_private: bool) -> MatchNow:
        """Return what a reader may know; with `is_private`, the reader may see a hidden match."""
        if self.is_hidden and not is_private:
            return MatchNow(match=self.match, state=HIDDEN)
        return self

    @property
    def is_over(self) -> bool:
        """Whether there is nothing more to follow."""
        return self.state in _OVER

    def message(self) -> StreamEvent:
        """Return the message with the state of the match."""
        facts = asdict(self)
        del facts["is_hidden"]
        return message("end" if self.is_over else "state", facts)


class PageKind(StrEnum):
    """Kinds of pages that load themselves again after every change."""

    TOURNAMENT = "tournament"
    FRIENDLY = "friendly"


@dataclass(frozen=True, slots=True, kw_only=True)
class PageNow:
    """A value that changes whenever something on such a page does."""

    kind: PageKind
    pk: int
    state: str
    mark: str
    """A text that differs after every change; results do not affect it while they are hidden."""

    @property
    def is_over(self) -> bool:
        """Whether nothing will change any more."""
        return self.state in _ENDED[self.kind]

    def message(self) -> StreamEvent:
        """Return a message that something has changed; the page decides what readers may see."""
        name = "end" if self.is_over else "changed"
        return message(name, {self.kind.value: self.pk, "state": self.state}, event_id=self.mark)


@dataclass(frozen=True, slots=True, kw_only=True)
class Snapshot:
    """The state of everything that somebody follows."""

    matches: dict[int, MatchNow]
    pages: dict[tuple[PageKind, int], PageNow]


def read_snapshot(matches: Collection[int], pages: Collection[tuple[PageKind, int]]) -> Snapshot:
    """Read the state of these; the number of queries does not depend on how many people follow."""
    return Snapshot(
        matches={now.match: now for now in matches_now(matches)} if matches else {},
        pages={(kind, pk): _READ[kind](pk) for kind, pk in pages},
    )


def matches_now(matches: Collection[int]) -> list[MatchNow]:
    """Return the state of matches, whoever may see them."""
    found = Match.objects.filter(pk__in=matches).with_privacy().order_by("pk")
    return [
        MatchNow(
            match=match.pk,
            state=match.state,
            attempt=match.attempts_made,
            ply=match.ply,
            is_hidden=match.is_private,
        )
        for match in found.only("state", "attempts_made", "ply", "kind")
    ]


def tournament_now(pk: int) -> PageNow:
    """Return a value that changes whenever something on the page of a tournament does."""
    state, *facts = _facts_of_tournament(pk)
    return PageNow(kind=PageKind.TOURNAMENT, pk=pk, state=state, mark=_mark_of(state, *facts))


def friendly_now(pk: int) -> PageNow:
    """Return a value that changes whenever something on the page of a friendly does."""
    found = Friendly.objects.filter(pk=pk)
    row = found.values_list("state", "ply", "token", "host_faults").first()
    state, *facts = row or (FriendlyState.VOID,)
    return PageNow(kind=PageKind.FRIENDLY, pk=pk, state=state, mark=_mark_of(state, *facts))


def _facts_of_tournament(pk: int) -> list[Any]:  # Any: the state, and values of rows
    hidden = HiddenLane.objects.in_force().filter(lane=OuterRef("pk"))
    found = Tournament.objects.filter(pk=pk).annotate(is_kept=Exists(hidden))
    row = found.values_list("state", "is_kept").first()
    if row is None:
        return [TournamentState.CANCELLED]
    state, is_kept = row
    if is_kept:
        return [state, HIDDEN]
    lane = Match.objects.of_lane(pk)
    done = lane.filter(state=MatchState.DONE)
    latest = done.order_by("-finished_at").values_list("pk", "finished_at")[:1]
    void = lane.filter(state=MatchState.VOID).order_by("-pk").values_list("pk")[:1]
    return [state, *latest, *void]


def _mark_of(*facts: object) -> str:
    return hashlib.sha256(repr(facts).encode()).hexdigest()[:16]


_ENDED: Final = {
    PageKind.TOURNAMENT: (TournamentState.CLOSED, TournamentState.CANCELLED),
    PageKind.FRIENDLY: (FriendlyState.DONE, FriendlyState.VOID),
}
_READ: Final[dict[PageKind, Callable[[int], PageNow]]] = {
    PageKind.TOURNAMENT: tournament_now,
    PageKind.FRIENDLY: friendly_now,
}


class View(StrEnum):
    """The forms in which a stream gives positions."""

    POSITION = "position"
    TEXT = "text"
    SVG = "svg"


@dataclass(frozen=True, slots=True, kw_only=True)
class Ticket:
    """What one stream follows."""

    who: str
    """The person or the address whose limits it counts towards."""
    matches: tuple[int, ...] = ()
    page: tuple[PageKind, int] | None = None
    """A tournament or a friendly whose page loads itself again after every change."""
    seen: str = ""
    """The id of the last message that the client knows."""
    view: View = View.POSITION
    private: tuple[int, ...] = ()
    """Matches that only some may see, among them the reader: they are not shown during play."""
    names_matches: bool = False
    """Whether the client's place is given for each match by its id, since it follows several."""

    def to_header(self) -> str:
        """Return the ticket as the value of its header."""
        return json.dumps(asdict(self))

    @classmethod
    def of(cls, header: str) -> Ticket:
        """Read what `to_header` made."""
        fields: dict[str, Any] = json.loads(header)  # Any: JSON
        fields |= {name: tuple(fields[name]) for name in ("matches", "private")}
        if fields["page"] is not None:
            kind, pk = fields["page"]
            fields["page"] = (PageKind(kind), pk)
        return cls(**{**fields, "view": View(fields["view"])})


def who_asks(request: HttpRequest, person: User | None) -> str:
    """Return the person or address to whose limits a stream counts."""
    if person is not None:
        return f"person {person.pk}"
    return f"address {home_of(request.META.get('REMOTE_ADDR', ''))}"


def follow_matches(
    found: Sequence[MatchNow],
    *,
    who: str,
    view: View,
    seen: str = "",
    private: Collection[int] = (),
    names_matches: bool = False,
) -> HttpResponse:
    """Answer with the state of matches, and with a ticket unless all have ended.

    `private` are matches that the reader may see, but not everybody.
    """
    shown = [match.shown(is_private=match.match in private) for match in found]
    running = tuple(match.match for match in shown if not match.is_over)
    ticket = Ticket(
        who=who,
        matches=running,
        view=view,
        seen=seen,
        private=tuple(private),
        names_matches=names_matches,
    )
    return _answer([now.message() for now in shown], ticket if running else None)


def follow_page(found: PageNow, *, who: str, seen: str) -> HttpResponse:
    """Answer with a ticket for all changes since `seen`."""
    ticket = Ticket(who=who, page=(found.kind, found.pk), seen=seen)
    news = [found.message()] if found.mark != seen else []
    return _answer(news, None if found.is_over else ticket)


def _answer(first: Sequence[StreamEvent], ticket: Ticket | None) -> HttpResponse:
    body = b"".join([message(retry_ms=RETRY_MS).plain, *(each.plain for each in first)])
    headers = {
        "Cache-Control": "no-store",
        "X-Accel-Buffering": "no",  # makes nginx pass everything on at once
        "Vary": "Accept-Encoding",
    }
    if ticket is not None:
        headers[HEADER] = ticket.to_header()
    return HttpResponse(body, content_type="text/event-stream", headers=headers)
