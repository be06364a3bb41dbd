"""The tournament that is played under fire, and what is left of it: equal in every run."""

from __future__ import annotations

import io
from dataclasses import dataclass
from hashlib import sha256
from math import ceil
from pathlib import Path
from typing import Any, Final
from zipfile import ZipFile

from pentathlon.accounts.models import User
from pentathlon.bots.models import BotVersion
from pentathlon.matches.uploads import submit_bot
from pentathlon.tournaments.models import FinalRow, Tournament, TournamentMatch
from pentathlon.tournaments.services import create_tournament
from pentathlon_engines.tournament.document import TournamentDocument

_BOT: Final = Path(__file__).with_name("bot") / "main.py"
_FEWEST_BOTS: Final = 4
_MOST_CYCLES: Final = 100
_TABLE: Final = (
    *("entry__number", "place", "group", "mu", "sigma"),
    *("fold_mu", "fold_sigma", "chance_of_best"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Size:
    """So many bots meet so often that there are at least the matches asked for."""

    bots: int
    cycles: int

    @property
    def matches(self) -> int:
        """Matches of a double round robin of two seats."""
        return self.bots * (self.bots - 1) * self.cycles


def size_for(matches: int) -> Size:
    """Return the smallest field of bots that can play so many matches, and its cycles.

    >>> size_for(40)
    Size(bots=4, cycles=4)
    >>> size_for(10_000).matches
    10010
    """
    bots = _FEWEST_BOTS
    while bots * (bots - 1) * _MOST_CYCLES < matches:
        bots += 1
    return Size(bots=bots, cycles=ceil(matches / (bots * (bots - 1))))


def submit_bots(number: int, *, game: str) -> list[BotVersion]:
    """Upload bots that always play the same, each of a different author; validation follows."""
    return [_submit(stride, game) for stride in range(1, number + 1)]


def open_tournament(
    versions: list[BotVersion], *, game: str, cycles: int, seed: int
) -> Tournament:
    """Make the tournament of an organiser, not yet started."""
    organiser = User.objects.create_user(username="organiser", email="", password=None)
    User.objects.filter(pk=organiser.pk).update(is_organiser=True)
    organiser.refresh_from_db()
    tournament = create_tournament(
        actor=organiser,
        name="Under fire",
        document=TournamentDocument(game=game, params={"cycles": cycles}),
        versions=[version.pk for version in versions],
    )
    # Both runs need one secret, and results must count on the leaderboard, too: no service lets
    # anybody choose the secret of a rated tournament.
    tournament.secret = sha256(f"chaos:{seed}".encode()).hexdigest()
    tournament.save(update_fields=("secret",))
    return tournament


def choice(stride: int, ply: int, legal: list[str]) -> str:
    """Return what the bot with this stride plays; `bot/main.py` says the same."""
    return legal[(ply + 1) * stride % len(legal)]


def stride_of(name: str) -> int:
    """Return the stride of a bot or bot version by its name."""
    return int(name.partition("-")[2].split()[0])


def remains(tournament: Tournament) -> dict[str, Any]:  # Any: JSON
    """Return the final table and all results in schedule order, free of the run's own ids."""
    places = TournamentMatch.objects.filter(tournament=tournament).order_by("index")
    outcomes = places.order_by("index", "match__seats__seat").values_list(
        "index", "match__outcome_reason", "match__ply", "match__seats__rank"
    )
    table = FinalRow.objects.filter(entry__tournament=tournament).order_by("place")
    return {
        "table": [list(row) for row in table.values_list(*_TABLE)],
        "results": [list(row) for row in outcomes],
    }


def _submit(stride: int, game: str) -> BotVersion:
    author = User.objects.create_user(username=f"author-{stride}", email="", password=None)
    return submit_bot(actor=author, archive=_archive(stride, game))


def _archive(stride: int, game: str) -> bytes:
    manifest = f'name = "stride-{stride}"\ngames = ["{game}"]\nlanguage = "python"\n'
    buffer = io.BytesIO()
    with ZipFile(buffer, "w") as archive:
        archive.writestr("bot.toml", f'{manifest}main = "main.py"\n')
        archive.writestr("main.py", _BOT.read_text())
        archive.writestr("stride.txt", f"{stride}\n")
    return buffer.getvalue()
