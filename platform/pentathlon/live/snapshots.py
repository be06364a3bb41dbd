"""What the database says now of matches and tournaments that somebody follows."""

from __future__ import annotations

import hashlib
from collections.abc import Collection
from dataclasses import asdict, dataclass
from typing import Final

from django.db.models import Exists, OuterRef

from pentathlon.live.messages import StreamEvent, message
from pentathlon.matches.hidden_lanes import HiddenLane
from pentathlon.matches.models import Match, MatchState
from pentathlon.tournaments.models import Tournament, TournamentState

HIDDEN: Final = "hidden"
"""The state of a match for those who may not see it any more."""
_OVER: Final = (MatchState.DONE, MatchState.VOID, HIDDEN)
_ENDED: Final = (TournamentState.CLOSED, TournamentState.CANCELLED)


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchNow:
    """How a match stands."""

    match: int
    state: str
    attempt: int = 0
    ply: int = 0
    is_hidden: bool = False
    """Whether not everybody may see it."""

    def shown(self, *, is_private: bool) -> MatchNow:
        """Return what a reader may know, who may see private matches or not."""
        if self.is_hidden and not is_private:
            return MatchNow(match=self.match, state=HIDDEN)
        return self

    @property
    def is_over(self) -> bool:
        """Whether there is nothing more to follow."""
        return self.state in _OVER

    def message(self) -> StreamEvent:
        """Tell it; a match that is over needs the page with its replay, and no more."""
        facts = asdict(self)
        del facts["is_hidden"]
        return message("end" if self.is_over else "state", facts)


@dataclass(frozen=True, slots=True, kw_only=True)
class TournamentNow:
    """What changes whenever something that a tournament shows does."""

    state: str
    mark: str
    """Another one after every change; while results are hidden, they do not change it."""

    @property
    def is_over(self) -> bool:
        """Whether nothing will change any more."""
        return self.state in _ENDED

    def message(self, tournament: int) -> StreamEvent:
        """Tell that something has changed; a page shows it, and knows who may see what."""
        name = "end" if self.is_over else "changed"
        facts = {"tournament": tournament, "state": self.state}
        return message(name, facts, event_id=self.mark)


@dataclass(frozen=True, slots=True, kw_only=True)
class Snapshot:
    """How everything stands that somebody follows."""

    matches: dict[int, MatchNow]
    tournaments: dict[int, TournamentNow]


def read_snapshot(matches: Collection[int], tournaments: Collection[int]) -> Snapshot:
    """Read how these stand, with a number of queries that does not depend on how many follow."""
    return Snapshot(
        matches={now.match: now for now in matches_now(matches)} if matches else {},
        tournaments={pk: tournament_now(pk) for pk in tournaments},
    )


def matches_now(matches: Collection[int]) -> list[MatchNow]:
    """Return how matches stand, whoever may see them."""
    found = Match.objects.filter(pk__in=matches).with_privacy().order_by("pk")
    return [
        MatchNow(
            match=match.pk,
            state=match.state,
            attempt=match.attempts_made,
            ply=match.ply,
            is_hidden=match.is_private,
        )
        for match in found.only("state", "attempts_made", "ply", "kind")
    ]


def tournament_now(pk: int) -> TournamentNow:
    """Return what changes whenever something that a tournament shows does."""
    hidden = HiddenLane.objects.in_force().filter(lane=OuterRef("pk"))
    found = Tournament.objects.filter(pk=pk).annotate(is_kept=Exists(hidden))
    row = found.values_list("state", "is_kept").first()
    if row is None:
        return TournamentNow(state=TournamentState.CANCELLED, mark="gone")
    state, is_kept = row
    if is_kept:
        return TournamentNow(state=state, mark=_mark_of(state, HIDDEN))
    lane = Match.objects.of_lane(pk)
    done = lane.filter(state=MatchState.DONE)
    latest = done.order_by("-finished_at").values_list("pk", "finished_at")[:1]
    void = lane.filter(state=MatchState.VOID).order_by("-pk").values_list("pk")[:1]
    return TournamentNow(state=state, mark=_mark_of(state, *latest, *void))


def _mark_of(*facts: object) -> str:
    return hashlib.sha256(repr(facts).encode()).hexdigest()[:16]
