"""Plays documents of all formats with made-up results and prints one digest of what remains.

The digest depends on nothing but the documents and their secrets.
"""

from __future__ import annotations

import json
import sys
from argparse import ArgumentParser
from collections.abc import Iterable, Sequence
from dataclasses import replace
from hashlib import sha256
from random import Random
from typing import Final

import django

django.setup()

# Models exist only from here on.
from django.db import transaction  # noqa: E402
from django.db.models.functions import Now  # noqa: E402

from pentathlon.accounts.models import User  # noqa: E402
from pentathlon.bots.models import VersionGame  # noqa: E402
from pentathlon.local.preparation import prepare_database  # noqa: E402
from pentathlon.matches.endings import note_endings  # noqa: E402
from pentathlon.matches.models import Match, MatchSeat, MatchState  # noqa: E402
from pentathlon.ratings.services import apply_results  # noqa: E402
from pentathlon.tournaments.models import Tournament  # noqa: E402
from pentathlon.tournaments.scheduling.schedules import make_schedules  # noqa: E402
from pentathlon.tournaments.services import (  # noqa: E402
    close_finished,
    create_tournament,
    start_tournament,
)
from pentathlon_engines.tournament.document import TournamentDocument  # noqa: E402
from tools.benchmark.load.data import GAME, make_bots  # noqa: E402
from tools.chaos.document import remains  # noqa: E402

_LARGE: Final = "way_of_the_dragon"
_BOTS: Final = 7
_DRAWS: Final = 0.1
_DOCUMENTS: Final = (
    TournamentDocument(game=GAME, scheduler="round_robin/2", table_seats=2),
    TournamentDocument(game=_LARGE, scheduler="tables/2", table_seats=4),
    TournamentDocument(game=GAME, scheduler="swiss/1", table_seats=2),
    TournamentDocument(game=GAME, scheduler="knockout/1", table_seats=2),
    TournamentDocument(game=GAME, scheduler="gauntlet/1", table_seats=2),
    TournamentDocument(game=GAME, scheduler="ladder/1", table_seats=2, params={"rounds": 6}),
    TournamentDocument(
        game=GAME, scheduler="finals/2", table_seats=2, params={"finalists": 4, "blocks": 20}
    ),
)


def main() -> None:
    """Play the documents in the order that the command line asks for."""
    parser = ArgumentParser()
    parser.add_argument("--after-others", action="store_true", help="play rated matches before")
    parser.add_argument("--backwards", action="store_true", help="let the last match end first")
    options = parser.parse_args()
    prepare_database()
    owner = User.objects.create_user(username="o", email="", password=None, is_organiser=True)
    versions = make_bots(owner, _BOTS)
    large = (VersionGame(version_id=version, game=_LARGE) for version in versions)
    VersionGame.objects.bulk_create(large, ignore_conflicts=True)
    if options.after_others:
        # Their results change leaderboards, from which later tournaments take seeds and draw
        # rates.
        play_documents(_DOCUMENTS, owner=owner, versions=versions, rated=True)
    played = play_documents(
        _DOCUMENTS, owner=owner, versions=versions, backwards=options.backwards
    )
    sys.stdout.write(f"{digest_of(played)}\n")


def play_documents(
    documents: Iterable[TournamentDocument],
    *,
    owner: User,
    versions: Sequence[int],
    backwards: bool = False,
    rated: bool = False,
) -> list[Tournament]:
    """Play tournaments of these documents to the end; `backwards` ends the last match first."""
    opened = [_open(owner, document, versions, rated=rated) for document in documents]
    _play(opened, backwards=backwards)
    return opened


def digest_of(tournaments: Iterable[Tournament]) -> str:
    """Return the digest of places, tables, pairings, seeds and results."""
    return sha256(json.dumps(remains(tournaments)).encode()).hexdigest()


def _open(
    owner: User, document: TournamentDocument, versions: Sequence[int], *, rated: bool
) -> Tournament:
    secret = sha256(document.scheduler.encode()).hexdigest()
    return create_tournament(
        actor=owner,
        name=document.scheduler,
        document=document if rated else replace(document, draw_probability=_DRAWS),
        versions=versions,
        rated=rated,
        secret=None if rated else secret,
    )


def _play(tournaments: Sequence[Tournament], *, backwards: bool) -> None:
    """Play tournaments to their end; each match ends as its seed says."""
    for tournament in tournaments:
        start_tournament(actor=tournament.owner, tournament=tournament)
    left = len(tournaments)
    while left:
        waiting = list(Match.objects.unfinished().order_by("pk"))
        for match in reversed(waiting) if backwards else waiting:
            _finish(match)
        while apply_results():
            pass
        closed = len(close_finished())
        left -= closed
        if not make_schedules() and not waiting and not closed:
            sys.exit("Nothing moves any more.")


@transaction.atomic
def _finish(match: Match) -> None:
    """Let a match end as if a worker had handed it in."""
    random = Random(f"{match.seed} {match.alias}")
    ranks = list(range(match.seats.count()))
    random.shuffle(ranks)
    for seat, rank in enumerate(ranks):
        MatchSeat.objects.filter(match=match, seat=seat).update(rank=rank)
    Match.objects.filter(pk=match.pk).update(
        state=MatchState.DONE, sandbox="namespaces", started_at=Now(), finished_at=Now()
    )
    note_endings([match.pk])


if __name__ == "__main__":
    main()
