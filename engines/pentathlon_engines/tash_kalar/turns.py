"""How a turn of Tash-Kalar ends, and the match with it (5.7, 11, 12)."""

from __future__ import annotations

from pentathlon_engines.contract.game import CHANCE, Outcome
from pentathlon_engines.tash_kalar import events, tasks
from pentathlon_engines.tash_kalar.geometry import RULES, bits_of
from pentathlon_engines.tash_kalar.resolving import Resolving
from pentathlon_engines.tash_kalar.table import (
    BY_CAP,
    BY_DECK,
    BY_POINTS,
    DEATHMATCH,
    HAND_BEINGS,
    HAND_LEGENDS,
    MAIN,
    MODES,
    OVER,
    RANKS_EACH,
    REASONS,
    SHUFFLING,
    TURN_ACTIONS,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

GOALS: Final[tuple[int, ...]] = tuple(RULES["goal"][mode] for mode in MODES)
FINAL_TURNS: Final[int] = RULES["final_turns"]
TURN_CAP: Final[int] = RULES["turn_cap"]


class Turns(Resolving):
    """From a claim to the next turn."""

    __slots__ = ()

    def _claim(self, task: int) -> None:
        """Score a task and fill the row (11.2)."""
        self.points[self.active] += tasks.POINTS[task]
        self.claimed[self.active].append(task)
        self.current &= ~(1 << task)
        if self.next_task >= 0:
            self.current |= 1 << self.next_task
        self.turn_up()

    def turn_up(self) -> None:
        """Turn up the next task; those that do not fit go under the deck (4.2, 11.2)."""
        self.next_task = -1
        open_tasks = bits_of(self.current)
        for _ in range(len(self.tasks)):
            if self.next_task >= 0:
                self.tasks.insert(0, self.next_task)
                self.under += 1
            self.next_task = self.tasks.pop()
            self.under = min(self.under, len(self.tasks))
            if tasks.is_mixed([*open_tasks, self.next_task]):
                return

    def _end_turn(self) -> None:
        """Score what was destroyed, then draw (5.7)."""
        seat = self.active
        if self.mode == DEATHMATCH:
            commons, heroics, legendaries = self.destroyed
            self.points[seat] += 2 * legendaries + heroics + commons // 2
        self.drawn = [0, 0, 0]
        self._draw_beings(HAND_BEINGS - self.hand_of(seat, 0).bit_count())
        lacking = HAND_LEGENDS - self.hand_of(seat, 1).bit_count()
        self.owed = [max(0, lacking), int(self.hand_of(seat, 2) == 0), self.extra_draws[1]]
        self._draw_on()

    def _draw_beings(self, most: int) -> None:
        """Draw so many beings, or all there are; none if it is less than one."""
        deck = self.decks[self.active]
        for _ in range(min(len(deck), most)):
            self.hands[self.active] |= 1 << deck.pop()
            self.drawn[0] += 1

    def _draw_on(self) -> None:
        """Draw what is still owed, unless a shared deck must be shuffled anew first (3.5).

        What is granted beyond the limits comes last (5.7).
        """
        if self._draws_all(0, 0) and self._draws_all(1, 1) and self._draws_all(2, 0):
            self._draw_beings(self.extra_draws[0])
            if any(self.drawn):
                self.log.append(events.draw(self.active, self.drawn))
            self.drawn = [0, 0, 0]
            self._close_turn()

    def _draws_all(self, part: int, kind: int) -> bool:
        """Draw legends or flares; say whether that went without a new deck."""
        deck, pile = (self.flares, self.flare_pile) if kind else (self.legends, self.legend_pile)
        while self.owed[part]:
            if not deck:
                if pile:
                    return self._await_shuffle(kind)
                self.owed[part] = 0
                break
            self.hands[self.active] |= 1 << deck.pop()
            self.owed[part] -= 1
            self.drawn[1 + kind] += 1
            if not deck and pile:
                return self._await_shuffle(kind)
        return True

    def _await_shuffle(self, kind: int) -> bool:
        self.new_deck = kind
        self.phase = SHUFFLING
        self.to_move = CHANCE
        return False

    def _close_turn(self) -> None:
        """Test for the end of the match, then let the next seat begin (12)."""
        seat = self.active
        if self.trigger >= 0 and not self.extra_turn:
            self.turns_left -= 1
        elif self.trigger < 0:
            self._look_for_trigger(seat)
        extra = self.extra_granted
        if self.trigger >= 0 and self.turns_left == 0 and not extra:
            self._end_match(self.trigger)
        elif self.turn >= TURN_CAP:
            self._end_match(BY_CAP)
        else:
            self._begin_turn(seat if extra else 1 - seat, extra=extra)

    def _look_for_trigger(self, seat: int) -> None:
        """Begin the final turns if a deck is empty or somebody has enough points (12.1)."""
        if max(self.score(0), self.score(1)) >= GOALS[self.mode]:
            self.trigger = BY_POINTS
        elif not self.decks[seat]:
            self.trigger = BY_DECK
        else:
            return
        self.trigger_seat = seat
        self.turns_left = FINAL_TURNS

    def _begin_turn(self, seat: int, *, extra: bool) -> None:
        self.turn += 1
        self.active = self.to_move = seat
        self.phase = MAIN
        self.actions_left = TURN_ACTIONS
        if self.slowed == seat:
            self.actions_left -= 1
            self.slowed = -1
        self.clear_turn()
        self.extra_turn = extra

    def clear_turn(self) -> None:
        """Reset counters and permissions of a turn."""
        self.discarded = self.war = self.possessed = self.directly = False
        self.voids = self.doubled = False
        self.extra_granted = self.extra_turn = False
        self.extra_draws = [0, 0]
        self.destroyed = [0] * RANKS_EACH
        self.summoned = []
        self.raised = self.warped = 0

    def _end_match(self, reason: int) -> None:
        self.clear_turn()
        self.outcome = self.ending(reason)
        self.to_move = None
        self.phase = OVER

    def ending(self, reason: int) -> Outcome:
        """Compare points, upgraded pieces and pieces (12.4)."""
        keys = [(self.score(seat), self.count_upgraded(seat), self.count(seat)) for seat in (0, 1)]
        scores = (keys[0][0], keys[1][0])
        if keys[0] == keys[1]:
            return Outcome((0, 0), REASONS[reason], scores)
        return Outcome((0, 1) if keys[0] > keys[1] else (1, 0), REASONS[reason], scores)
