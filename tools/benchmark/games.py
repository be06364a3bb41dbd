"""The games that a benchmark measures."""

from argparse import ArgumentParser
from collections.abc import Sequence

from django.core.management.base import CommandError

from pentathlon_engines import GAMES
from pentathlon_engines.contract.registry import unknown_game


def offer_games(parser: ArgumentParser) -> None:
    """Let the command name games."""
    parser.add_argument("games", nargs="*", metavar="GAME", help=f"of {', '.join(GAMES)}; all")


def check_games(keys: Sequence[str]) -> None:
    """Raise if a game that was named does not exist."""
    unknown = sorted(set(keys) - set(GAMES))
    if unknown:
        raise CommandError(f"There is {unknown_game(unknown[0])}.")
