"""What the replay viewer of one match shows at one ply."""

from dataclasses import dataclass

from django.utils.safestring import SafeString

from pentathlon.matches.models import Match, MatchSeat
from pentathlon.replays.boards import board_svg
from pentathlon.web.actions import ActionRow, action_rows, faults_at
from pentathlon.web.drawings import inline_board
from pentathlon_engines import GAMES
from pentathlon_engines.match.faults import RecordedFault
from pentathlon_engines.record.shape import Record


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
        """Say in words through whose eyes the board is seen."""
        return "as a spectator sees it" if self.seat is None else f"as seat {self.seat} saw it"

    @property
    def seat_query(self) -> str:
        """What keeps the viewpoint in the address of another ply."""
        return _seat_query(self.seat)

    @property
    def links(self) -> dict[str, str]:
        """Addresses of the controls for those without a script."""
        back, forward = max(0, self.ply - 1), min(self.last, self.ply + 1)
        plies = {"first": 0, "back": back, "forward": forward, "last": self.last}
        links = {name: f"?ply={ply}{self.seat_query}" for name, ply in plies.items()}
        views = [None, *range(len(self.seats))]
        next_seat = views[(views.index(self.seat) + 1) % len(views)]
        return {**links, "view": f"?ply={self.ply}{_seat_query(next_seat)}"}


def make_viewer(match: Match, *, record: Record, ply: int | None, seat: int | None) -> Viewer:
    """Open a replay; without a ply at its end, with one too large too."""
    ply, seat = _looked_at(record, ply, seat)
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
    return board_svg(record, *_looked_at(record, ply, seat))


def _looked_at(record: Record, ply: int | None, seat: int | None) -> tuple[int, int | None]:
    """Return a ply that exists, and a seat only where its view differs from a spectator's."""
    last = len(record["events"])
    is_seat = seat is not None and seat < record["seats"]
    has_hidden = GAMES[record["game"]].info.hidden
    return (
        last if ply is None else min(ply, last),
        seat if is_seat and has_hidden else None,
    )


def _seat_query(seat: int | None) -> str:
    return "" if seat is None else f"&seat={seat}"
