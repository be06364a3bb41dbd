import pytest

from pentathlon.core.errors import NotFound
from pentathlon.matches.replays.moments import board_svg
from pentathlon_engines import GAMES
from pentathlon_engines.record.record import position
from pentathlon_engines.record.shape import Record
from tests.factories import make_match
from tests.pentathlon.matches.acting import claimed
from tests.pentathlon.matches.replays.playing import record_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def record() -> Record:
    return record_of(claimed(make_match()))


def test_board_is_the_position_after_that_many_events(record: Record) -> None:
    last = len(record["events"])

    assert board_svg(record, 0) == position(record, 0).svg(ply=0)
    assert board_svg(record, 3, 1) == position(record, 3).svg(1, ply=3)
    assert board_svg(record, last) == position(record, last).svg(ply=last)


@pytest.mark.parametrize("game", GAMES)
def test_title_counts_events_as_the_slider_does(game: str) -> None:
    record = record_of(claimed(make_match(game=game)))
    name, last = GAMES[game].info.title, len(record["events"])

    for ply in (0, 1, 2, last // 2, last):
        assert f"<title>{name}, ply {ply}</title>" in board_svg(record, ply)


def test_board_outside_the_match_is_refused(record: Record) -> None:
    last = len(record["events"])

    for ply, seat in ((-1, None), (last + 1, None), (0, 2), (0, -1)):
        with pytest.raises(NotFound):
            board_svg(record, ply, seat)
