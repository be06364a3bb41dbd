"""The tournaments that are played under fire, and what remains of them in every run alike."""

import io
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from math import ceil
from pathlib import Path
from typing import Any, Final, NamedTuple
from zipfile import ZipFile

from django.db import transaction

from pentathlon.accounts.models import User
from pentathlon.bots.models import BotVersion
from pentathlon.matches.uploads.services import submit_version
from pentathlon.tournaments.models import FinalRow, Tournament, TournamentMatch
from pentathlon.tournaments.organising.drafts import Draft, create_tournament
from pentathlon.tournaments.services import start_tournament
from pentathlon_engines.tournament.document import TournamentDocument

_BOT: Final = Path(__file__).with_name("bot") / "main.py"
_FEWEST_BOTS: Final = 4
_USUAL_BOTS: Final = 8
_LONG_RUN: Final = 200
"""The number of matches from which a run has more bots and longer duels, so that all formats last
for many strikes."""
_MOST_CYCLES: Final = 100
_TABLE: Final = (
    *("entry__number", "place", "group", "mu", "sigma"),
    *("fold_mu", "fold_sigma", "chance_of_best"),
)
_SEAT: Final = (
    *("match__seats__version", "match__seats__seat", "match__seats__rank"),
    *("index", "round", "block", "match__seed", "match__alias"),
    *("match__outcome_reason", "match__ply"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Size:
    """Enough bots and cycles for at least the demanded matches."""

    bots: int
    cycles: int

    @property
    def matches(self) -> int:
        """Matches of the double round robin of two seats; the other formats come on top."""
        return self.bots * (self.bots - 1) * self.cycles


class StormEvent(NamedTuple):
    """One of the tournaments that the bots of a run play at the same time."""

    name: str
    scheduler: str
    params: Mapping[str, int]


def size_for(matches: int) -> Size:
    """Return the smallest field of bots that can play so many matches, and its cycles.

    >>> size_for(40)
    Size(bots=4, cycles=4)
    >>> size_for(10_000).matches
    10010
    """
    bots = _FEWEST_BOTS if matches < _LONG_RUN else _USUAL_BOTS
    while bots * (bots - 1) * _MOST_CYCLES < matches:
        bots += 1
    return Size(bots=bots, cycles=ceil(matches / (bots * (bots - 1))))


def events_for(size: Size) -> list[StormEvent]:
    """Return a round robin, and two formats that pair by earlier results."""
    is_long = size.matches >= _LONG_RUN
    duel = {"blocks": 7, "tie_blocks": 2} if is_long else {"blocks": 1, "tie_blocks": 1}
    return [
        StormEvent("round robin", "round_robin/2", {"cycles": size.cycles}),
        StormEvent("Swiss", "swiss/1", {"rounds": size.bots - 1 if is_long else 2}),
        StormEvent("knockout", "knockout/1", duel),
    ]


def submit_bots(number: int, *, game: str) -> list[BotVersion]:
    """Upload bots that always play alike, each by another author; their validations then wait."""
    return [_submit(stride, game) for stride in range(1, number + 1)]


def start_tournaments(
    versions: Sequence[BotVersion], *, events: Iterable[StormEvent], game: str, seed: int
) -> list[Tournament]:
    """Make and start the tournaments of one organiser, all of the same bots."""
    organiser = User.objects.create_user(username="organiser", email="", password=None)
    User.objects.filter(pk=organiser.pk).update(is_organiser=True)
    organiser.refresh_from_db()
    # Start all at once, because strengths and draw rates before the start are part of a document.
    with transaction.atomic():
        opened = [_open(organiser, versions, event, game, seed) for event in events]
        return [start_tournament(actor=organiser, tournament=each) for each in opened]


def choice(stride: int, ply: int, legal: list[str]) -> str:
    """Return what the bot with this stride plays; `bot/main.py` says the same."""
    return legal[(ply + 1) * stride % len(legal)]


def stride_of(name: str) -> int:
    """Return the stride of a bot or bot version by its name."""
    return int(name.partition("-")[2].split()[0])


def remains(tournaments: Iterable[Tournament]) -> dict[str, Any]:  # Any: JSON
    """Return places, tables, pairings, seeds and results by name, free of the run's own ids."""
    return {each.name: _remains_of(each) for each in tournaments}


def _remains_of(tournament: Tournament) -> dict[str, Any]:  # Any: JSON
    tournament.refresh_from_db()
    entries = tournament.entries.values_list("version", "number")
    numbers = dict(entries)
    places = TournamentMatch.objects.filter(tournament=tournament).order_by("index")
    seats = places.order_by("index", "match__seats__seat").values_list(*_SEAT)
    table = FinalRow.objects.filter(entry__tournament=tournament).order_by("place")
    return {
        "table": [list(row) for row in table.values_list(*_TABLE)],
        "places": tournament.places,
        "results": [[numbers[version], *facts] for version, *facts in seats],
    }


def _open(
    organiser: User, versions: Sequence[BotVersion], event: StormEvent, game: str, seed: int
) -> Tournament:
    tournament = create_tournament(
        actor=organiser,
        draft=Draft(
            name=event.name,
            document=TournamentDocument(
                game=game, scheduler=event.scheduler, params=event.params, table_seats=2
            ),
            versions=[version.pk for version in versions],
        ),
    )
    # Both runs need the same secret, and their results must count on the leaderboard, but no
    # service lets anybody choose the secret of a rated tournament.
    tournament.secret = sha256(f"chaos:{seed}:{event.name}".encode()).hexdigest()
    tournament.save(update_fields=("secret",))
    return tournament


def _submit(stride: int, game: str) -> BotVersion:
    author = User.objects.create_user(username=f"author-{stride}", email="", password=None)
    return submit_version(actor=author, archive=_archive(stride, game))


def _archive(stride: int, game: str) -> bytes:
    manifest = (
        f'name = "stride-{stride}"\ngames = ["{game}"]\nlanguage = "python"\nladder = false\n'
    )
    buffer = io.BytesIO()
    with ZipFile(buffer, "w") as archive:
        archive.writestr("bot.toml", f'{manifest}main = "main.py"\n')
        archive.writestr("main.py", _BOT.read_text())
        archive.writestr("stride.txt", f"{stride}\n")
    return buffer.getvalue()
