"""Makes datasets of closed tournaments, part by part, without delaying work that matches need."""

from __future__ import annotations

import io
import json
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from typing import Final

import structlog
from django.db import transaction
from django.db.models import Exists, F, OuterRef, Q, Sum
from django.db.models.functions import Length, Now

from pentathlon.core.bulkheads import Bulkheads
from pentathlon.insight.datasets.models import Dataset, DatasetPart, hiding_lanes
from pentathlon.matches.models import MatchState
from pentathlon.matches.replays.services import read_record
from pentathlon.ratings.models import Pool, RatingChange
from pentathlon.tournaments.models import (
    Tournament,
    TournamentMatch,
    TournamentQuerySet,
    TournamentState,
)
from pentathlon_engines import GAMES
from pentathlon_engines.dataset.folder import (
    digest_of,
    pack_lines,
    parquet_name,
    part_name,
    sums_of,
)
from pentathlon_engines.dataset.rows import (
    DECISIONS,
    MATCHES,
    VERSION,
    Row,
    Source,
    decision_rows,
    match_row,
)
from pentathlon_engines.errors import EngineError
from pentathlon_engines.record.record import canonical

STEP_S: Final = 0.1
"""Seconds that one step works; with two steps a second, at most a fifth of a core."""
_MATCHES_AT_ONCE: Final = 4
_PART_BYTES: Final = 4_000_000
"""Bytes of lines that fill a part: it unpacks in some 20 ms, and the largest match has 2 MB."""
_log = structlog.stdlib.get_logger(__name__)
_datasets = Bulkheads[int]("dataset of tournament")
_SKILL = tuple[float, float]


@dataclass(slots=True, kw_only=True)
class _Draft:
    """The next part of a dataset, in memory until it is full."""

    dataset: int
    number: int
    cursor: int
    left_out: int = 0
    lines: dict[str, bytearray] = field(
        default_factory=lambda: {DECISIONS: bytearray(), MATCHES: bytearray()}
    )
    rows: dict[str, int] = field(default_factory=lambda: {DECISIONS: 0, MATCHES: 0})

    @property
    def size(self) -> int:
        return sum(map(len, self.lines.values()))

    def add(self, table: str, row: Row) -> None:
        self.lines[table] += canonical(row) + b"\n"
        self.rows[table] += 1


class DatasetMaker:
    """The reconciler's step. An interrupted part is made again by the next leader."""

    def __init__(self, *, part_bytes: int = _PART_BYTES) -> None:
        self._draft: _Draft | None = None
        self._part_bytes = part_bytes

    def make_datasets(self, *, for_s: float = STEP_S) -> int:
        """Continue the oldest unfinished dataset; return how many datasets became whole.

        One with a damaged replay waits until that is mended: a dataset is frozen, so no match may
        be missing. Meanwhile the next one is made.
        """
        deadline = time.monotonic() + for_s
        for dataset in _take_up_next():
            made = _datasets.run(dataset.tournament_id, partial(self._extend, dataset, deadline))
            if made is not None:
                return made
        return 0

    def _extend(self, dataset: Dataset, deadline: float) -> int:
        draft = self._draft_of(dataset)
        while time.monotonic() < deadline:
            places = _next_places(dataset, draft.cursor)
            _add_matches(draft, places)
            is_last = len(places) < _MATCHES_AT_ONCE
            if is_last or draft.size >= self._part_bytes:
                self._draft = None
                is_stored = _store(draft, _pack(draft))
                return int(is_stored and is_last and _finish(dataset.pk))
        return 0

    def _draft_of(self, dataset: Dataset) -> _Draft:
        place = (dataset.pk, dataset.parts + 1)
        if self._draft is None or (self._draft.dataset, self._draft.number) != place:
            self._draft = _Draft(
                dataset=dataset.pk, number=dataset.parts + 1, cursor=dataset.cursor
            )
        return self._draft


def part_digests(dataset: Dataset) -> bytes:
    """Return `SHA256SUMS` of a dataset."""
    rows = dataset.part_rows.order_by("table", "number")
    digests = rows.values_list("table", "number", "sha256", "parquet_sha256")

    def pairs() -> Iterator[tuple[str, str]]:
        for table, number, lines, parquet in digests:
            yield part_name(table, number), lines
            if dataset.parquet_bytes is not None:
                yield parquet_name(table, number), parquet

    return sums_of(pairs())


def has_parquet() -> bool:
    """Return whether this process can make Parquet: the extra `parquet` is installed."""
    return find_spec("pyarrow") is not None


def _take_up_next() -> Iterator[Dataset]:
    """Yield the unfinished datasets, then begin that of the next tournament."""
    yield from Dataset.objects.filter(is_whole=False).order_by("pk")
    due = _due_tournaments().order_by("finished_at", "pk").first()
    if due is None:
        return
    made, _ = Dataset.objects.get_or_create(
        tournament=due,
        edition=due.results_version,
        defaults={
            "game": due.game,
            "schema_version": VERSION,
            "rules_version": due.rules_version,
        },
    )
    yield made


def _due_tournaments() -> TournamentQuerySet:
    """Return closed tournaments with public results and without a dataset of this edition.

    They were played by the rules of this release, which alone can play their records again.
    """
    playable = Q()
    for key, game in GAMES.items():
        playable |= Q(game=key, rules_version=game.info.version)
    have = Dataset.objects.filter(tournament=OuterRef("pk"), edition=OuterRef("results_version"))
    closed = Tournament.objects.filter(
        playable, state=TournamentState.CLOSED, revealed_at__isnull=False
    )
    return closed.exclude(Exists(have)).exclude(Exists(hiding_lanes("pk")))


def _next_places(dataset: Dataset, cursor: int) -> list[TournamentMatch]:
    """Return the next matches that count, in the order of the schedule."""
    counting = TournamentMatch.objects.filter(
        tournament=dataset.tournament_id,
        index__gt=cursor,
        match__state=MatchState.DONE,
        match__is_revoked=False,
        match__rules_version=dataset.rules_version,
        match__replay__isnull=False,
    )
    rows = counting.select_related("match__replay").prefetch_related("match__seats")
    return list(rows.order_by("index")[:_MATCHES_AT_ONCE])


def _add_matches(draft: _Draft, places: Sequence[TournamentMatch]) -> None:
    skills = _skills_before([place.match_id for place in places])
    for place in places:
        seats = sorted(place.match.seats.all(), key=lambda seat: seat.seat)
        source = Source(
            match=place.match_id,
            versions=[seat.version_id for seat in seats],
            skills=[skills.get((place.match_id, seat.seat)) for seat in seats],
        )
        draft.cursor = place.index
        record = read_record(place.match.replay)
        try:
            decisions, match = [*decision_rows(record, source)], match_row(record, source)
        except EngineError as error:
            # The record was once accepted, so this fault is ours; it stops no other match.
            _log.exception("left out of its dataset", match=place.match_id, reason=str(error))
            draft.left_out += 1
            continue
        for row in decisions:
            draft.add(DECISIONS, row)
        draft.add(MATCHES, match)


def _skills_before(matches: Sequence[int]) -> dict[tuple[int, int], _SKILL]:
    """Return the live ratings before these matches, by match and seat."""
    live = Pool.objects.live().order_by()
    rows = RatingChange.objects.filter(row__match__in=matches, row__pool__in=live)
    values = rows.values_list("row__match", "seat", "mu_before", "sigma_before")
    return {(match, seat): (mu, sigma) for match, seat, mu, sigma in values}


def _pack(draft: _Draft) -> list[DatasetPart]:
    """Return the rows of the database that a draft becomes."""
    parts = []
    for table, lines in draft.lines.items():
        part = DatasetPart(
            dataset_id=draft.dataset,
            table=table,
            number=draft.number,
            rows=draft.rows[table],
            sha256=digest_of(bytes(lines)),
            data=pack_lines(bytes(lines)),
        )
        if has_parquet():
            # Imported here, so that no process pays 60 MB and .2 s before a tournament needs it.
            pack = import_module("pentathlon_engines.dataset.parquet").pack_parquet
            part.parquet = pack(map(json.loads, io.BytesIO(lines)), table=table)
            part.parquet_sha256 = digest_of(part.parquet)
        parts.append(part)
    return parts


@transaction.atomic
def _store(draft: _Draft, parts: Sequence[DatasetPart]) -> bool:
    """Store the parts of a draft and move on, both or neither; return False if another did so."""
    if not draft.rows[MATCHES] and not draft.left_out:
        return True
    mine = Dataset.objects.filter(pk=draft.dataset, parts=draft.number - 1, is_whole=False)
    moved = mine.update(
        parts=draft.number,
        cursor=draft.cursor,
        left_out=F("left_out") + draft.left_out,
        matches=F("matches") + draft.rows[MATCHES],
        decisions=F("decisions") + draft.rows[DECISIONS],
        packed_bytes=F("packed_bytes") + sum(len(part.data) for part in parts),
    )
    if not moved:
        return False
    DatasetPart.objects.bulk_create(parts)
    return True


@transaction.atomic
def _finish(pk: int) -> bool:
    """Freeze a dataset if its tournament has not changed; else drop it."""
    dataset = Dataset.objects.select_for_update().get(pk=pk)
    unchanged = Tournament.objects.filter(
        pk=dataset.tournament_id,
        state=TournamentState.CLOSED,
        results_version=dataset.edition,
    )
    if dataset.is_whole or not unchanged.exists():
        if not dataset.is_whole:
            dataset.delete()
        return False
    earlier = Dataset.objects.filter(tournament=dataset.tournament_id, is_newest=True)
    earlier.update(is_newest=False)
    dataset.parquet_bytes = _settle_parquet(dataset)
    dataset.sha256 = digest_of(part_digests(dataset))
    dataset.is_whole = dataset.is_newest = True
    dataset.made_at = Now()
    dataset.save(update_fields=("parquet_bytes", "sha256", "is_whole", "is_newest", "made_at"))
    return True


def _settle_parquet(dataset: Dataset) -> int | None:
    """Return the size of all parts as Parquet; drop the Parquet if some parts have none."""
    parts = dataset.part_rows.all()
    if parts.filter(parquet=None).exists():
        parts.update(parquet=None, parquet_sha256="")
        return None
    size: int | None = parts.aggregate(size=Sum(Length("parquet")))["size"]
    return size
