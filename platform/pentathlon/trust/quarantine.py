"""Quarantines of worker tokens with doubtful results, which take nothing until staff have looked.

Each step is kept with its actor and reason.
"""

from __future__ import annotations

import math
import time
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from datetime import timedelta
from typing import Any, Final, NamedTuple

import structlog
from django.db import transaction
from django.db.models import Exists, OuterRef, QuerySet
from django.db.models.functions import Now

from pentathlon.accounts.audit.models import AuditAction, AuditedKind
from pentathlon.accounts.audit.services import note_action
from pentathlon.accounts.models import User
from pentathlon.accounts.roles import is_staff
from pentathlon.bots.services import checked_reason
from pentathlon.core.errors import Conflict, InvalidInput, NotAllowed
from pentathlon.fleet.models import WorkerToken
from pentathlon.insight.rivalry.models import Meeting
from pentathlon.insight.rivalry.scores import MILLION
from pentathlon.matches.attempts import party_of
from pentathlon.matches.models import Attempt, AttemptState, Match, MatchState
from pentathlon.matches.worker_tokens import take_back_matches
from pentathlon.tournaments.corrections.revocations import order_revocation
from pentathlon.trust.models import (
    LONGEST_REASON,
    CheckRun,
    CheckState,
    Quarantine,
    Review,
    SpotCheck,
    Verdict,
)
from pentathlon_engines.strength.sprt import WIN

FEWEST_RESULTS: Final = 30
"""The fewest results that say anything about a worker."""
_MOST_RATED: Final = 500
"""How many of the latest matches are read."""
_DUEL: Final = 2
MOST_REVIEWED: Final = 1000
"""The most results that are decided on at once."""
STANDS_OUT: Final = 6.0
"""How many standard deviations beyond all others a surprise must be to be no accident."""
_LOOK_EVERY_S: Final = 60.0
_LEFT_ALONE: Final = timedelta(days=1)
_log = structlog.stdlib.get_logger(__name__)


class Residual(NamedTuple):
    """The difference between one result and its prediction."""

    squared: float
    """The square of the difference between the actual and the expected share of the points."""
    variance: float
    """The mean of that square if ratings are right."""
    spread: float
    """The variance of that square."""


class Surprise(NamedTuple):
    """The sum of a worker's residuals."""

    results: int
    ratio: float
    """The squares in relation to their expectation; 1 is as much as chance explains."""
    excess: float
    """How many standard deviations the squares are above what those of all others suggest."""


def read_surprises(name: Callable[[str], str]) -> dict[str, Surprise]:
    """Return how surprising the latest rated results of slots are, by the `name` of the slot.

    Names with too few results are left out.
    """
    latest = Match.objects.recent().values_list("pk", "worker")[:_MOST_RATED]
    names = {match: name(worker) for match, worker in latest}
    found: defaultdict[str, list[Residual]] = defaultdict(list)
    for match, residual in _residuals(list(names)):
        found[names[match]].append(residual)
    return compare(found)


def compare(found: Mapping[str, Sequence[Residual]]) -> dict[str, Surprise]:
    """Compare each worker's residuals with their expectation, and with those of all others.

    Ratings that lag behind the truth make everybody's results surprising alike, so only what
    exceeds the others' ratio stands out.
    """
    totals = {name: _total(residuals) for name, residuals in found.items()}
    everything = _total(totals.values())
    surprises = {}
    for name, own in totals.items():
        if len(found[name]) < FEWEST_RESULTS or not own.variance:
            continue
        others = Residual(*(whole - part for whole, part in zip(everything, own, strict=True)))
        usual = max(1.0, others.squared / others.variance) if others.variance > 0 else 1.0
        deviation = math.sqrt(usual * own.spread)
        beyond = own.squared - usual * own.variance
        excess = beyond / deviation if deviation else 0.0
        surprises[name] = Surprise(len(found[name]), own.squared / own.variance, excess)
    return surprises


def _total(residuals: Iterable[Residual]) -> Residual:
    columns = list(zip(*residuals, strict=True)) or [(), (), ()]
    return Residual(*map(math.fsum, columns))


def _residuals(matches: Sequence[int]) -> Iterator[tuple[int, Residual]]:
    """Yield the residuals of rated duels whose meetings have been counted."""
    duels = Meeting.objects.filter(match__in=matches, seats=_DUEL, seat=0, expected__isnull=False)
    columns = ("match", "half_points", "expected", "variance")
    for match, points, expected, variance in duels.values_list(*columns):
        yield match, _residual(points / WIN, expected / MILLION, variance / MILLION)


def _residual(points: float, share: float, variance: float) -> Residual:
    # This is the spread of wins and losses; draws are rare and spread less.
    spread = variance * (1 - 2 * share) ** 2
    return Residual((points - share) ** 2, variance, spread)


@transaction.atomic
def begin_quarantine(
    *,
    token_id: int,
    reason: str,
    check: SpotCheck | None = None,
    questions_results: bool = True,
) -> None:
    """Put a token in quarantine: stop it, return its matches, question its results.

    The results since the token last agreed with another worker are in question, unless the reason
    has nothing to do with results. Nothing happens to a token that is in quarantine or revoked.
    """
    token = WorkerToken.objects.select_for_update().get(pk=token_id)
    if token.quarantined_at is not None or token.revoked_at is not None:
        return
    quarantine = Quarantine.objects.create(
        token=token,
        reason=reason[:LONGEST_REASON],
        check_of=check,
        after_attempt=_last_agreed(token_id) if questions_results else _last_attempt(token_id),
    )
    WorkerToken.objects.filter(pk=token_id).update(quarantined_at=Now())
    _audit(AuditAction.QUARANTINE_BEGIN, quarantine, actor=None, reason=reason)
    returned = take_back_matches(token, reason="The token of its worker is in quarantine.")
    _log.warning("quarantine", token=token.name, reason=reason, returned=returned)


class Watch:
    """Looks for tokens that should be in quarantine, at most once a minute."""

    def __init__(self, look: Callable[[], int]) -> None:
        self._look = look
        self._next_s = 0.0

    def step(self) -> int:
        """Look if it is time; return how many tokens went into quarantine."""
        if time.monotonic() < self._next_s:
            return 0
        self._next_s = time.monotonic() + _LOOK_EVERY_S
        return self._look()


def quarantine_surprising() -> int:
    """Put tokens in quarantine whose results stand out from all others'; return how many.

    A token that staff have released is left alone for a day, because the same results would stand
    out again.
    """
    lately = Quarantine.objects.filter(token=OuterRef("pk"), ended_at__gt=Now() - _LEFT_ALONE)
    open_tokens = WorkerToken.objects.filter(quarantined_at=None, revoked_at=None)
    tokens = {each.prefix: each for each in open_tokens.filter(~Exists(lately))}
    if not tokens:
        return 0
    found = {
        tokens[party]: surprise
        for party, surprise in read_surprises(party_of).items()
        if party in tokens and surprise.excess >= STANDS_OUT
    }
    for token, surprise in found.items():
        reason = (
            f"In its latest {surprise.results} rated results, the differences from what ratings "
            f"expect are {surprise.ratio:.1f} times what chance explains."
        )
        begin_quarantine(token_id=token.pk, reason=reason)
    return len(found)


@transaction.atomic
def review_results(
    *,
    actor: User,
    quarantine: Quarantine,
    verdict: Verdict,
    reason: str,
    match_ids: Collection[int] | None = None,
) -> int:
    """Decide on results in question, or on all that are left; return how many were decided on.

    At most `MOST_REVIEWED` are decided on at once. A decision is final. Revoked results are taken
    back soon after, together with their whole blocks.
    """
    _check_staff(actor)
    reason = checked_reason(reason)
    # Two members of staff must not decide on the same result at the same time.
    questioned = undecided(Quarantine.objects.select_for_update().get(pk=quarantine.pk))
    if match_ids is not None:
        if not match_ids:
            raise InvalidInput("Choose at least one result.", code="required", field="matches")
        questioned = questioned.filter(match__in=match_ids)
    found = list(questioned.values_list("match_id", flat=True)[:MOST_REVIEWED])
    if match_ids is not None and (strange := set(match_ids) - set(found)):
        raise InvalidInput(
            f"Match {min(strange)} is not in question here, or has already been decided.",
            code="not_in_question",
            field="matches",
        )
    Review.objects.bulk_create(
        Review(
            quarantine=quarantine,
            match_id=match,
            verdict=verdict,
            reason=reason,
            actor=actor,
            is_carried_out=verdict == Verdict.KEEP,
        )
        for match in found
    )
    _audit(
        AuditAction.QUARANTINE_REVIEW,
        quarantine,
        actor=actor,
        reason=reason,
        verdict=verdict.value,
        results=len(found),
    )
    return len(found)


def undecided(quarantine: Quarantine) -> QuerySet[Attempt]:
    """Return the attempts in question that nobody has decided on, the latest first."""
    decided = Review.objects.filter(quarantine=quarantine, match=OuterRef("match"))
    return quarantine.questioned.filter(
        ~Exists(decided), match__state=MatchState.DONE, match__is_revoked=False
    )


@transaction.atomic
def end_quarantine(*, actor: User, quarantine: Quarantine, reason: str) -> None:
    """Release a token from quarantine after all its questioned results are decided."""
    _check_staff(actor)
    reason = checked_reason(reason)
    locked = Quarantine.objects.select_for_update().get(pk=quarantine.pk)
    if locked.ended_at is not None:
        raise Conflict("This quarantine is over.", code="wrong_state")
    if undecided(locked).exists():
        raise Conflict(
            "Decide first which of its results to keep and which to revoke.", code="undecided"
        )
    locked.ended_by, locked.end_reason = actor, reason
    locked.save(update_fields=("ended_by", "end_reason"))
    Quarantine.objects.filter(pk=locked.pk).update(ended_at=Now())
    WorkerToken.objects.filter(pk=locked.token_id).update(quarantined_at=None)
    _audit(AuditAction.QUARANTINE_END, locked, actor=actor, reason=reason)


def revoke_reviewed() -> int:
    """Take back some of the results that staff have revoked; return how many."""
    review = Review.objects.filter(is_carried_out=False).order_by("quarantine", "pk").first()
    if review is None:
        return 0
    alike = Review.objects.filter(
        quarantine=review.quarantine_id, reason=review.reason, is_carried_out=False
    ).order_by("pk")
    part = list(alike.values_list("match_id", flat=True)[:MOST_REVIEWED])
    standing = Match.objects.filter(pk__in=part, state=MatchState.DONE, is_revoked=False)
    if taken := order_revocation(standing, reason=review.reason):
        return taken
    return alike.filter(match__in=part).update(is_carried_out=True)


def _audit(
    action: AuditAction,
    quarantine: Quarantine,
    *,
    actor: User | None,
    reason: str,
    **details: Any,  # Any: JSON
) -> None:
    note_action(
        action,
        actor=actor,
        kind=AuditedKind.QUARANTINE,
        object_id=quarantine.pk,
        object_name=quarantine.token.name,
        reason=reason,
        **details,
    )


def _check_staff(actor: User) -> None:
    if not is_staff(actor):
        raise NotAllowed("Only staff decide on results of workers.", code="staff_only")


def _last_agreed(token_id: int) -> int:
    """Return the id of a token's latest attempt that agreed with another worker's; 0 if none."""
    agreed = CheckRun.objects.filter(party=token_id, check_of__state=CheckState.AGREED)
    match = agreed.order_by("-pk").values_list("match_id", flat=True).first()
    own = Attempt.objects.filter(match=match, worker_token=token_id, state=AttemptState.ACCEPTED)
    return own.values_list("pk", flat=True).first() or 0


def _last_attempt(token_id: int) -> int:
    own = Attempt.objects.filter(worker_token=token_id)
    return own.order_by("-pk").values_list("pk", flat=True).first() or 0
