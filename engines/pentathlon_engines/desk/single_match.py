"""Matches from Python: what `pentathlon play` does, as a function."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from secrets import randbelow
from typing import Any

from pentathlon_engines import GAMES
from pentathlon_engines.desk.bots import load_bot
from pentathlon_engines.desk.match_pool import desk_alias
from pentathlon_engines.errors import UnknownGame
from pentathlon_engines.match.limits import Limits
from pentathlon_engines.match.plain_launcher import PlainLauncher
from pentathlon_engines.record.shape import SEED_END
from pentathlon_engines.runner import MatchReport, play_match


def play(
    game: str,
    bots: Sequence[str | Path],
    *,
    seed: int | None = None,
    parameters: Sequence[Mapping[str, object]] | None = None,
    options: Mapping[str, Any] | None = None,  # Any: each option of a game has its own type
    limits: Mapping[str, float] | None = None,
) -> MatchReport:
    """Play one match with bots from their folders, or built-in ones, and return the report.

    `parameters` has the values for each bot in turn; `options` are the game's. Each seat is a
    process with its limits, so threads may call this for several matches at a time. Of the
    report, `record["outcome"]["ranks"]` has the rank of each seat, 0 for the best, and
    `record["faults"]` what bots did wrong.

    >>> report = play("tuned", ["random", "greedy"], seed=7)
    >>> len(report.record["outcome"]["ranks"])
    2

    Raises:
        EngineError: there is no such game, bot, parameter, option or table.
        LaunchFailed: this machine cannot start a bot.
    """
    seats = []
    for name, values in zip(bots, parameters or [{}] * len(bots), strict=True):
        manifest, bot, _ = load_bot(name, values)
        if game not in manifest.games:
            raise UnknownGame(f"{manifest.name} plays {', '.join(manifest.games)}, not {game}")
        seats.append(bot)
    seed = randbelow(SEED_END) if seed is None else seed
    return play_match(
        game=GAMES[game],
        options=options,
        seats=seats,
        seed=seed,
        limits=Limits.from_json(dict(limits or {})),
        launcher=PlainLauncher(),
        match=desk_alias(seed, leg=1),
    )
