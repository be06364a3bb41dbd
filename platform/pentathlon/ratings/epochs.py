"""Starts a new epoch of a leaderboard with the parameters that predict results best.

Draw probability and noise (beta) are frozen while an epoch lasts, for a change moves every rating.
A refit estimates both from the results, writes a new pool beside the old one, part by part, and
then lets both change names in one short transaction. The old epoch keeps its ledger as it was;
results that come in for it later are handed over when they are applied.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from django.db import transaction
from django.db.models.functions import Now

from pentathlon.accounts.audit.models import AuditAction, AuditedKind
from pentathlon.accounts.audit.services import note_action
from pentathlon.core.arithmetic import fingerprint_after
from pentathlon.core.errors import Conflict
from pentathlon.ratings.models import LedgerRow, LedgerState, Pool, epoch_key
from pentathlon.ratings.recompute import Chunk, insert_rows, ledger_chunks, store_ratings
from pentathlon.ratings.scopes import revoke_rows
from pentathlon.ratings.skill import BETA, Result, Skill, rate
from pentathlon_engines.strength.pair_model import DRAW, WIN, draw_margin, outcomes

FEWEST_RESULTS: Final = 200
"""The fewest results for a refit; fewer say too little about the share of draws."""
_LATEST: Final = 20_000
_GOLDEN: Final = (math.sqrt(5) - 1) / 2
_STEPS: Final = 10
_DRAWS: Final = (0.005, 0.5)
_BETAS: Final = (BETA / 3, BETA * 3)
_AT_ONCE: Final = 500
"""Ledger rows in one transaction; their changes come on top."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Numbers:
    """The parameters of an epoch, and how badly they predict results."""

    draw_probability: float
    beta: float
    log_loss: float
    """The mean of -log(p), where p is the predicted probability of the outcome between two."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Refit:
    """The result of a refit."""

    before: Numbers
    after: Numbers
    epoch: int
    """The current epoch after the refit."""


def log_loss(results: Sequence[Result], *, draw_probability: float, beta: float) -> float:
    """Return how badly the rating rule predicts results, each from those before it."""
    skills: dict[int, Skill] = {}
    margin = draw_margin(draw_probability) * math.sqrt(2) * beta
    losses = []
    for result in results:
        before = [skills.get(player, Skill()) for player in result.players]
        losses += _losses(before, result.ranks, margin, beta)
        after = rate(before, result.ranks, draw_probability=draw_probability, beta=beta)
        skills.update(zip(result.players, after, strict=True))
    return math.fsum(losses) / max(1, len(losses))


def estimate(results: Sequence[Result], *, draw_probability: float, beta: float) -> Numbers:
    """Return the numbers that predict results best, searched from given ones."""
    for _ in range(2):
        draw_probability = _best_draws(results, beta)
        beta = _best_beta(results, draw_probability)
    found = log_loss(results, draw_probability=draw_probability, beta=beta)
    return Numbers(draw_probability=draw_probability, beta=beta, log_loss=found)


def refit(*, pool: Pool) -> Refit:
    """Begin a new epoch of a live leaderboard, unless its present parameters predict best already.

    An interrupted refit continues where it stopped. Results are applied meanwhile as usual.

    Raises:
        Conflict: there are too few results, or a recompute has to come first.
    """
    if pool.applied_seq < FEWEST_RESULTS:
        raise Conflict(
            f"{pool.title} has {pool.applied_seq} results; a refit needs {FEWEST_RESULTS}.",
            code="too_few_results",
        )
    if pool.is_outdated or pool.is_newer:
        raise Conflict(f"Recompute {pool.key} first.", code="stale_ratings")
    results = _latest_results(pool)
    draws, beta = pool.draw_probability, pool.beta
    loss = log_loss(results, draw_probability=draws, beta=beta)
    before = Numbers(draw_probability=draws, beta=beta, log_loss=loss)
    after = estimate(results, draw_probability=draws, beta=beta)
    if after.log_loss >= before.log_loss:
        return Refit(before=before, after=before, epoch=pool.epoch)
    new = _new_epoch(pool, after)
    _catch_up(pool, new)
    while not _switch(pool, new):
        pool.refresh_from_db()
        _catch_up(pool, new)
    return Refit(before=before, after=after, epoch=new.epoch)


def _new_epoch(pool: Pool, numbers: Numbers) -> Pool:
    """Return the pool of the next epoch; it exists if an earlier refit was cut off."""
    new, _ = Pool.objects.get_or_create(
        key=epoch_key(pool.key, pool.epoch + 1),
        defaults={
            "game": pool.game,
            "title": pool.title,
            "scope": pool.scope,
            "setting": pool.setting,
            "epoch": pool.epoch + 1,
            "draw_probability": numbers.draw_probability,
            "beta": numbers.beta,
        },
    )
    return new


def _catch_up(pool: Pool, new: Pool) -> None:
    """Bring a new epoch to where the old one is, in parts."""
    for chunk in ledger_chunks(pool, after=new.applied_seq):
        _copy(pool, new, chunk)
    while _revoke_as_in(pool, new):
        pass


@transaction.atomic
def _copy(pool: Pool, new: Pool, chunk: Chunk) -> None:
    """Enter a part of the old ledger into the new one, with its own changes and ratings."""
    _lock(new)
    if new.applied_seq >= chunk.last:  # by another refit, at the same time
        return
    old = pool.rows.filter(seq__range=(chunk.first, chunk.last)).order_by("seq")
    rows = [
        LedgerRow(
            pool=new,
            match_id=row.match_id,
            state=row.state,
            seq=row.seq,
            reason=row.reason,
            course=row.course,
            ended_at=row.ended_at,
            applied_at=Now(),
        )
        for row in old
    ]
    LedgerRow.objects.bulk_create(rows)
    ids = dict(new.rows.filter(seq__gte=chunk.first).values_list("seq", "pk"))
    results = [each._replace(row_id=ids[each.seq]) for each in chunk.results]
    players = {player for each in results for player in each.result.players}
    lines = {rating.version_id: rating.line for rating in new.ratings.filter(version__in=players)}
    book = new.book(lines)
    own = Chunk(first=chunk.first, last=chunk.last, results=results)
    insert_rows(own.lines(book))
    store_ratings(new, book)
    new.fingerprint = fingerprint_after(new.fingerprint, is_first=new.applied_seq == 0)
    new.applied_seq = chunk.last
    new.save(update_fields=("fingerprint", "applied_seq"))


@transaction.atomic
def _revoke_as_in(pool: Pool, new: Pool) -> int:
    """Revoke results in the new epoch that were revoked in the old one after being copied."""
    _lock(new)
    gone = pool.rows.filter(state=LedgerState.REVOKED, seq__isnull=False)
    standing = new.rows.filter(seq__in=gone.values("seq"), state=LedgerState.APPLIED)
    found = list(standing.order_by("seq").values_list("pk", flat=True)[:_AT_ONCE])
    if found:
        revoke_rows(new, new.rows.filter(pk__in=found))
        new.is_stale, new.ledger_version = True, new.ledger_version + 1
        new.save(update_fields=("is_stale", "ledger_version"))
    return len(found)


@transaction.atomic
def _switch(pool: Pool, new: Pool) -> bool:
    """Switch to the new epoch, unless too many results arrived since it was copied."""
    pools = Pool.objects.filter(pk__in=(pool.pk, new.pk)).order_by("pk")
    locked = {found.pk: found for found in pools.select_for_update()}
    old, next_one = locked[pool.pk], locked[new.pk]
    is_near = old.applied_seq - new.applied_seq <= _AT_ONCE // 2
    if not is_near or _revoke_as_in(old, next_one) == _AT_ONCE:
        return False
    for chunk in ledger_chunks(old, after=new.applied_seq):
        _copy(old, next_one, chunk)
    key = old.key
    old.key = epoch_key(key, old.epoch)
    old.save(update_fields=("key",))
    next_one.key = key
    next_one.save(update_fields=("key",))
    note_action(
        AuditAction.RATINGS_REFIT,
        actor=None,
        kind=AuditedKind.POOL,
        object_id=next_one.pk,
        object_name=key,
        command="refit_game",
        epoch=next_one.epoch,
    )
    return True


def _lock(new: Pool) -> None:
    new.refresh_from_db(from_queryset=Pool.objects.select_for_update())


def _latest_results(pool: Pool) -> list[Result]:
    after = max(0, pool.applied_seq - _LATEST)
    chunks = ledger_chunks(pool, after=after)
    results = (each.result for chunk in chunks for each in chunk.results)
    return [result for result in results if result.teaches]


def _losses(
    skills: Sequence[Skill], ranks: Sequence[int], margin: float, beta: float
) -> list[float]:
    """Return minus the logarithms of the probabilities of neighbours in a ranking."""
    order = sorted(range(len(ranks)), key=lambda seat: (ranks[seat], seat))
    found = []
    for upper, lower in pairwise(order):
        first, second = skills[upper], skills[lower]
        unit = math.sqrt(2 * beta**2 + first.sigma**2 + second.sigma**2)
        seen = DRAW if ranks[upper] == ranks[lower] else WIN
        chances = outcomes((first.mu - second.mu) / unit, margin / unit).probabilities
        found.append(-math.log(max(chances[seen], 1e-12)))
    return found


def _best_draws(results: Sequence[Result], beta: float) -> float:
    return _lowest(lambda share: log_loss(results, draw_probability=share, beta=beta), _DRAWS)


def _best_beta(results: Sequence[Result], draws: float) -> float:
    return _lowest(lambda noise: log_loss(results, draw_probability=draws, beta=noise), _BETAS)


def _lowest(height: Callable[[float], float], bounds: tuple[float, float]) -> float:
    """Return where a function of a positive number is lowest, by golden section of logarithms."""
    low, high = (math.log(bound) for bound in bounds)
    inner = [high - _GOLDEN * (high - low), low + _GOLDEN * (high - low)]
    heights = [height(math.exp(point)) for point in inner]
    for _ in range(_STEPS):
        if heights[0] < heights[1]:
            high, inner[1], heights[1] = inner[1], inner[0], heights[0]
            inner[0] = high - _GOLDEN * (high - low)
            heights[0] = height(math.exp(inner[0]))
        else:
            low, inner[0], heights[0] = inner[0], inner[1], heights[1]
            inner[1] = low + _GOLDEN * (high - low)
            heights[1] = height(math.exp(inner[1]))
    return math.exp(inner[0] if heights[0] < heights[1] else inner[1])
