"""Chances to win a position, by playouts that a simple policy plays.

The policy is that of the reference bot `greedy`, loosened so that playouts differ: a seat takes
the best of a few random actions by the evaluation of its game, and after many actions any action.
A game may have a faster policy of its own. In a game without an evaluation, a seat takes an
immediate win, or else an action that does not let the next seat win at once.

A judge of a finished match may see all that is fixed: hidden hands and shuffled decks stay as they
are. What chance has not decided yet is drawn again in each playout.

The shares that playouts give are calibrated for each game (`calibration`).

Turns the share of playouts that a seat won into its chance in a match of better players.

Two steps. A seat with no wins in 24 playouts is not lost for certain, so each seat still in play
gets the same few playouts more (a Dirichlet prior). Then all odds are raised to a power, one for
each game: below 1 it brings chances nearer to each other, above 1 apart. The powers are fitted to
matches of the reference bots (`COMMAND`) and kept in `calibration.json`.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from functools import cache
from importlib.resources import files
from math import sqrt
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any, Final, NamedTuple, cast

from pentathlon_engines.contract.game import CHANCE, Outcome, State
from pentathlon_engines.lookahead import after, is_safe, winning_action
from pentathlon_engines.match.referee import judge
from pentathlon_engines.tree_search import shares_of

if TYPE_CHECKING:
    from pentathlon_engines.contract.game import Evaluation


COMMAND: Final = "python3 manage.py bench analysis --write"
"""The command that fits the powers."""
PRIOR: Final = 2.0
"""Extra playouts that count as won in equal parts by all seats in play."""
FILE: Final = Path(str(files("pentathlon_engines.analysis"))) / "calibration.json"
LARGEST_ERROR: Final = 0.05
"""Playouts end once no standard error is larger than this."""
MOST_PLAYOUTS: Final = 100
"""The most playouts; with this many, no standard error exceeds `LARGEST_ERROR`."""
_FEWEST: Final = 24
_CANDIDATES: Final = 4
"""How many random actions a seat picks the best one from."""
_GUIDED: Final = 40
"""After this many evaluated decisions, a playout continues at random, which is 20 times faster."""
_TRIES: Final = 3
"""The most random actions that a seat tries to find a safe one."""
_PRIOR: Final = 4
"""Playouts that count as half won when an error is estimated (Agresti and Coull 1998); without
them, 24 playouts of which none is won would look certain."""


@cache
def power_of(game: str) -> float:
    """Return the power of a game; 1 changes nothing."""
    rows = cast("dict[str, Any]", json.loads(FILE.read_text(encoding="utf-8")))["games"]
    return float(rows[game]["power"]) if game in rows else 1.0


def smooth(won: Sequence[float], *, played: int, in_play: Sequence[bool]) -> list[float]:
    """Return each seat's share of the first place after the prior; 0 for an expelled seat.

    >>> [round(share, 3) for share in smooth([0.0, 24.0], played=24, in_play=[True, True])]
    [0.038, 0.962]
    """
    each = PRIOR / max(1, sum(in_play))
    return [
        (share + each) / (played + PRIOR) if is_in else 0.0
        for share, is_in in zip(won, in_play, strict=True)
    ]


def temper(shares: Sequence[float], *, power: float) -> list[float]:
    """Return shares whose odds are raised to a power; their sum stays.

    >>> [round(share, 2) for share in temper([0.1, 0.9], power=0.5)]
    [0.25, 0.75]
    """
    raised = [share**power if share > 0 else 0.0 for share in shares]
    total = sum(raised)
    return [share * sum(shares) / total for share in raised] if total else list(shares)


def slope(before: float, after: float, *, power: float) -> float:
    """Return the factor by which an error of a share grows when the share is tempered.

    The factor is exact for two seats, and a good guess for a seat against several others.
    """
    spread = before * (1 - before)
    return power * after * (1 - after) / spread if spread else 0.0


class Estimate(NamedTuple):
    """Results of the playouts from one position."""

    playouts: int
    """The number of playouts; 0 at the end of the match, where the result is known."""
    chances: list[float]
    """The share of the first place that each seat may expect; those who tie share it."""
    errors: list[float]
    """The standard error of each chance, rather too large than too small."""
    shares: list[float]
    """The share of the other seats that each seat is expected to beat."""


def truth_of(outcome: Outcome) -> Estimate:
    """Return an outcome as an estimate without error; if all bots have failed, nobody is first.

    >>> truth_of(Outcome((0, 0, 1), "example")).chances
    [0.5, 0.5, 0.0]
    """
    certain = [0.0] * len(outcome.ranks)
    return Estimate(0, _first(outcome), certain, shares_of(outcome))


def estimate_chances(
    state: State,
    *,
    rng: Random,
    expelled: Collection[int] = (),
    most: int = MOST_PLAYOUTS,
    largest_error: float = LARGEST_ERROR,
    power: float | None = None,
) -> Estimate:
    """Play a position out until the chances are known well enough.

    Seats that were expelled for a fault rank behind all others. `power` defaults to the one that
    was fitted for the game.
    """
    over = judge(state, expelled)
    if over is not None:
        return truth_of(over)
    seats = state.seats
    won, beaten = [0.0] * seats, [0.0] * seats
    played = 0
    while played < most:
        outcome = _play_out(state.copy(), rng, expelled)
        played += 1
        results = zip(_first(outcome), shares_of(outcome), strict=True)
        for seat, (first, share) in enumerate(results):
            won[seat] += first
            beaten[seat] += share
        if played >= _FEWEST and max(_errors(won, played)) <= largest_error:
            break
    power = power_of(state.game.info.key) if power is None else power
    in_play = [seat not in expelled for seat in range(seats)]
    shares = smooth(won, played=played, in_play=in_play)
    chances = temper(shares, power=power)
    slopes = [slope(*pair, power=power) for pair in zip(shares, chances, strict=True)]
    return Estimate(
        played,
        chances,
        [error * each for error, each in zip(_errors(won, played), slopes, strict=True)],
        [share / played for share in beaten],
    )


def _errors(won: Sequence[float], played: int) -> list[float]:
    number = played + _PRIOR
    means = [(share + _PRIOR / 2) / number for share in won]
    return [sqrt(mean * (1 - mean) / number) for mean in means]


def _play_out(state: State, rng: Random, expelled: Collection[int]) -> Outcome:
    """Play a state to its end and return the outcome; this may change the state."""
    choose, evaluate = state.game.playout_policy(), state.game.evaluation()
    guided = _GUIDED
    while (outcome := state.outcome) is None:
        seat = state.to_move
        if seat is None or seat == CHANCE:
            state.apply_chance(state.sample_chance(rng))
            continue
        if not guided:
            outcome = state.playout(rng)
            break
        actions = state.legal_actions()
        if len(actions) == 1:
            state.apply_unchecked(actions[0])
        elif choose is not None:
            state.apply_unchecked(choose(state, actions, rng))
        elif evaluate is not None:
            guided -= 1
            state = _best_of_few(state, actions, evaluate, rng)
        else:
            state.apply_unchecked(_careful_action(state, actions, rng))
    return judge(state, expelled) or outcome


def _best_of_few(state: State, actions: list[int], evaluate: Evaluation, rng: Random) -> State:
    """Return the position after the best of a few random actions of the seat to move."""
    seat = state.to_move
    few = min(_CANDIDATES, len(actions))
    for index in range(few):
        other = index + int(rng.random() * (len(actions) - index))
        actions[index], actions[other] = actions[other], actions[index]
    afters = [after(state, action) for action in actions[:few]]
    worths = [evaluate(each, seat or 0) for each in afters]
    return afters[worths.index(max(worths))]


def _careful_action(state: State, actions: Sequence[int], rng: Random) -> int:
    """Return an action that wins at once, or one that does not seem to lose at once."""
    win = winning_action(state)
    if win is not None:
        return win
    seat = state.to_move
    for _ in range(_TRIES):
        action = actions[int(rng.random() * len(actions))]
        if seat is not None and is_safe(after(state, action), seat):
            break
    return action


def _first(outcome: Outcome) -> list[float]:
    """Return the share of the first place that each seat has."""
    first = [rank == 0 for rank in outcome.ranks]
    return [float(is_first) / max(1, sum(first)) for is_first in first]
