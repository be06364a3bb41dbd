"""Matches at the desk without any process: random play by the referee."""

from collections.abc import Mapping, Sequence
from random import Random
from typing import Any

from pentathlon_engines import GAMES, Game
from pentathlon_engines.desk.match_pool import DeskMatch, DeskResult, Tick
from pentathlon_engines.desk.tournament import DeskTournament
from pentathlon_engines.match.faults import Fault, FaultKind
from pentathlon_engines.match.launcher import Launcher, Usage
from pentathlon_engines.match.limits import Limits
from pentathlon_engines.match.referee import Referee
from pentathlon_engines.match.traces import Trace, TraceLine
from pentathlon_engines.record.record import seal
from pentathlon_engines.record.rerun import Fork
from pentathlon_engines.record.shape import Header
from pentathlon_engines.runner import MatchReport, SeatBot
from pentathlon_engines.tournament.checks import check_document
from pentathlon_engines.tournament.document import Entrant, TournamentDocument
from tests.engines.record.random_records import make_record

_IDLE = Usage(cpu_s=0.1, wall_s=0.2, memory_peak_mb=10.0, exit_status=0)


def desk_result(
    ranks: tuple[int, ...], *, failed: tuple[int, ...] = (), course: str = "c"
) -> DeskResult:
    """Return a result with these ranks."""
    return DeskResult(
        ranks=ranks,
        failed=failed,
        slowest_ms=(1,) * len(ranks),
        reason="line",
        plies=9,
        course=course,
        chain="h",
    )


def play_at_random(match: DeskMatch, tick: Tick) -> MatchReport:
    """Play a match of Tuned at random, in this process."""
    tick(0)
    record = make_record(GAMES["tuned"], seats=len(match.players), seed=match.seed)
    seats = len(match.players)
    return MatchReport(
        record=record,
        logs=[b""] * seats,
        usage=[_IDLE] * seats,
        notes=[[] for _ in range(seats)],
        traces=[],
    )


def play_in_process(
    *,
    game: Game,
    options: Mapping[str, Any] | None,
    seats: Sequence[SeatBot],
    seed: int,
    limits: Limits,
    launcher: Launcher,
    match: str,
    on_tick: Tick | None = None,
    fork: Fork | None = None,
    **_more: object,
) -> MatchReport:
    """Play as `runner.play_match` does, at random and without a process.

    The bot `first` fails at its first request.
    """
    referee = Referee(game=game, seats=len(seats), options=options, seed=seed)
    referee.repeat(fork.events if fork else ())
    rng = Random(match)
    while (seat := referee.seat_to_ask()) is not None:
        if on_tick is not None:
            on_tick(referee.ply)
        if seats[seat].name == "first":
            kind, detail = FaultKind.ILLEGAL_ACTION, "the action is not among the legal ones"
            referee.expel(Fault(kind, seat=seat, ply=referee.ply, detail=detail))
            continue
        referee.accept(rng.choice(referee.request().legal), cpu_ms=1, wall_ms=2)
    header: Header = {
        "game": game.info.key,
        "rules": game.info.version,
        "seats": len(seats),
        "options": referee.state.options,
        "seed": seed,
        "match": match,
        "bots": [{"name": bot.name, "hash": bot.hash} for bot in seats],
        "limits": limits.to_json(),
        "sandbox": launcher.level.value,
        "layers": list(launcher.layers),
    }
    if fork is not None:
        header["fork"] = fork.point
    said = [TraceLine(">", "{}", 2), TraceLine("<", '{"action": "sing"}', 18)]
    return MatchReport(
        record=seal(
            header, events=referee.events, faults=referee.faults, outcome=referee.final_outcome()
        ),
        logs=[b""] * len(seats),
        usage=[_IDLE] * len(seats),
        notes=[[] for _ in seats],
        traces=[Trace(said, 1, 1, 2, 20, 0, ended=False) for _ in seats],
    )


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
