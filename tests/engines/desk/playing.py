"""Tournaments at the desk without any process: results are drawn."""

from random import Random
from typing import Any

from pentathlon_engines.desk.match_pool import DeskMatch, DeskResult
from pentathlon_engines.desk.tournament import DeskTournament
from pentathlon_engines.tournament.checks import check_document
from pentathlon_engines.tournament.document import Entrant, TournamentDocument
from tests.engines.desk.acting import desk_result

SECRET = bytes(range(32))


def make_document(
    scheduler: str = "round_robin/2", *, entries: int = 4, game: str = "tuned", **changes: Any
) -> TournamentDocument:
    """Return a document with all defaults."""
    bots = tuple(Entrant(f"bot{number}", 1, f"sha256:{number:064}") for number in range(entries))
    document = TournamentDocument(game=game, scheduler=scheduler, entries=bots, **changes)
    completed, problems = check_document(document, entries=entries)
    assert problems == []
    return completed


def random_result(match: DeskMatch) -> DeskResult:
    """Let the bot with the lower number win mostly, always alike for the same match."""
    noise = Random(f"{match.alias}")
    strength = {player: player + 2 * noise.random() for player in match.players}
    order = sorted(match.players, key=strength.__getitem__)
    return desk_result(tuple(order.index(player) for player in match.players))


def play_tournament(tournament: DeskTournament, *, most: int = 10_000) -> list[DeskMatch]:
    """Play what there is, or so many matches, without any process."""
    played: list[DeskMatch] = []
    while len(played) < most and (match := tournament.next_match()) is not None:
        tournament.take(match, random_result(match))
        played.append(match)
    return played
