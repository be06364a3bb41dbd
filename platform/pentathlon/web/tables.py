"""Tables on pages: ratings, crosstables, the ranking of authors, lists of tournaments."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from math import ceil, floor

from django.core.paginator import Paginator
from django.utils import timezone

from pentathlon.accounts.models import User
from pentathlon.bots.models import BotVersion
from pentathlon.ratings.models import Rating, RatingQuerySet
from pentathlon.ratings.rankings.models import RankingLine, RankingTable
from pentathlon.ratings.tables import (
    Narrowing,
    Trend,
    count_active,
    known_mean,
    narrowed,
    ranked_in,
    ranked_rows,
    read_progress,
    trends,
)
from pentathlon.ratings.uncertainty import StrengthBar, is_provisional, sure_odds
from pentathlon.tournaments.documents.document import format_of
from pentathlon.tournaments.estimates.progress import Progress, progress
from pentathlon.tournaments.models import UNSTARTED, Tournament, TournamentState
from pentathlon.tournaments.people_rows import Replacement
from pentathlon.tournaments.results.final_table import podiums
from pentathlon.tournaments.results.hidden_results import hidden_lanes
from pentathlon.tournaments.results.standings import CrosstableRow, Score, Standing
from pentathlon_engines import GAMES
from pentathlon_engines.tournament.tint import tint

PAGE_SIZE = 50
_PAIR = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class RatingRow:
    """One bot version in a rating table."""

    rating: Rating
    rank: int
    provisional: bool
    own: bool
    trend: Trend | None = None

    @property
    def moved(self) -> int | None:
        """How far its figure has moved since yesterday, in percent; None if it is younger."""
        if self.trend is None or self.trend.yesterday is None:
            return None
        mean, beta = self.rating.field_mean, self.rating.field_beta
        before = sure_odds(self.trend.yesterday, mean=mean, beta=beta)
        return round(100 * (self.rating.odds.sure - before))


_ALL_ROWS = Narrowing()


@dataclass(frozen=True, slots=True, kw_only=True)
class RatingTable:
    """One page of a rating table, and the scale that its interval bars share."""

    rows: list[RatingRow]
    scale: tuple[float, float]
    first: int
    last: int
    total: int
    newer: str
    """The query of the page above; empty on the first page."""
    older: str
    """The query of the page below; empty on the last page."""


def rating_table(
    pool_key: str,
    *,
    reader: User | None,
    page: str | int = 1,
    size: int = PAGE_SIZE,
    has_all_versions: bool = False,
    query: str = "",
    narrowing: Narrowing = _ALL_ROWS,
    with_trends: bool = False,
) -> RatingTable:
    """Return one page of a pool's table, best first, with active versions only or with all.

    Links to other pages keep `query`. Ranks are those of the whole table.
    """
    progress = read_progress(pool_key)
    table = Rating.objects.table(pool_key, mean=known_mean(progress))
    table = table if has_all_versions else table.active()
    if narrowing == _ALL_ROWS:
        known = None if has_all_versions else count_active(progress)
        found = _Pages(table, size, known=known).get_page(page)
        ratings = ranked_rows(table, list(found.object_list))
    else:
        shown = narrowed(table, narrowing)
        found = Paginator(shown, size).get_page(page)
        ratings = ranked_in(table, list(found.object_list))
    courses: Mapping[int, Trend] = {}
    if with_trends and ratings:
        shown_ids = [rating.version_id for rating in ratings]
        courses = trends(ratings[0].pool_id, shown_ids, now=timezone.now())
    rows = [_row(rating, reader, courses.get(rating.version_id)) for rating in ratings]
    more = query.replace("?", "&")
    return RatingTable(
        rows=rows,
        scale=bar_scale([row.rating.bar for row in rows]),
        first=found.start_index(),
        last=found.end_index(),
        total=found.paginator.count,
        newer=f"?page={found.previous_page_number()}{more}" if found.has_previous() else "",
        older=f"?page={found.next_page_number()}{more}" if found.has_next() else "",
    )


class _Pages(Paginator):  # type: ignore[type-arg]  # of any rows
    """Pages of a table whose length may be known already."""

    def __init__(self, rows: RatingQuerySet, size: int, *, known: int | None) -> None:
        super().__init__(rows, size)
        if known is not None:
            self.count = known


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplacementLine:
    """A version that replaced another one, as pages show it."""

    replacement: Replacement
    first_match: int | None
    """The schedule number of the first match of its first block; None if not made yet or
    hidden."""


def replacement_lines(tournament: Tournament, *, hides: bool) -> list[ReplacementLine]:
    """Return the replacements of a tournament; two queries, or one if results are hidden."""
    replaced = list(tournament.replacements.in_order())
    firsts = {each.first_block for each in replaced if each.is_settled and not hides}
    places = tournament.tournament_matches.filter(block__in=firsts, leg=1) if firsts else None
    indexes = dict(places.values_list("block", "index")) if places is not None else {}
    return [
        ReplacementLine(replacement=each, first_match=indexes.get(each.first_block))
        for each in replaced
    ]


def bar_scale(bars: Sequence[StrengthBar]) -> tuple[float, float]:
    """Return round bounds that hold every interval of a table."""
    if not bars:
        return 0.0, 50.0
    low, high = min(bar.low for bar in bars), max(bar.high for bar in bars)
    return 5.0 * floor(low / 5), 5.0 * ceil(high / 5)


@dataclass(frozen=True, slots=True, kw_only=True)
class TintedCell:
    """The points that one bot version took from another."""

    points: float
    tint: str
    label: str
    other: BotVersion
    versions: str
    """A part of links to their matches that tells two versions of one bot apart; else empty."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TintedRow:
    """One bot version against each of the others; None against itself."""

    standing: Standing
    cells: list[TintedCell | None]


def crosstable_rows(rows: Sequence[CrosstableRow]) -> list[TintedRow]:
    """Return the rows with tints, and with the sentences that screen readers say."""
    return [TintedRow(standing=row.standing, cells=list(_cells(row, rows))) for row in rows]


@dataclass(frozen=True, slots=True, kw_only=True)
class RankingCell:
    """An author's result in one game."""

    title: str
    share: float
    tint: str
    bot: int | None
    """None if the author has not entered one and so counts as the built-in `random`."""
    label: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class RankingRow:
    """One author in the table."""

    line: RankingLine
    cells: list[RankingCell]
    own: bool


def ranking_rows(
    table: RankingTable | None, *, reader: User | None, after: int = 0, size: int
) -> list[RankingRow]:
    """Return lines of a table in the order of their places."""
    if table is None:
        return []
    lines = table.lines.filter(place__gt=after, place__lte=after + size)
    ordered = lines.select_related("author").order_by("place")
    return [_ranking_row(line, reader) for line in ordered]


def ranking_row_of(
    author: User | None, table: RankingTable | None, *, reader: User | None
) -> list[RankingRow]:
    """Return the line of an author as a reader sees it; None if the author is not ranked."""
    if table is None or author is None:
        return []
    lines = table.lines.filter(author=author).select_related("author")
    return [_ranking_row(line, reader) for line in lines]


def _counted(tournament: Tournament) -> Progress | None:
    done, all_ = tournament.matches_done, tournament.matches
    if not all_:
        return None
    return Progress(done=done, running=0, waiting=all_ - done, void=0, remaining_s=None)


@dataclass(frozen=True, slots=True, kw_only=True)
class TournamentLine:
    """One tournament in a list."""

    tournament: Tournament
    progress: Progress | None
    """None before the start, while results are hidden, and where a story takes its place."""
    story: str = ""
    """Who has won, once it is closed."""


def latest_tournaments(*, limit: int) -> list[TournamentLine]:
    """Return the latest tournaments, running ones first."""
    latest = list(Tournament.objects.visible_to(None).organised().listed()[:limit])
    hidden = hidden_lanes(None)
    latest.sort(key=lambda tournament: tournament.state != TournamentState.RUNNING)
    return tournament_lines(latest, hidden=hidden, read=_progress)


def tournament_lines(
    tournaments: Sequence[Tournament],
    *,
    hidden: Collection[int],
    read: Callable[[Tournament], Progress | None] = _counted,
) -> list[TournamentLine]:
    """Return lines of tournaments; they need one query, if these are loaded with their counts.

    For tournaments in `hidden` they say nothing about results.
    """
    shown = {each.pk for each in tournaments if each.pk not in hidden}
    won = podiums(each.pk for each in tournaments if each.pk in shown and each.finished_at)
    return [
        TournamentLine(
            tournament=each,
            # A list shows who won in its place.
            progress=read(each) if each.pk in shown and each.pk not in won else None,
            story=won[each.pk].story if each.pk in won else "",
        )
        for each in tournaments
    ]


def finishes_at(standing: Progress) -> datetime | None:
    """Return when the last match is expected to end; None if unknown."""
    if standing.remaining_s is None:
        return None
    return timezone.now() + timedelta(seconds=standing.remaining_s)


def _row(rating: Rating, reader: User | None, trend: Trend | None) -> RatingRow:
    return RatingRow(
        trend=trend,
        rating=rating,
        rank=rating.rank,
        provisional=is_provisional(rating.skill),
        own=reader is not None and rating.version.bot.owner_id == reader.pk,
    )


def _cells(row: CrosstableRow, rows: Sequence[CrosstableRow]) -> Iterator[TintedCell | None]:
    for other, score in zip(rows, row.cells, strict=True):
        yield None if score is None else _cell(row.standing, other.standing, score)


def _cell(standing: Standing, other: Standing, score: Score) -> TintedCell:
    own, theirs = standing.version, other.version
    names = f"{own.bot.name} against {theirs.bot.name}"
    versions = (
        f"&version={own.pk}&other_version={theirs.pk}" if own.bot_id == theirs.bot_id else ""
    )
    return TintedCell(
        points=score.points,
        tint="" if score.share is None else tint(score.share),
        label=f"{names}: {score.points:g} of {score.meetings}",
        other=theirs,
        versions=versions,
    )


def _progress(tournament: Tournament) -> Progress | None:
    if tournament.state in UNSTARTED:
        return None
    return progress(tournament)


def _ranking_row(line: RankingLine, reader: User | None) -> RankingRow:
    cells = [
        RankingCell(
            title=GAMES[game].info.title,
            share=cell["share"],
            tint=tint(cell["share"]),
            bot=cell["bot"],
            label=cell["label"],
        )
        for game in GAMES
        if (cell := line.games.get(game))
    ]
    own = reader is not None and line.author_id == reader.pk
    return RankingRow(line=line, cells=cells, own=own)


def format_name(tournament: Tournament) -> str:
    """Return the name of a tournament's format in a few words."""
    found = format_of(tournament)
    name = found.title if found else tournament.format
    cycles = tournament.params.get("cycles", 1)
    if tournament.format == "round_robin" and cycles == 1 and tournament.table_seats == _PAIR:
        return "Double round robin"
    if tournament.table_seats > _PAIR:
        name = f"{name} of {tournament.table_seats}"
    return f"{name}, {cycles} cycles" if cycles > 1 else name
