"""The replay viewer: what it shows of one match at one ply."""

from collections.abc import Iterator
from dataclasses import dataclass

from django.utils.safestring import SafeString

from pentathlon.matches.models import Match, MatchSeat
from pentathlon.replays.boards import board_svg
from pentathlon.web.boards import inline_board
from pentathlon_engines import CHANCE, GAMES
from pentathlon_engines.match.events import Event
from pentathlon_engines.match.faults import RecordedFault
from pentathlon_engines.record.shape import Record

_SLOW_SHARE = 0.8


@dataclass(frozen=True, slots=True, kw_only=True)
class ActionRow:
    """One event of a record as people read it."""

    ply: int
    """The position after it."""
    seat: int
    """`CHANCE` for a draw or a roll."""
    text: str
    cpu_ms: int = 0
    is_slow: bool = False
    """It used most of the CPU time that one action may use."""
    is_stand_in: bool = False
    faults: tuple[RecordedFault, ...] = ()
    """What a bot did wrong when it was asked for this action."""

    @property
    def is_chance(self) -> bool:
        """Tell whether this is a chance event."""
        return self.seat == CHANCE

    @property
    def label(self) -> str:
        """The sentence that screen readers say."""
        who = "chance" if self.is_chance else f"seat {self.seat}"
        return f"ply {self.ply}, {who}: {self.text}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Viewer:
    """A replay opened at one ply, seen as a spectator or a seat sees it."""

    record: Record
    seats: list[MatchSeat]
    """From the highest seat down: seat 0 sits at the bottom."""
    ply: int
    last: int
    seat: int | None
    board: SafeString
    rows: list[ActionRow]
    has_hidden: bool

    @property
    def to_move(self) -> int | None:
        """The seat that acts next, None at the end."""
        return self.rows[self.ply].seat if self.ply < self.last else None

    @property
    def limit_s(self) -> float:
        """CPU seconds that each bot had for the whole match."""
        return self.record["limits"]["match_cpu_s"]

    @property
    def closing_faults(self) -> tuple[RecordedFault, ...]:
        """What a bot did wrong when it was asked for an action that never came."""
        return faults_at(self.record, self.last)

    @property
    def has_many_seats(self) -> bool:
        """Tell whether seats get one line each."""
        return len(self.seats) > 2  # noqa: PLR2004  # two fit with two lines

    @property
    def view(self) -> str:
        """Whose view the board shows, in words."""
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


def make_viewer(match: Match, *, record: Record, ply: int | None, seat: int | None) -> Viewer:
    """Open a replay at a ply; at its end without one, or if it is too large."""
    ply, seat = _clamp(record, ply, seat)
    return Viewer(
        record=record,
        seats=sorted(match.seats.all(), key=lambda place: -place.seat),
        ply=ply,
        last=len(record["events"]),
        seat=seat,
        board=inline_board(board_svg(record, ply, seat)),
        rows=list(action_rows(record)),
        has_hidden=GAMES[match.game].info.hidden,
    )


def draw_board(record: Record, *, ply: int | None, seat: int | None) -> str:
    """Draw what `make_viewer` shows for the same ply and seat."""
    return board_svg(record, *_clamp(record, ply, seat))


def action_rows(record: Record) -> Iterator[ActionRow]:
    """Yield a row for every event of the record."""
    slow_ms = _SLOW_SHARE * 1000 * record["limits"]["action_cpu_s"]
    for index, row in enumerate(record["events"]):
        event = Event.of(row)
        yield ActionRow(
            ply=index + 1,
            seat=event.seat,
            text=event.text,
            cpu_ms=event.cpu_ms,
            is_slow=event.cpu_ms >= slow_ms,
            is_stand_in=event.is_stand_in,
            faults=faults_at(record, index),
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
        last if ply is None else min(ply, last),
        seat if is_seat and has_hidden else None,
    )


def _seat_query(seat: int | None) -> str:
    return "" if seat is None else f"&seat={seat}"
