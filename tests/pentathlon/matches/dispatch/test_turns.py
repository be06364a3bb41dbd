from collections.abc import Callable

from hypothesis import given
from hypothesis import strategies as st

from pentathlon.matches.dispatch.publishing import Rank, Turns

_LANES = st.dictionaries(
    st.integers(1, 40), st.tuples(st.booleans(), st.integers(0, 3).map(float)), max_size=12
)


def _serve(in_flight: dict[int, float], *, rounds: int, last: int = 0) -> list[int]:
    """Serve one match at a time; return the lanes in the order of their turns."""
    turns = Turns(in_flight, rank=lambda lane: (False, in_flight[lane]), last=last)
    served = []
    for _ in range(rounds):
        lane = turns.take()
        in_flight[lane] += 1
        turns.put_back(lane)
        served.append(lane)
    return served


def test_lanes_take_turns_behind_the_one_served_last() -> None:
    assert _serve({1: 0, 2: 0, 3: 0}, rounds=7, last=1) == [2, 3, 1, 2, 3, 1, 2]


def test_whoever_has_least_in_flight_is_served_first() -> None:
    assert _serve({1: 3, 2: 0, 3: 1}, rounds=5, last=2) == [2, 3, 2, 3, 2]


def test_refused_lanes_come_behind_all_others() -> None:
    ranks: dict[int, Rank] = {1: (True, 0), 2: (False, 9), 3: (False, 9)}
    turns = Turns(ranks, rank=ranks.__getitem__, last=0)

    assert turns.in_order() == [2, 3, 1]
    assert [turns.take() for _ in ranks] == [2, 3, 1]
    assert not turns


@given(ranks=_LANES, last=st.integers(0, 41), puts_back=st.lists(st.booleans(), max_size=30))
def test_turns_are_those_of_a_look_at_every_lane(
    ranks: dict[int, Rank], last: int, puts_back: list[bool]
) -> None:
    """Compare with the plain definition: the least by rank, then by turn, then by number."""
    turns = Turns(ranks, rank=ranks.__getitem__, last=last)
    waiting = set(ranks)

    for is_put_back in puts_back:
        assert bool(turns) == bool(waiting)
        if not waiting:
            return
        lane = min(waiting, key=_in_turn(ranks, last))

        assert turns.take() == lane
        last = lane
        if is_put_back:
            is_refused, in_flight = ranks[lane]
            ranks[lane] = is_refused, in_flight + 1
            turns.put_back(lane)
        else:
            waiting.remove(lane)


@given(ranks=_LANES, last=st.integers(0, 41))
def test_order_is_that_in_which_lanes_are_taken_out(ranks: dict[int, Rank], last: int) -> None:
    turns = Turns(ranks, rank=ranks.__getitem__, last=last)

    assert turns.in_order() == [turns.take() for _ in ranks]


def _in_turn(ranks: dict[int, Rank], last: int) -> Callable[[int], tuple[Rank, bool, int]]:
    return lambda lane: (ranks[lane], lane <= last, lane)
