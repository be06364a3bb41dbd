"""Takes the stone after which it has most wisdom, and most cards where wisdom is equal."""

from pentathlon_engines import State
from pentathlon_engines.bot import Turn, play
from pentathlon_engines.lookahead import after


def choose(turn: Turn) -> str:
    """Try every action, and compare wisdom and cards afterwards."""
    state = turn.state()
    best = max(state.legal_actions(), key=lambda action: worth(after(state, action), turn.seat))
    return state.text(best)


def worth(state: State, seat: int) -> int:
    """Count wisdom and cards of a seat against those of the other one."""
    seen = state.observation(seat)
    wisdom, cards = seen["wisdom"], seen["hand_sizes"]
    lead: int = 3 * (wisdom[seat] - wisdom[1 - seat]) + cards[seat] - cards[1 - seat]
    return lead


if __name__ == "__main__":
    play(choose)
