"""Records of matches that were played without any process."""

from random import Random

from pentathlon_engines import GAMES, Game
from pentathlon_engines.match.faults import Fault
from pentathlon_engines.match.limits import Limits
from pentathlon_engines.match.referee import Referee
from pentathlon_engines.record.record import seal
from pentathlon_engines.record.rerun import Fork
from pentathlon_engines.record.shape import Header, Record
from tests.engines.twelve_game import TWELVE


def make_record(
    game: Game, *, seats: int, seed: int = 7, fault: Fault | None = None, fork: Fork | None = None
) -> Record:
    """Play random actions, with at most one fault, and seal the record."""
    referee = Referee(game=game, seats=seats, options=None, seed=seed)
    if fork is not None:
        referee.repeat(fork.events)
    rng, given = Random(seed), referee.state.options
    while (seat := referee.seat_to_ask()) is not None:
        if fault is not None and (fault.ply, fault.seat) == (referee.ply, seat):
            referee.expel(fault)
            continue
        referee.accept(rng.choice(referee.request().legal), cpu_ms=1, wall_ms=2)
    header: Header = {
        "game": game.info.key,
        "rules": game.info.version,
        "seats": seats,
        "options": given,
        "seed": seed,
        "match": "local",
        "bots": [{"name": f"bot {seat}", "hash": "sha256:00"} for seat in range(seats)],
        "limits": Limits().to_json(),
        "sandbox": "process",
        "layers": ["rlimits"],
    }
    if fork is not None:
        header["fork"] = fork.point
    outcome = referee.final_outcome()
    return seal(header, events=referee.events, faults=referee.faults, outcome=outcome)


def tuned_record(*, fault: Fault | None = None) -> Record:
    """Return the record of a match of Tuned."""
    return make_record(GAMES["tuned"], seats=2, fault=fault)


def twelve_record(
    *, seats: int = 3, seed: int = 7, fault: Fault | None = None, fork: Fork | None = None
) -> Record:
    """Return the record of a match with chance, secrets and more than two seats."""
    return make_record(TWELVE, seats=seats, seed=seed, fault=fault, fork=fork)
