"""Waiting matches are handed out in their order, however many of them cannot be played yet."""

from collections.abc import Collection, Mapping, Sequence

import pytest

from pentathlon.matches.dispatch import heads as module
from pentathlon.matches.dispatch.heads import Head, Heads, Lineup
from pentathlon.matches.models import MatchKind

_ROOM = 16
_KIND = MatchKind.TOURNAMENT


class Schedule:
    """What waits, by lane; it notes which lanes each query reads."""

    def __init__(self, lanes: Mapping[int, Sequence[int]]) -> None:
        self.lanes: dict[int, Sequence[int]] = dict(lanes)
        self.queries: list[list[int]] = []

    def read(self, _: str, after: Mapping[int, int], *, page: int) -> list[module._Row]:
        self.queries.append(list(after))
        return [
            (lane, pk, _KIND, "tuned", 1, False, None, "")
            for lane, last in after.items()
            for pk in [pk for pk in self.lanes[lane] if pk > last][:page]
        ]


class Look:
    """Looks at a schedule of which only some matches can be played."""

    def __init__(self, schedule: Schedule, *, playable: Collection[int] | None = None) -> None:
        self.schedule = schedule
        self.playable = playable
        self.reached: dict[int, int] = {}
        self.asked = 0

    def begin(self, *lanes: int, room: int = _ROOM) -> Heads:
        heads = Heads(_KIND, fits=self._fits, reached=self.reached)
        heads._lineups[""] = Lineup([])
        heads.open(lanes or list(self.schedule.lanes), room=room)
        return heads

    def _fits(self, head: Head) -> bool:
        self.asked += 1
        return self.playable is None or head.pk in self.playable


@pytest.fixture
def schedule(monkeypatch: pytest.MonkeyPatch) -> Schedule:
    """Return an empty schedule, which a test fills."""
    schedule = Schedule({})
    monkeypatch.setattr(module, "_read_rows", schedule.read)
    return schedule


def taken(heads: Heads, lane: int, *, most: int = 1000) -> list[int]:
    found: list[int] = []
    while len(found) < most and (head := heads.next(lane)) is not None:
        found.append(head.pk)
    return found


def test_each_lane_hands_out_its_matches_in_order(schedule: Schedule) -> None:
    schedule.lanes = {1: [3, 5, 9], 2: [4]}
    heads = Look(schedule).begin()

    assert taken(heads, 1) == [3, 5, 9]
    assert taken(heads, 2) == [4]
    assert not heads.has_refused(1)


def test_all_lanes_are_read_by_one_query(schedule: Schedule) -> None:
    schedule.lanes = {lane: [lane] for lane in range(1, 9)}
    heads = Look(schedule).begin()

    for lane in schedule.lanes:
        heads.next(lane)

    assert [sorted(lanes) for lanes in schedule.queries] == [list(range(1, 9))]


def test_match_that_cannot_be_played_holds_up_none_behind_it(schedule: Schedule) -> None:
    schedule.lanes = {1: [1, 2, 3, 4]}
    heads = Look(schedule, playable=[2, 4]).begin()

    assert taken(heads, 1) == [2, 4]
    assert heads.has_refused(1)


def test_lane_with_nothing_to_play_leaves_the_others_their_share(schedule: Schedule) -> None:
    schedule.lanes = {1: range(1, 1001), 2: [2000]}
    heads = Look(schedule, playable=[2000]).begin()

    assert heads.next(1) is None
    assert not heads.is_spent
    assert taken(heads, 2) == [2000]


def test_one_look_refuses_only_so_many(schedule: Schedule) -> None:
    schedule.lanes = {1: range(1, 5000)}
    look = Look(schedule, playable=[])
    heads = look.begin()

    assert [heads.next(1) for _ in range(3)] == [None] * 3

    assert heads.is_spent
    assert look.asked == module._MOST_REFUSED


def test_later_look_goes_on_where_the_one_before_stopped(schedule: Schedule) -> None:
    schedule.lanes = {1: range(1, 1002)}
    look = Look(schedule, playable=[1001])

    found = [taken(look.begin(), 1) for _ in range(4)]

    assert [1001] in found


def test_first_matches_are_tried_again_in_every_look(schedule: Schedule) -> None:
    schedule.lanes = {1: range(1, 1001)}
    look = Look(schedule, playable=[])
    for _ in range(2):
        look.begin().next(1)

    look.playable = [1]

    assert taken(look.begin(), 1) == [1]


def test_lane_that_was_read_to_its_end_is_read_anew(schedule: Schedule) -> None:
    schedule.lanes = {1: range(1, 451)}
    look = Look(schedule, playable=[])
    for _ in range(3):
        look.begin().next(1)

    look.playable = [200]

    assert [200] in [taken(look.begin(), 1) for _ in range(3)]


def test_lane_in_which_nothing_waits_is_forgotten(schedule: Schedule) -> None:
    schedule.lanes = {1: range(1, 1001), 2: [2000]}
    look = Look(schedule, playable=[])
    for _ in range(2):
        look.begin(1).next(1)
    assert 1 in look.reached

    look.begin(2)

    assert look.reached == {}
