import pytest

from pentathlon.matches.replays.codec import CODEC, pack, unpack
from pentathlon_engines.record.record import canonical
from tests.factories import make_match
from tests.pentathlon.matches.acting import claimed
from tests.pentathlon.matches.replays.playing import record_of

pytestmark = pytest.mark.django_db


def test_record_comes_back_as_it_was() -> None:
    job = claimed(make_match())

    for luck in range(5):
        record = record_of(job, luck=luck)
        assert unpack(pack(canonical(record)), codec=CODEC) == record


def test_median_replay_of_a_short_game_fits_in_400_bytes() -> None:
    job = claimed(make_match())

    sizes = sorted(len(pack(canonical(record_of(job, luck=luck)))) for luck in range(31))

    assert sizes[15] <= 400
