"""A platform with a long history and a long queue, made without playing.

Everything follows from the seed. Ratings, ledger and scores follow from the results, so
`verify_ratings` finds no difference; all matches share one replay.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import cycle
from typing import Final
from uuid import UUID

from django.core.management.color import no_style
from django.db import connection
from django.db.models import Max, Model

from pentathlon.accounts.models import User
from pentathlon.bots.models import Bot, BotVersion, VersionGame, VersionState
from pentathlon.bots.services import store_version
from pentathlon.matches.models import (
    Attempt,
    AttemptState,
    Match,
    MatchKind,
    MatchSeat,
    MatchState,
)
from pentathlon.matches.replays.codec import CODEC, pack
from pentathlon.matches.replays.models import Replay
from pentathlon.ratings.book import Book
from pentathlon.ratings.models import LedgerRow, LedgerState, Pool, RatingChange, tournament_key
from pentathlon.ratings.recompute import FIELDS, change_row, store_ratings
from pentathlon.ratings.scores import restore_scores
from pentathlon.ratings.services import open_live_pool, open_pool
from pentathlon.ratings.skill import Result
from pentathlon.tournaments.models import Entry, Tournament, TournamentMatch, TournamentState
from pentathlon_engines import GAMES
from pentathlon_engines.match.limits import Limits
from pentathlon_engines.match.referee import Referee
from pentathlon_engines.record.record import canonical, seal
from pentathlon_engines.record.shape import Header, Record
from tools.benchmark.archives import measured_bot
from tools.benchmark.load.tables import Row, Table, moment, next_id, without_indexes
from tools.benchmark.progress import Say

GAME: Final = "tuned"
_BATCH: Final = 10_000
_LONGEST_TOURNAMENT: Final = 10_000
_PACE: Final = timedelta(milliseconds=50)
_FIELD: Final = 100
"""The number of bots in a tournament."""
_DRAWS: Final = 0.1
_PAIR: Final = 2
_DUELS: Final = 60
_DUEL_MATCHES: Final = 20

_Batch = dict[type[Model], list[Row]]
"""Rows that are stored together."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cast:
    """The owner, the bots and the tournament whose pages are measured."""

    owner: User
    versions: list[int]
    tournament: Tournament
    """A running, half-finished tournament that is equally long in every size of data."""

    @property
    def rivals(self) -> list[int]:
        """Return the versions of the two bots whose pages are measured."""
        return self.versions[:_PAIR]


def make_cast(*, bots: int = 100, seed: int = 1) -> Cast:
    """Make bots and one tournament of 30 of them: half of its 870 matches are done."""
    owner = User.objects.create_user(username="load", email="", password=None, is_organiser=True)
    versions = make_bots(owner, bots)
    shown = add_tournament(owner, versions[:30], TournamentState.RUNNING)
    writer = Writer(versions, random.Random(seed), total=435)
    writer.add(shown, done=435, waiting=435)
    writer.close()
    return Cast(owner=owner, versions=versions, tournament=shown)


def add_rivalry(cast: Cast) -> None:
    """Let the first two bots meet as often, and in as many tournaments, as their pages show."""
    writer = Writer(cast.versions, random.Random(3), total=_DUELS * _DUEL_MATCHES)
    for _ in range(_DUELS):
        duel = add_tournament(cast.owner, cast.rivals, TournamentState.CLOSED)
        writer.add(duel, done=_DUEL_MATCHES, waiting=0)
    writer.close()


def add_history(
    cast: Cast,
    *,
    done: int,
    waiting: int,
    longest: int = _LONGEST_TOURNAMENT,
    seed: int = 2,
    say: Say,
) -> None:
    """Add finished and waiting matches, in tournaments of at most `longest` matches.

    If there are many bots, each tournament takes the next ones.
    """
    writer = Writer(cast.versions, random.Random(seed), total=done)
    fields = fields_of(cast.versions)
    with without_indexes(Match, MatchSeat, Attempt, Replay, LedgerRow, RatingChange):
        for part in _parts(done, longest):
            say(f"{writer.made} of {done} finished matches")
            closed = add_tournament(cast.owner, next(fields), TournamentState.CLOSED)
            writer.add(closed, done=part, waiting=0)
        for part in _parts(waiting, longest):
            running = add_tournament(cast.owner, next(fields), TournamentState.RUNNING)
            writer.add(running, done=0, waiting=part)
        say("indexes")
        writer.close()


def fields_of(versions: list[int]) -> Iterator[list[int]]:
    """Yield fields of tournaments endlessly, so that every version gets into one."""
    parts = [versions[start : start + _FIELD] for start in range(0, len(versions), _FIELD)]
    return cycle(part for part in parts if len(part) > 1)


def _parts(total: int, longest: int) -> Iterator[int]:
    for start in range(0, total, longest):
        yield min(longest, total - start)


def make_bots(owner: User, count: int) -> list[int]:
    """Make eligible bots; return the ids of their versions."""
    archive = measured_bot("random")
    first = store_version(actor=owner, archive=archive)
    BotVersion.objects.filter(pk=first.pk).update(state=VersionState.ELIGIBLE)
    bots = Bot.objects.bulk_create(
        Bot(owner=owner, name=f"load-{number}") for number in range(1, count)
    )
    versions = BotVersion.objects.bulk_create(
        BotVersion(
            bot=bot,
            number=1,
            archive_id=first.archive_id,
            manifest=first.manifest,
            state=VersionState.ELIGIBLE,
        )
        for bot in bots
    )
    VersionGame.objects.bulk_create(
        VersionGame(version=version, game=GAME) for version in versions
    )
    return [first.pk, *(version.pk for version in versions)]


def add_tournament(owner: User, versions: list[int], state: TournamentState) -> Tournament:
    """Add a tournament without matches."""
    number = (Tournament.objects.aggregate(last=Max("pk"))["last"] or 0) + 1
    made = Tournament.objects.create(
        owner=owner,
        name=f"Load {number}",
        game=GAME,
        format="round_robin",
        rules_version=GAMES[GAME].info.version,
        secret="00" * 32,
        state=state,
        is_fully_scheduled=state is not TournamentState.OPEN,
        started_at=None if state is TournamentState.OPEN else datetime.now(tz=UTC),
        finished_at=datetime.now(tz=UTC) if state is TournamentState.CLOSED else None,
    )
    Entry.objects.bulk_create(
        Entry(tournament=made, version_id=version, number=place)
        for place, version in enumerate(versions)
    )
    if state is TournamentState.OPEN:
        return made
    key = tournament_key(made.pk)
    made.pool = open_pool(key=key, game=GAME, title=made.name)
    Pool.objects.filter(pk=made.pool.pk).update(draw_probability=_DRAWS, seat_scores=None)
    made.save(update_fields=("pool",))
    return made


class Writer:
    """Adds the matches of one tournament after the other, with all rows that belong to them."""

    def __init__(self, versions: list[int], rng: random.Random, *, total: int) -> None:
        self.made = 0
        self._rng = rng
        self._strength = {version: rng.gauss(0, 1) for version in versions}
        live = open_live_pool(game=GAME)
        self._live = _Line(live, _book_of(live), live.applied_seq)
        self._match = next_id(Match)
        self._row = next_id(LedgerRow)
        self._ended = datetime.now(tz=UTC) - (total + 1000) * _PACE
        self._ended_at = ""
        """The end of the newest match, as the database takes it."""
        record = _record()
        self._replay, self._chain = pack(canonical(record)), record["chain"]
        fixed = ("kind", "game", "rules_version", "seed", "rated", "lane", "state")
        times = ("started_at", "finished_at", "attempts_made", "ply", "outcome_reason", "sandbox")
        # In the order in which they refer to each other.
        self._tables = {
            Match: Table(Match, "id", *fixed, *times, "alias", "chain"),
            MatchSeat: Table(MatchSeat, "match", "seat", "version", "rank"),
            TournamentMatch: Table(
                TournamentMatch, "tournament", "match", "round", "block", "index"
            ),
            LedgerRow: Table(LedgerRow, "id", "pool", "match", "state", "seq", "ended_at"),
            RatingChange: Table(RatingChange, *(name.removesuffix("_id") for name in FIELDS)),
            Replay: Table(Replay, "match", "codec", "data", "raw_bytes"),
            Attempt: Table(Attempt, "match", "number", "token", "worker", "state"),
        }

    def add(self, tournament: Tournament, *, done: int, waiting: int) -> None:
        """Store a tournament's next matches, the finished ones first."""
        versions = list(tournament.entries.order_by("number").values_list("version", flat=True))
        assert tournament.pool is not None  # noqa: S101  it was made with a pool
        lines_so_far = _book_of(tournament.pool).lines
        book = Book(draw_probability=_DRAWS, has_charts=False, lines=lines_so_far)
        own = _Line(tournament.pool, book, tournament.pool.applied_seq)
        lines, index = (own, self._live), tournament.scheduled
        # A short tournament goes on with the pairs that the previous one did not reach.
        turn = self.made - self.made % 2
        for start in range(0, done + waiting, _BATCH):
            batch: _Batch = {model: [] for model in self._tables}
            for number in range(start, min(start + _BATCH, done + waiting)):
                index += 1
                seating = self._seating(versions, turn + number)
                result = Result(seating, self._ranks(seating)) if number < done else None
                self._add_match(batch, tournament, index, seating, result)
                for line in lines:
                    self._add_row(batch, line, result)
                self._match += 1
            for model, table in self._tables.items():
                table.fill(batch[model])
            self.made += len(batch[Replay])
        Tournament.objects.filter(pk=tournament.pk).update(planned=index, scheduled=index)
        own.store()

    def close(self) -> None:
        """Store what follows from all matches."""
        self._live.store()
        statements = connection.ops.sequence_reset_sql(no_style(), [Match, LedgerRow])
        with connection.cursor() as cursor:
            for statement in statements:
                cursor.execute(statement)

    def _seating(self, versions: list[int], number: int) -> tuple[int, ...]:
        """Return the versions of the match with this number; pairs take turns, both ways."""
        others = len(versions) - 1
        first = number // 2 % len(versions)
        step = number // (2 * len(versions)) % others + 1
        second = (first + step) % len(versions)
        pair = versions[first], versions[second]
        return pair if number % 2 == 0 else pair[::-1]

    def _ranks(self, seating: tuple[int, ...]) -> tuple[int, ...]:
        lead = self._strength[seating[0]] - self._strength[seating[1]] + self._rng.gauss(0, 1)
        if abs(lead) < _DRAWS:
            return 0, 0
        return (0, 1) if lead > 0 else (1, 0)

    def _add_match(
        self,
        batch: _Batch,
        tournament: Tournament,
        index: int,
        seating: tuple[int, ...],
        result: Result | None,
    ) -> None:
        pk = self._match
        head = (pk, MatchKind.TOURNAMENT.value, GAME, tournament.rules_version, pk, True)
        state: Row
        if result is None:
            state = (MatchState.PENDING.value, None, None, 0, 0, "", "", f"{pk:032x}", "")
        else:
            self._ended += _PACE
            self._ended_at = moment(self._ended)
            start = moment(self._ended - 8 * _PACE)
            end = (MatchState.DONE.value, start, self._ended_at, 1, 20, "line", "namespaces")
            state = (*end, f"{pk:032x}", self._chain)
            batch[Replay].append((pk, CODEC, self._replay, len(self._replay)))
            token = UUID(int=pk) if connection.vendor == "postgresql" else f"{pk:032x}"
            batch[Attempt].append((pk, 1, token, "load.0", AttemptState.ACCEPTED.value))
        batch[Match].append((*head, tournament.pk, *state))
        for seat, version in enumerate(seating):
            batch[MatchSeat].append(
                (pk, seat, version, None if result is None else result.ranks[seat])
            )
        block = (index + 1) // 2
        tables = len(self._strength) // 2
        batch[TournamentMatch].append((tournament.pk, pk, (block - 1) // tables + 1, block, index))

    def _add_row(self, batch: _Batch, line: _Line, result: Result | None) -> None:
        facts: Row = (LedgerState.WAITING.value, None, None)
        if result is not None:
            line.seq += 1
            facts = (LedgerState.APPLIED.value, line.seq, self._ended_at)
            changes = line.book.enter(line.seq, result)
            batch[RatingChange] += (change_row(self._row, change) for change in changes)
        batch[LedgerRow].append((self._row, line.pool.pk, self._match, *facts))
        self._row += 1


@dataclass(slots=True)
class _Line:
    """A pool, its ratings, and the length of its ledger."""

    pool: Pool
    book: Book
    seq: int = 0

    def store(self) -> None:
        """Store what follows from the results."""
        Pool.objects.filter(pk=self.pool.pk).update(applied_seq=self.seq)
        store_ratings(self.pool, self.book)


def count_all_scores() -> None:
    """Count the results of all tournaments, as the reconciler would one by one."""
    for pool_id in Pool.objects.without_scores().values_list("pk", flat=True):
        restore_scores(pool_id=pool_id)


def _book_of(pool: Pool) -> Book:
    """Return a book that starts with the current ratings of a pool."""
    lines = {rating.version_id: rating.line for rating in pool.ratings.all()}
    return Book(draw_probability=pool.draw_probability, lines=lines)


def _record() -> Record:
    """Return the record of a short match between two players that choose at random."""
    rng = random.Random(1)
    game = GAMES[GAME]
    referee = Referee(game=game, seats=2, options={}, seed=1)
    options = dict(referee.state.options)
    while referee.seat_to_ask() is not None:
        referee.accept(rng.choice(referee.request().legal), cpu_ms=1, wall_ms=2)
    outcome = referee.outcome
    assert outcome is not None  # noqa: S101  no seat is left to ask
    header: Header = {
        "game": GAME,
        "rules": game.info.version,
        "seats": 2,
        "options": options,
        "seed": 1,
        "match": "load",
        "bots": [{"name": f"load-{seat} v1", "hash": "sha256:"} for seat in range(2)],
        "limits": Limits.from_json({}).to_json(),
        "sandbox": "namespaces",
        "layers": [],
    }
    return seal(header, events=referee.events, faults=referee.faults, outcome=outcome)
