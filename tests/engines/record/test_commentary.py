"""A record is told ply by ply, and its ending with the reason."""

from pentathlon_engines import GAMES
from pentathlon_engines.match.faults import Fault, FaultKind
from pentathlon_engines.record.commentary import tell_outcome, tell_plies, tell_ply
from pentathlon_engines.record.record import positions
from tests.engines.record.random_records import make_record


def test_every_ply_is_told_alike_alone_and_in_a_row() -> None:
    record = make_record(GAMES["azure"], seats=2)
    states = list(positions(record))
    last = len(record["events"])

    for viewer in (None, 0, 1):
        told = list(tell_plies(record, states, first=1, last=last, viewer=viewer))
        alone = [tell_ply(record, states, ply, viewer=viewer) for ply in range(1, last + 1)]
        assert told == alone
    assert tell_ply(record, states, 0) == "The match begins"
    assert list(tell_plies(record, states, first=last + 1, last=last, viewer=None)) == []


def test_match_that_a_fault_ends_says_who_could_not_go_on() -> None:
    fault = Fault(FaultKind.CPU_TIME, seat=1, ply=5, detail="used 1.2 s of CPU time")
    record = make_record(GAMES["tuned"], seats=2, fault=fault)
    last = list(positions(record))[-1]

    assert tell_outcome(record, last) == "Amber could not go on: Violet wins"
