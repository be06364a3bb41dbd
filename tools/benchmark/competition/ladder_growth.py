"""The cost of a large ladder: a turn of the season, and each step with a long history."""

from __future__ import annotations

import random
import sys
import time
from collections.abc import Callable, Iterator
from itertools import count
from typing import Final

import django
from rich.console import Console

django.setup()

# Models exist only from here on.
from django.db import connection, transaction  # noqa: E402
from django.db.models import QuerySet  # noqa: E402
from django.db.models.functions import Now  # noqa: E402
from django.test import Client  # noqa: E402

from pentathlon.accounts.models import User  # noqa: E402
from pentathlon.bots.models import Bot, BotVersion  # noqa: E402
from pentathlon.fleet.models import Worker  # noqa: E402
from pentathlon.ladders.batches import make_batches  # noqa: E402
from pentathlon.ladders.membership import drop_out_of_play, seat_members  # noqa: E402
from pentathlon.ladders.models import (  # noqa: E402
    Choice,
    Division,
    FieldLine,
    Ladder,
    LadderMember,
    Season,
)
from pentathlon.ladders.seasons import (  # noqa: E402
    close_seasons,
    end_season,
    open_divisions,
    open_ladders,
    turn_seasons,
)
from pentathlon.local.preparation import prepare_database, prepare_static_files  # noqa: E402
from pentathlon.matches.models import Match, MatchKind, MatchSeat  # noqa: E402
from pentathlon.matches.replays.models import Replay  # noqa: E402
from pentathlon.ratings.models import LedgerRow, RatingChange  # noqa: E402
from pentathlon.tournaments.models import Tournament  # noqa: E402
from pentathlon_engines import GAMES  # noqa: E402
from pentathlon_engines.tournament.formats.divisions import cut_field  # noqa: E402
from tools.benchmark.competition.demands import Demand, show_demands  # noqa: E402
from tools.benchmark.load.data import GAME, Writer, count_all_scores, make_bots  # noqa: E402
from tools.benchmark.load.stage import read_options  # noqa: E402
from tools.benchmark.load.tables import analyse, without_indexes  # noqa: E402
from tools.benchmark.progress import Say, show_progress  # noqa: E402

_AUTHORS: Final = 997
_SLOTS: Final = 8
_RUNS: Final = 12
_LEAST_S: Final = 0.005
"""Shorter times count as this long: they would say more about the clock than about the work."""
_LONGEST_S: Final = 1.0
_MOST_RATIO: Final = 1.3

Work = Callable[[], object]


def main() -> int:
    """Fill the database step by step and measure; print the figures beside the demands."""
    options = read_options("bots", "small", "large")
    with show_progress(Console(stderr=True)) as say:
        prepare_database()
        prepare_static_files()
        say(f"{options.bots} bots")
        open_ladders()
        versions = _make_members(options.bots)
        demands = [*_turn(options.bots, say)]
        _play(versions, options.small, say)
        small = _measure()
        _play(versions, options.large - options.small, say)
        large = _measure()
        demands += [
            Demand(
                name=f"{name}: {options.large:,} matches / {options.small:,}",
                measured=large[name] / max(small[name], _LEAST_S),
                most=_MOST_RATIO,
                remark=f"{1000 * large[name]:.0f} ms, {1000 * small[name]:.0f} ms",
            )
            for name in small
        ]
        demands += _turn(options.bots, say)
    title = f"A ladder of {options.bots:,} bots on {connection.vendor}"
    return show_demands(title, demands, as_json=options.json)


def _make_members(bots: int) -> list[int]:
    """Make bots of many authors, with known places as after a season; return their versions."""
    versions = make_bots(User.objects.create_user(username="load", email="", password=None), bots)
    authors = User.objects.bulk_create(User(username=f"author-{n}") for n in range(_AUTHORS))
    rows = list(Bot.objects.filter(versions__in=versions).order_by("pk"))
    for number, bot in enumerate(rows):
        bot.owner = authors[number % _AUTHORS]
    Bot.objects.bulk_update(rows, ("owner",), batch_size=500)
    ladder = Ladder.objects.get(key=GAME)
    of_bots = dict(BotVersion.objects.filter(pk__in=versions).values_list("bot", "pk"))
    LadderMember.objects.bulk_create(
        LadderMember(ladder=ladder, bot=bot, version_id=of_bots[bot.pk], choice=Choice.BY_ITSELF)
        for bot in rows
    )
    BotVersion.objects.filter(pk__in=versions).update(is_seated=True)
    members = LadderMember.objects.order_by("pk").values_list("pk", flat=True)
    season = Season.objects.running().get(ladder=ladder)
    # Seat the members as if the previous season had led there. The one open division is the
    # highest.
    seating = cut_field(list(members))
    Season.objects.filter(pk=season.pk).update(seating=seating, unopened=len(seating) - 1)
    _finish()
    return versions


def _turn(bots: int, say: Say) -> Iterator[Demand]:
    """End the season, and let all bots take their places in the next one."""
    say("the turn of a season")
    season = Season.objects.running().get(ladder__key=GAME)
    played = Match.objects.filter(kind=MatchKind.LADDER).count()
    first = _time_of(lambda: end_season(season_id=season.pk))
    parts = _finish()
    seated = LadderMember.objects.filter(season__number=season.number + 1, version__isnull=False)
    if seated.count() != bots:
        sys.exit(f"{seated.count()} of {bots} bots have a place.")
    name = f"turn of a season after {played:,} matches"
    yield Demand(
        name=f"{name}: s of the transaction that ends it", measured=first, most=_LONGEST_S
    )
    yield Demand(
        name=f"{name}: s of the longest part after that",
        measured=max(parts),
        most=_LONGEST_S,
        remark=f"{len(parts)} parts, {sum(parts):.1f} s in all",
    )


def _finish() -> list[float]:
    """Open all divisions and seat all members; return the seconds of each part."""
    parts = []
    for step in (open_divisions, seat_members):
        # Each call gets no time for a second part.
        while (taken := _time_of_part(step)) is not None:
            parts.append(taken)
    return parts


def _time_of_part(step: Callable[..., int]) -> float | None:
    """Return the seconds of one part of a step; None if nothing was left to do."""
    started = time.monotonic()
    is_done = not step(for_s=0.001)
    return None if is_done else time.monotonic() - started


def _play(versions: list[int], matches: int, say: Say) -> None:
    """Add `matches` more played matches, spread over the divisions."""
    divisions = list(_divisions().select_related("tournament__pool"))
    share = 2 * -(-matches // (2 * len(divisions)))  # whole blocks
    writer = Writer(versions, random.Random(1), total=matches, kind=MatchKind.LADDER)
    with without_indexes(Match, MatchSeat, Replay, LedgerRow, RatingChange):
        for number, division in enumerate(divisions):
            say(f"{number * share:,} of {matches:,} matches")
            writer.add(division.tournament, done=share, waiting=0)
        writer.close()
    for division in divisions:
        last = Tournament.objects.get(pk=division.tournament_id).scheduled // 2
        _note_meetings(division, last)
        Division.objects.filter(pk=division.pk).update(blocks=last, batches=last)
    count_all_scores()
    analyse()


def _note_meetings(division: Division, blocks: int) -> None:
    lines = list(FieldLine.objects.filter(entry__tournament=division.tournament_id))
    numbers = list(division.tournament.entries.values_list("number", flat=True))
    each = max(1, blocks // max(1, len(lines)))
    for line in lines:
        line.met = {str(number): each for number in numbers}
    FieldLine.objects.bulk_update(lines, ("met",))


def _divisions() -> QuerySet[Division]:
    return Division.objects.filter(season__ladder__key=GAME, season__state="running")


def _measure() -> dict[str, float]:
    """Return the least seconds of each step and page."""
    Worker.objects.all().delete()
    client = Client(headers={"host": "localhost"})
    level = _divisions().count()
    works: dict[str, Work] = {
        "pairing of the divisions that are due": _pair,
        "members without a place": lambda: seat_members(for_s=1),
        "versions out of play": drop_out_of_play,
        "seasons that end or close": lambda: (turn_seasons(), close_seasons()),
        "page of all ladders": lambda: _get(client, "/ladders/"),
        "page of the ladder": lambda: _get(client, f"/ladders/{GAME}/"),
        "page of its lowest division": lambda: _get(client, f"/ladders/{GAME}/?division={level}"),
    }
    return {name: min(_time_of(work) for _ in range(_RUNS)) for name, work in works.items()}


def _pair() -> None:
    """Make the batches of one step, and roll them back."""
    with transaction.atomic():
        Worker.objects.create(
            name=f"load/{next(_numbers)}",
            slots=_SLOTS,
            games={key: game.info.version for key, game in GAMES.items()},
            runtimes=["command", "python"],
            sandbox="namespaces",
            layers=[],
            version="1",
            started_at=Now(),
            seen_at=Now(),
        )
        _divisions().filter(level__lte=4).update(due_at="2020-01-01T00:00Z")
        if not make_batches(for_s=60):
            sys.exit("Nothing was paired.")
        transaction.set_rollback(True)


_numbers = count()


def _get(client: Client, path: str) -> None:
    answer = client.get(path)
    if answer.status_code != 200:  # noqa: PLR2004  any other status is a failure
        sys.exit(f"{path} answered {answer.status_code}.")


def _time_of(work: Work) -> float:
    started = time.perf_counter()
    work()
    return time.perf_counter() - started


if __name__ == "__main__":
    sys.exit(main())
