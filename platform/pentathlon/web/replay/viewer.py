"""The replay viewer: what it shows of one match at one ply."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Protocol

from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.utils.safestring import SafeString

from pentathlon.core.caching import answer_for_ever
from pentathlon.matches.replays.moments import Moment, SeenEvent, board_svg, moment_of, tell_events
from pentathlon.web.drawing.boards import inline_board, parts_in_words
from pentathlon.web.requests import query_number
from pentathlon_engines import CHANCE, GAMES
from pentathlon_engines.match.events import Event
from pentathlon_engines.match.faults import RecordedFault
from pentathlon_engines.record.shape import Record

_SLOW_SHARE = 0.8
ROWS = 100
"""How many events are listed at a time, so that pages of long matches stay light."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ActionRow:
    """One event of a record as people read it."""

    ply: int
    """The ply of the position after it."""
    seat: int
    """The seat that acted; `CHANCE` for a draw or a roll."""
    text: str
    said: str
    """The event in words."""
    cpu_ms: int = 0
    is_slow: bool = False
    """Whether it used most of the CPU time that one action may use."""
    is_stand_in: bool = False
    faults: tuple[RecordedFault, ...] = ()
    """What a bot did wrong when it was asked for this action."""

    @property
    def is_chance(self) -> bool:
        """Return whether this is a chance event."""
        return self.seat == CHANCE

    @property
    def label(self) -> str:
        """The sentence that screen readers say."""
        who = "chance" if self.is_chance else f"seat {self.seat}"
        return f"ply {self.ply}, {who}: {self.said}"


@dataclass(frozen=True, slots=True, kw_only=True)
class ActionList:
    """Some events of a replay, one after the other."""

    rows: list[ActionRow]
    ply: int
    """The ply at which the replay is open."""
    end: int
    """The last ply of the match."""
    seat_query: str
    """The part of a query that keeps the viewpoint at another ply."""
    closing_faults: tuple[RecordedFault, ...]
    """What a bot did wrong when it was asked for an action that never came."""

    @property
    def first(self) -> int:
        """The ply of the first row, 0 if there is none."""
        return self.rows[0].ply if self.rows else 0

    @property
    def last(self) -> int:
        """The ply of the last row, 0 if there is none."""
        return self.rows[-1].ply if self.rows else 0

    @property
    def entry(self) -> int:
        """The row that the Tab key reaches: that of the ply, or the first."""
        return max(self.ply, self.first)

    @property
    def earlier(self) -> int | None:
        """The ply before these rows, None at the start of the match."""
        return self.first - 1 if self.first > 1 else None

    @property
    def later(self) -> int | None:
        """The ply after these rows, None at the end of the match."""
        return self.last + 1 if self.last < self.end else None


class Seated(Protocol):
    """The bots of a match by seat, whether it was played here or elsewhere."""

    @property
    def seat(self) -> int:
        """The number of the seat."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Viewer:
    """A replay opened at one ply, seen as a spectator or a seat sees it."""

    record: Record
    seats: list[Seated]
    """The seats from the highest down, so that seat 0 is at the bottom."""
    ply: int
    last: int
    seat: int | None
    board: SafeString
    moment: Moment
    actions: ActionList
    has_hidden: bool

    @property
    def position(self) -> list[str]:
        """The position in words, for people who do not see the board."""
        return parts_in_words(self.board)

    @property
    def points(self) -> dict[int, int]:
        """The points of each seat at this ply; empty in games without points."""
        return dict(enumerate(self.moment.points or []))

    @property
    def used_ms(self) -> dict[int, int]:
        """CPU time that each seat's actions have taken until this ply."""
        return dict(enumerate(self.moment.used_ms))

    @property
    def is_at_end(self) -> bool:
        """Return whether the match is over here; ranks are not shown before."""
        return self.ply == self.last

    @property
    def to_move(self) -> int | None:
        """The seat that acts next, None at the end."""
        return None if self.is_at_end else Event.of(self.record["events"][self.ply]).seat

    @property
    def movers(self) -> str:
        """A letter for each event: the number of its seat, `c` for chance."""
        return "".join("c" if row[0] == CHANCE else str(row[0]) for row in self.record["events"])

    @property
    def limit_s(self) -> float:
        """CPU seconds that each bot had for the whole match."""
        return self.record["limits"]["match_cpu_s"]

    @property
    def has_many_seats(self) -> bool:
        """Return whether seats get one line each."""
        return len(self.seats) > 2  # noqa: PLR2004  # two fit with two lines

    @property
    def view(self) -> str:
        """The name of the viewpoint that the board shows."""
        return "as a spectator sees it" if self.seat is None else f"as seat {self.seat} saw it"

    @property
    def seat_query(self) -> str:
        """The part of a query that keeps the viewpoint at another ply."""
        return _seat_query(self.seat)

    @property
    def links(self) -> dict[str, str]:
        """Addresses of the controls, for pages without a script."""
        back, forward = max(0, self.ply - 1), min(self.last, self.ply + 1)
        plies = {"first": 0, "back": back, "forward": forward, "last": self.last}
        links = {name: f"?ply={ply}{self.seat_query}" for name, ply in plies.items()}
        views = [None, *range(len(self.seats))]
        next_seat = views[(views.index(self.seat) + 1) % len(views)]
        return {**links, "view": f"?ply={self.ply}{_seat_query(next_seat)}"}


def make_viewer(
    places: Iterable[Seated], *, record: Record, ply: int | None, seat: int | None
) -> Viewer:
    """Open a replay at a ply; without one at its start, with one that is too large at its end."""
    ply, seat = _clamp(record, ply, seat)
    return Viewer(
        record=record,
        seats=sorted(places, key=lambda place: -place.seat),
        ply=ply,
        last=len(record["events"]),
        seat=seat,
        board=inline_board(board_svg(record, ply, seat)),
        moment=moment_of(record, ply, seat),
        actions=_list_actions(record, ply, seat),
        has_hidden=GAMES[record["game"]].info.hidden,
    )


def draw_board(record: Record, *, ply: int | None, seat: int | None) -> str:
    """Draw what `make_viewer` shows for the same ply and seat."""
    return board_svg(record, *_clamp(record, ply, seat))


def tell_moment(record: Record, *, ply: int | None, seat: int | None) -> Moment:
    """Return what `make_viewer` tells for the same ply and seat."""
    return moment_of(record, *_clamp(record, ply, seat))


def list_actions(record: Record, *, ply: int | None, seat: int | None) -> ActionList:
    """Return the events that `make_viewer` lists for the same ply and seat."""
    return _list_actions(record, *_clamp(record, ply, seat))


def _list_actions(record: Record, ply: int, seat: int | None) -> ActionList:
    """Return the events around a ply; the whole match is cut into parts of `ROWS`."""
    end = len(record["events"])
    first = max(0, ply - 1) // ROWS * ROWS + 1
    last = min(end, first + ROWS - 1)
    told = tell_events(record, first=first, last=last, seat=seat)
    slow_ms = _SLOW_SHARE * 1000 * record["limits"]["action_cpu_s"]
    rows = [
        _row(record, ply=at, told=event, slow_ms=slow_ms) for at, event in enumerate(told, first)
    ]
    return ActionList(
        rows=rows,
        ply=ply,
        end=end,
        seat_query=_seat_query(seat),
        closing_faults=faults_at(record, end) if last == end else (),
    )


def _row(record: Record, *, ply: int, told: SeenEvent, slow_ms: float) -> ActionRow:
    event = Event.of(record["events"][ply - 1])
    return ActionRow(
        ply=ply,
        seat=event.seat,
        text=told.text,
        said=told.said,
        cpu_ms=event.cpu_ms,
        is_slow=event.cpu_ms >= slow_ms,
        is_stand_in=event.is_stand_in,
        faults=faults_at(record, ply - 1),
    )


def faults_at(record: Record, ply: int) -> tuple[RecordedFault, ...]:
    """Return the faults of the bot that was asked for an action at this ply."""
    return tuple(fault for fault in record["faults"] if fault["ply"] == ply)


def _clamp(record: Record, ply: int | None, seat: int | None) -> tuple[int, int | None]:
    """Return a ply that exists, and a seat only if its view differs from a spectator's."""
    last = len(record["events"])
    is_seat = seat is not None and seat < record["seats"]
    has_hidden = GAMES[record["game"]].info.hidden
    return (
        0 if ply is None else min(ply, last),
        seat if is_seat and has_hidden else None,
    )


def _seat_query(seat: int | None) -> str:
    return "" if seat is None else f"&seat={seat}"


def answer_board(
    request: HttpRequest, *key: object, read: Callable[[], Record], is_private: bool = False
) -> HttpResponseBase:
    """Draw the position after `ply` events, as a spectator or `seat` sees it.

    `key` names the record forever; the record is read only if the client does not have the board.
    """
    ply, seat = query_number(request, "ply"), query_number(request, "seat")
    return answer_for_ever(
        request,
        *(*key, ply, seat),
        is_private=is_private,
        make=lambda: HttpResponse(
            draw_board(read(), ply=ply, seat=seat), content_type="image/svg+xml"
        ),
    )


def answer_moment(request: HttpRequest, record: Record, **extra: object) -> HttpResponse:
    """Show what happened at `ply`, as a spectator or `seat` sees it."""
    ply, seat = query_number(request, "ply"), query_number(request, "seat")
    told = tell_moment(record, ply=ply, seat=seat)
    context = {"moment": told, "game": record["game"], **extra}
    return render(request, "web/parts/replay_moment.html", context)


def answer_actions(request: HttpRequest, record: Record) -> HttpResponse:
    """List the events around `ply`, as a spectator or `seat` sees them."""
    ply, seat = query_number(request, "ply"), query_number(request, "seat")
    context = {"actions": list_actions(record, ply=ply, seat=seat)}
    return render(request, "web/parts/action_rows.html", context)
