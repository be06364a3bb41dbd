import pytest

from pentathlon.common.errors import NotFound
from pentathlon.replays.boards import board_svg
from pentathlon_engines.record.record import position
from pentathlon_engines.record.shape import Record
from tests.factories import make_match
from tests.pentathlon.matches.acting import claimed
from tests.pentathlon.replays.playing import record_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def record() -> Record:
    return record_of(claimed(make_match()))


def test_board_is_the_position_after_that_many_events(record: Record) -> None:
    last = len(record["events"])

    assert board_svg(record, 0) == position(record, 0).svg()
    assert board_svg(record, 3, 1) == position(record, 3).svg(1)
    assert board_svg(record, last) == position(record, last).svg()


def test_board_outside_the_match_is_refused(record: Record) -> None:
    last = len(record["events"])

    for ply, seat in ((-1, None), (last + 1, None), (0, 2), (0, -1)):
        with pytest.raises(NotFound):
            board_svg(record, ply, seat)
