"""Tournament documents for this machine, and the bots of their entries."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

from pentathlon_engines.cli.arguments import find_bot, find_player
from pentathlon_engines.cli.failure import CommandFailed
from pentathlon_engines.contract.game import Game
from pentathlon_engines.manifest import FILE_NAME, built_in_bots
from pentathlon_engines.runner import SeatBot
from pentathlon_engines.tournament.checks import check_document, problems_of_start, read_json
from pentathlon_engines.tournament.document import FORMAT, TournamentDocument
from pentathlon_engines.tournament.formats.interface import Problem
from pentathlon_engines.tournament.formats.registry import newest_format

Json = Any

_ROUND_ROBIN: Final = "round_robin"


class Seated(NamedTuple):
    """The bots of a document's entries, in their order."""

    bots: list[SeatBot]
    changed: list[str]
    """The names of entries whose bots have other files than the document states."""


def make_document(
    game: Game,
    bots: Sequence[SeatBot],
    *,
    kind: str | None,
    params: Mapping[str, Json],
    options: Mapping[str, Json],
    limits: Mapping[str, Json],
    seats: int | None,
) -> dict[str, Json]:
    """Return a document for these bots, as a server would write it.

    Bots of the same name count as versions of one bot.
    """
    seats = seats or game.info.check_seats(None)
    entries: list[dict[str, Json]] = []
    for bot in bots:
        version = 1 + sum(entry["bot"] == bot.name for entry in entries)
        entries.append({"bot": bot.name, "version": version, "hash": bot.hash})
    return {
        "format": FORMAT,
        "scheduler": newest_format(kind or _ROUND_ROBIN, seats=seats),
        "params": dict(params),
        "game": game.info.key,
        "options": dict(options),
        "limits": dict(limits),
        "table_seats": seats,
        "entries": entries,
    }


def complete_document(data: Json) -> tuple[TournamentDocument | None, list[Problem]]:
    """Return a document with all defaults, and everything that is wrong with it."""
    document, problems = read_json(data, release={})
    if document is None:
        return None, list(problems)
    completed, wrong = check_document(document, entries=len(document.entries))
    return completed, [*problems, *wrong] or list(problems_of_start(completed))


def read_params(words: Sequence[str]) -> dict[str, Json]:
    """Return parameters given as NAME=VALUE; a value is JSON, such as 3 or true."""
    params = {}
    for word in words:
        name, is_given, text = word.partition("=")
        try:
            params[name] = json.loads(text)
        except ValueError:
            is_given = ""
        if not is_given:
            raise CommandFailed(
                f"--param {word}: write NAME=VALUE with a number, true, false or null.",
                try_next="pentathlon tournament --help",
            )
    return params


def seat_entries(
    document: TournamentDocument, names: Sequence[str], *, game: Game, file: Path
) -> Seated:
    """Return a bot for each entry: the one with its files, else the one with its name.

    Bots are looked for among `names`, then among the built-in ones and the folders beside the
    document and here.
    """
    given = [find_player(name, game=game) for name in names]
    by_hash = {bot.hash: bot for bot in given}
    by_name = {bot.name: bot for bot in given}
    bots: list[SeatBot] = []
    missing, changed = [], []
    for number, entry in enumerate(document.entries):
        name = entry.bot or f"entry {number}"
        bot = by_hash.get(entry.hash) or by_name.get(entry.bot)
        bot = bot or _find_near(entry.bot, file.parent, game)
        if bot is None:
            missing.append(name)
            continue
        bots.append(bot)
        if bot.hash != entry.hash:
            changed.append(name)
    if missing:
        raise CommandFailed(
            f"There is no bot here for {', '.join(missing)}: give their folders after "
            "the document.",
            try_next=f"pentathlon tournament {file} FOLDER FOLDER...",
        )
    return Seated(bots, changed)


def _find_near(name: str, folder: Path, game: Game) -> SeatBot | None:
    if name in built_in_bots():
        return find_player(name, game=game)
    for place in (folder / name, Path(name)):
        if name and (place / FILE_NAME).is_file():
            manifest, bot = find_bot(str(place))
            return bot if game.info.key in manifest.games else None
    return None
