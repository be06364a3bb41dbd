"""Strikes running tournaments at random, spread evenly over their matches, until all are over."""

import time
from collections import Counter, deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Final, TypeVar

from django.db import Error as DatabaseError
from django.db import connection
from kombu.exceptions import OperationalError as BrokerAway
from redis import RedisError

from pentathlon.local.servers.processes import ServerFailed
from pentathlon.matches.models import Match, MatchQuerySet, MatchState
from pentathlon.tournaments.corrections.orders import requeue_match
from pentathlon.tournaments.models import Tournament, TournamentState
from tools.chaos.crew import Crew
from tools.chaos.ladder import LadderUnderFire
from tools.chaos.scene import Scene, Strike

_TICK_S: Final = 0.1
_LOOK_S: Final = 0.3
_AWAY_S: Final = 60.0
_STANDSTILL_S: Final = 240.0

Answer = TypeVar("Answer")
Show = Callable[[str], None]


class Repairs:
    """Pending repairs and their times."""

    def __init__(self) -> None:
        self._waiting: list[tuple[float, Callable[[], None]]] = []

    def later(self, after_s: float, action: Callable[[], None]) -> None:
        """Schedule a repair after some seconds."""
        self._waiting.append((time.monotonic() + after_s, action))

    def do_due(self) -> None:
        """Make the repairs that are due; retry later those whose server is away."""
        now = time.monotonic()
        due = [repair for repair in self._waiting if repair[0] <= now]
        self._waiting = [repair for repair in self._waiting if repair[0] > now]
        for _, action in due:
            try:
                action()
            except (BrokerAway, DatabaseError, OSError, RedisError):
                connection.close()
                self.later(1.0, action)

    def __len__(self) -> int:
        return len(self._waiting)


@dataclass
class Storm:
    """The planned strikes, and what became of them."""

    scene: Scene
    repairs: Repairs
    strikes: Sequence[Strike]
    kinds: Sequence[Strike]
    """All kinds of strike that are possible on this host."""
    done: Counter[str] = field(default_factory=Counter)
    requeued: int = 0

    @property
    def crew(self) -> Crew:
        """The processes under fire."""
        return self.scene.crew

    def rage_over(
        self,
        tournaments: Sequence[Tournament],
        *,
        ladder: LadderUnderFire,
        matches: int,
        show: Show,
    ) -> None:
        """Strike while matches are played; return when tournaments are closed and all is repaired.

        `matches` is the least number of matches that are played; all strikes are done by then.

        Raises:
            ServerFailed: nothing was played for minutes.
        """
        left = deque(self.strikes)
        played, progress_at = -1, time.monotonic()
        is_over = False
        while len(self.repairs) or not is_over:
            self._keep_running(_LOOK_S)
            every = [*tournaments, *self._retry(ladder.tables)]
            now_played = self._retry(partial(_count_ended, every))
            if now_played != played:
                played, progress_at = now_played, time.monotonic()
            elif time.monotonic() - progress_at > _STANDSTILL_S:
                raise ServerFailed("The platform", f"stands still at {played} of {matches}.")
            show(
                f"{played} of {matches} matches, {self.done.total()} of {len(self.strikes)} faults"
            )
            if left and played >= self._due(left, matches):
                self._strike(left)
            self._requeue(every)
            ladder_is_over = self._retry(ladder.move_on)
            is_over = ladder_is_over and self._retry(lambda: _are_closed(tournaments))

    def wait_until(self, is_true: Callable[[], bool], *, what: str, patience_s: float) -> None:
        """Keep everything running until a condition is true."""
        deadline = time.monotonic() + patience_s
        while not self._retry(is_true):
            if time.monotonic() > deadline:
                raise ServerFailed("The platform", f"did not get there: {what}.")
            self._keep_running(_TICK_S)

    def _due(self, left: Sequence[Strike], matches: int) -> int:
        """Return after how many matches the next strike comes."""
        number = len(self.strikes) - len(left) + 1
        return number * matches // (len(self.strikes) + 1)

    def _strike(self, left: deque[Strike]) -> None:
        """Do the next strike that finds a victim; if none does, try strikes of other kinds."""
        others = list(self.kinds)
        self.scene.rng.shuffle(others)
        for strike in (*left, *others):
            if self._is_felt(strike):
                self.done[strike.name] += 1
                left.remove(strike if strike in left else left[0])
                return

    def _is_felt(self, strike: Strike) -> bool:
        try:
            return strike.do(self.scene)
        except (BrokerAway, DatabaseError, OSError, RedisError):
            connection.close()
            return False

    def _keep_running(self, for_s: float) -> None:
        until = time.monotonic() + for_s
        while time.monotonic() < until:
            self.crew.tend()
            self.repairs.do_due()
            time.sleep(_TICK_S)

    def _requeue(self, tournaments: Sequence[Tournament]) -> None:
        """Requeue, as an organiser would, matches that this host failed to play three times."""
        void = _matches(tournaments, MatchState.VOID).select_related("place__tournament__owner")
        for match in self._retry(lambda: list(void.all())):
            owner = match.place.tournament.owner
            self._retry(partial(requeue_match, actor=owner, match=match))
            self.requeued += 1

    def _retry(self, ask: Callable[[], Answer]) -> Answer:
        """Return the database's answer; make the repairs that are due while it is away."""
        deadline = time.monotonic() + _AWAY_S
        while True:
            try:
                return ask()
            except DatabaseError:
                connection.close()
                if time.monotonic() > deadline:
                    raise
                self._keep_running(_TICK_S)


def _are_closed(tournaments: Sequence[Tournament]) -> bool:
    ids = [tournament.pk for tournament in tournaments]
    left = Tournament.objects.filter(pk__in=ids).exclude(state=TournamentState.CLOSED)
    return not left.exists()


def _count_ended(tournaments: Sequence[Tournament]) -> int:
    return _matches(tournaments, MatchState.DONE).count()


def _matches(tournaments: Sequence[Tournament], state: MatchState) -> MatchQuerySet:
    return Match.objects.filter(place__tournament__in=tournaments, state=state)
