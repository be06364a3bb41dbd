"""The cost of the Pentathlon ranking with many bots: its update, its page and the API."""

from __future__ import annotations

import random
import sys
import time
from collections.abc import Iterator
from typing import Final

from django.db.models import Max

from pentathlon.accounts.models import User
from pentathlon.bots.models import Bot, BotVersion, VersionState
from pentathlon.ratings.models import Pool, Rating
from pentathlon.ratings.rankings.models import RankingTable
from pentathlon.ratings.rankings.services import refresh_ranking
from pentathlon.ratings.services import open_live_pool
from pentathlon_engines import GAMES
from tools.benchmark.competition.demands import Demand
from tools.benchmark.competition.memory import MemoryWatch
from tools.benchmark.competition.page_costs import page_costs_s
from tools.benchmark.load.data import make_bots
from tools.benchmark.load.tables import analyse
from tools.benchmark.progress import Say

_SMALL: Final = 500
_GAMES_OF_A_BOT: Final = 2
_BOTS_OF_AN_AUTHOR: Final = 2
_BATCH: Final = 2000
_MOST_UPDATE_S: Final = 10.0
"""An update that takes this long is made every 500 s at most: it may use 2 % of a processor."""
_PAGES: Final = {"page": "/ranking/", "API": "/api/v1/rankings/pentathlon/"}


def measure_ranking(bots: int, say: Say) -> Iterator[Demand]:
    """Make a few bots, then many, and compare the costs."""
    say(f"ranking of {_SMALL} bots")
    owner = User.objects.create_user(username="load", email="", password=None)
    archive_id = BotVersion.objects.get(pk=make_bots(owner, 1)[0]).archive_id
    add_authors(_SMALL, archive_id)
    _refresh()
    before = page_costs_s(list(_PAGES.values()))
    say(f"ranking of {bots:,} bots")
    add_authors(bots - _SMALL, archive_id)
    started = time.process_time()
    with MemoryWatch() as memory:
        table = _refresh()
    update_s = time.process_time() - started
    yield Demand(
        name=f"ranking of {bots:,} bots: CPU s of an update",
        measured=update_s,
        most=_MOST_UPDATE_S,
        remark=f"{table.authors:,} authors",
    )
    yield Demand(
        name=f"ranking of {bots:,} bots: MiB of an update over idle", measured=memory.peak_mib
    )
    after = page_costs_s(list(_PAGES.values()))
    for name, small, large in zip(_PAGES, before, after, strict=True):
        yield Demand(
            name=f"ranking of {bots:,} bots / of {_SMALL}: {name}",
            measured=large / small,
            most=1.3,
            remark=f"{1000 * large:.0f} ms, {1000 * small:.0f} ms of CPU",
        )


def add_authors(bots: int, archive_id: str) -> None:
    """Add authors of two bots each, all of them rated in two games."""
    rng = random.Random(bots)
    first = (User.objects.aggregate(last=Max("pk"))["last"] or 0) + 1
    owners = User.objects.bulk_create(
        (
            User(username=f"author-{first + number}", password="!")  # noqa: S106  not a valid hash
            for number in range(-(-bots // _BOTS_OF_AN_AUTHOR))
        ),
        batch_size=_BATCH,
    )
    made = Bot.objects.bulk_create(
        (
            Bot(owner=owners[number // _BOTS_OF_AN_AUTHOR], name=f"ranked-{first}-{number}")
            for number in range(bots)
        ),
        batch_size=_BATCH,
    )
    versions = BotVersion.objects.bulk_create(
        (
            BotVersion(
                bot=bot, number=1, archive_id=archive_id, manifest={}, state=VersionState.ELIGIBLE
            )
            for bot in made
        ),
        batch_size=_BATCH,
    )
    pools = [open_live_pool(game=game) for game in GAMES]
    Rating.objects.bulk_create(
        (
            Rating(
                pool=pool,
                version=version,
                mu=rng.gauss(25, 6),
                sigma=rng.uniform(0.8, 2.2),
                matches=100,
                wins=50,
                losses=50,
            )
            for version in versions
            for pool in rng.sample(pools, _GAMES_OF_A_BOT)
        ),
        batch_size=_BATCH,
    )
    for pool in pools:
        Pool.objects.filter(pk=pool.pk).update(applied_seq=pool.applied_seq + bots)
    analyse()


def _refresh() -> RankingTable:
    RankingTable.objects.all().delete()  # else the next table would not be due yet
    table = refresh_ranking()
    if table is None:
        sys.exit("There was nothing to rank.")
    return table
