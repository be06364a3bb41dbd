"""Tickets: what a person may follow, decided by a view and carried out by the server.

A view checks who asks and what that person may see, like every other view. Its answer ends with
what is known now, and carries a ticket in a header. The server takes the ticket off and goes on
writing to the connection; under a server that does not know tickets, the client asks again.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any, Final

from django.http import HttpRequest, HttpResponse

from pentathlon.accounts.models import User
from pentathlon.core.throttle import home_of
from pentathlon.live.messages import RETRY_MS, StreamEvent, message
from pentathlon.live.snapshots import MatchNow, PageKind, PageNow

HEADER: Final = "Pentathlon-Stream"


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
