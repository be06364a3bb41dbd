"""Records in files: reading one, and saying how it ended."""

import zlib
from gzip import decompress
from pathlib import Path
from typing import Any

from pentathlon_engines import strict_json
from pentathlon_engines.cli.failure import CHECK_FAILED, USAGE, CommandFailed
from pentathlon_engines.contract.info import ordinal
from pentathlon_engines.errors import BadJson, RepeatedField
from pentathlon_engines.record.shape import Record


def read_record(path: Path) -> Any:  # Any: JSON, not verified yet
    """Return the JSON object in a file, which may be packed with gzip."""
    try:
        data = path.read_bytes()
        record = strict_json.loads(decompress(data) if data.startswith(strict_json.GZIP) else data)
    except (OSError, EOFError, BadJson, zlib.error) as error:
        raise CommandFailed(
            f"{path} cannot be read as a record: {error}.",
            try_next="pentathlon play tuned greedy random --record match.json",
            exit_code=CHECK_FAILED if isinstance(error, RepeatedField) else USAGE,
        ) from error
    if not isinstance(record, dict):
        raise CommandFailed(
            f"{path} is not a record: it is not a JSON object.",
            try_next="pentathlon play tuned greedy random --record match.json",
        )
    return record


def describe_outcome(record: Record) -> str:
    """Return a sentence with the rank of each bot and the reason."""
    outcome = record["outcome"]
    places = [
        f"{bot['name']} (seat {seat}) {ordinal(rank)}"
        for seat, (bot, rank) in enumerate(zip(record["bots"], outcome["ranks"], strict=True))
    ]
    how = "all failed, so nobody won" if 0 not in outcome["ranks"] else f"by {outcome['reason']}"
    return f"{', '.join(places)} {how}"
