"""The referee of one match: it knows whose turn it is, applies actions and decides who has won.

It does no input or output and reads no clock. The runner calls `seat_to_ask`, sends `request` to
the bot of that seat, and calls `accept` with its answer or `expel` with its fault.
"""

from collections.abc import Collection, Iterable, Mapping
from random import Random
from typing import Any, NamedTuple

from pentathlon_engines.contract.game import CHANCE, Game, Outcome, State
from pentathlon_engines.match.events import Event, apply_event
from pentathlon_engines.match.faults import Fault
from pentathlon_engines.match.protocol import SeenEvent


class Request(NamedTuple):
    """A request for an action, with everything that the seat may know."""

    seat: int
    ply: int
    events: list[SeenEvent]
    """The events since the previous request to this seat, its own action first."""
    observation: dict[str, Any]  # Any: the JSON of a game
    legal: list[str]


class Referee:
    """One match from its first event to its outcome."""

    def __init__(
        self, *, game: Game, seats: int, options: Mapping[str, Any] | None, seed: int
    ) -> None:
        self.state: State = game.start(seats, options)
        self.events: list[Event] = []
        self.faults: list[Fault] = []
        self.outcome: Outcome | None = self.state.outcome
        self._seed = seed
        self._draws = 0
        self._offenders: set[int] = set()
        self._resigned: int | None = None
        self._unseen: list[list[SeenEvent]] = [[] for _ in range(seats)]

    def repeat(self, events: Iterable[Event]) -> None:
        """Let the events of another match happen before anybody is asked.

        Times and stand-ins were those of other bots, so neither is kept.

        Raises:
            EngineError: one of them cannot happen.
        """
        for event in events:
            self._show(event.seat, event.text)
            if event.is_chance:
                self._draws += 1
            apply_event(self.state, event)
            self._close_event(Event(event.seat, event.text))

    @property
    def ply(self) -> int:
        """The index of the next event."""
        return len(self.events)

    def seat_to_ask(self) -> int | None:
        """Let chance and stand-ins act, then return the seat that must act, or None at the end."""
        while self.outcome is None:
            mover = self.state.to_move
            if mover == CHANCE:
                self._draw_chance()
            elif mover is not None and mover in self._offenders:
                self._play_stand_in(mover)
            else:
                return mover
        return None

    def request(self) -> Request:
        """Return the request for the seat that must act now."""
        seat = self._mover()
        observation = self.state.observation(seat)
        # The protocol sends the legal actions beside the observation.
        legal = observation.pop("legal")
        events, self._unseen[seat] = self._unseen[seat], []
        return Request(seat, self.ply, events, observation, legal)

    def accept(self, text: str, *, cpu_ms: int, wall_ms: int) -> None:
        """Do the action of the seat that was asked; the caller has checked that it is legal."""
        self._act(Event(self._mover(), text, cpu_ms, wall_ms))

    def expel(self, fault: Fault) -> None:
        """Take the seat at fault out of the match; PROTOCOL.md states the consequence."""
        self.faults.append(fault)
        self._offenders.add(fault.seat)
        self.outcome = self._judge()

    def resign(self, seat: int) -> None:
        """Let a person give up their seat: they rank last, and a stand-in plays on if need be."""
        self._resigned = seat
        self._offenders.add(seat)
        self.outcome = self._judge()

    def has_left(self, seat: int) -> bool:
        """Return whether the seat has failed or given up."""
        return seat in self._offenders

    def final_outcome(self) -> Outcome:
        """Return the outcome of a match that is over."""
        if self.outcome is None:
            raise RuntimeError("the match is not over")
        return self.outcome

    def _draw_chance(self) -> None:
        text = self.state.sample_chance(chance_random(self._seed, draw=self._draws))
        self._draws += 1
        self._show(CHANCE, text)
        self.state.apply_chance(text)
        self._close_event(Event(CHANCE, text))

    def _play_stand_in(self, seat: int) -> None:
        action = self.state.random_action(stand_in_random(self._seed, ply=self.ply))
        self._act(Event(seat, self.state.text(action), is_stand_in=True))

    def _mover(self) -> int:
        seat = self.state.to_move
        if seat is None or seat == CHANCE:
            raise RuntimeError("seat_to_ask() has not named a seat")
        return seat

    def _act(self, event: Event) -> None:
        self._show(event.seat, event.text)
        self.state.apply_unchecked(self.state.parse(event.text))
        self._close_event(event)

    def _show(self, mover: int, text: str) -> None:
        for seat, unseen in enumerate(self._unseen):
            unseen.append((mover, self.state.event_for(seat, text)))

    def _close_event(self, event: Event) -> None:
        self.events.append(event)
        self.outcome = self._judge()

    def _judge(self) -> Outcome | None:
        return judge(self.state, self._offenders, resigned=self._resigned)


def chance_random(seed: int, *, draw: int) -> Random:
    """Return the generator for the draw with this index, the same in all matches of a seed."""
    return Random(f"{seed}:chance:{draw}")


def stand_in_random(seed: int, *, ply: int) -> Random:
    """Return the generator for the action of a stand-in."""
    return Random(f"{seed}:stand_in:{ply}")


def judge(
    state: State, offenders: Collection[int], *, resigned: int | None = None
) -> Outcome | None:
    """Return the outcome after faults, or None while the match goes on.

    A person who has `resigned` is among the offenders.

    Offenders rank behind everybody else and equal among themselves. If all seats failed, all have
    rank 1, so nobody is best. The match ends when at most one seat without a fault is left; until
    then stand-ins play for the offenders.
    """
    if not offenders:
        return state.outcome
    honest = [seat for seat in range(state.seats) if seat not in offenders]
    if len(honest) <= 1:
        # All but the honest seat come second, even if there is no honest seat.
        ranks = tuple(0 if seat in honest else 1 for seat in range(state.seats))
        has_failed = any(seat != resigned for seat in offenders)
        return Outcome(ranks, "fault" if has_failed else "resigned")
    if state.outcome is None:
        return None
    return Outcome(_demoted(state.outcome, honest), state.outcome.reason, state.outcome.scores)


def _demoted(outcome: Outcome, honest: list[int]) -> tuple[int, ...]:
    old = outcome.ranks
    return tuple(
        sum(old[other] < rank for other in honest) if seat in honest else len(honest)
        for seat, rank in enumerate(old)
    )
