"""`pentathlon dataset`: training data from a site or from records on this machine."""

from __future__ import annotations

import json
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Annotated, Final

import typer

from pentathlon_engines.cli.arguments import find_game
from pentathlon_engines.cli.client.connection import connect
from pentathlon_engines.cli.completion import complete_game
from pentathlon_engines.cli.dataset_download import Json, download_dataset
from pentathlon_engines.cli.failure import CHECK_FAILED, CommandFailed
from pentathlon_engines.cli.options import AsJson, SiteOption
from pentathlon_engines.cli.output.streams import print_json, say
from pentathlon_engines.commentary.words import count
from pentathlon_engines.dataset.folder import (
    SUMS,
    describe_folder,
    read_table,
    write_dataset,
)
from pentathlon_engines.dataset.schema import TABLES
from pentathlon_engines.errors import BadRecord
from pentathlon_engines.record.record import verify_record
from pentathlon_engines.record.shape import Record

_LOCAL: Final = "local"


def dataset(
    game: Annotated[
        str, typer.Argument(metavar="GAME", help="The game.", autocompletion=complete_game)
    ],
    *,
    folder: Annotated[
        Path | None, typer.Option(help="The output folder; by default GAME-data.")
    ] = None,
    records: Annotated[
        Path | None, typer.Option(help="Make a dataset of the records in this folder instead.")
    ] = None,
    most: Annotated[int, typer.Option(min=1, max=1000, help="Download at most this many.")] = 10,
    parquet: Annotated[bool, typer.Option("--parquet", help="Also write Parquet files.")] = False,
    site: SiteOption = None,
    as_json: AsJson = False,
) -> None:
    """Download the newest datasets of a game, or make one from records on this machine.

    A stopped download resumes where it was. Every part is checked against its hash.

    Example: pentathlon dataset tuned --records tuned-records
    """
    rules = find_game(game)
    to = folder or Path(f"{game}-data")
    if parquet:
        _check_parquet(game)
    describe_folder(to)
    if records is not None:
        told = [_make(to / _LOCAL, records, game=game)]
    else:
        server = connect(site)
        rows = server.rows("datasets/", most=most, game=rules.info.key, newest="true")
        told = [download_dataset(server, row, to) for row in rows]
    if parquet:
        for each in told:
            _convert(Path(each["folder"]))
    if as_json:
        print_json(told)
        return
    for each in told:
        held = f"{count(each['matches'], 'match')}, {count(each['decisions'], 'decision')}"
        say(f"{each['folder']}: {held}.")
    if not told:
        say(
            f"Nothing of {game} has closed there yet. "
            f"Next: pentathlon dataset {game} --records DIR"
        )


def _make(to: Path, records: Path, *, game: str) -> Json:
    for old in to.glob("*-*.ndjson.gz"):
        old.unlink()
    found = _read_records(records, game=game)
    try:
        matches, decisions = write_dataset(to, found)
    except OSError as error:
        raise CommandFailed(
            f"{to} cannot be written: {error.strerror}.", try_next="--folder DIR"
        ) from error
    if not matches:
        raise CommandFailed(
            f"There is no record of {game} in {records}.",
            try_next=f"pentathlon play {game} greedy random --games 10 --records {records}",
        )
    return {"folder": str(to), "matches": matches, "decisions": decisions}


def _read_records(folder: Path, *, game: str) -> Iterator[Record]:
    """Yield the verified records of a game below a folder."""
    for path in sorted(folder.rglob("*.json")):
        try:
            data = json.loads(path.read_bytes())
        except (OSError, ValueError, RecursionError):
            continue
        if not isinstance(data, dict) or data.get("game") != game or "events" not in data:
            continue
        try:
            verify_record(data)
        except BadRecord as error:
            raise CommandFailed(
                f"{path}: {error}.",
                try_next=f"pentathlon verify {path}",
                exit_code=CHECK_FAILED,
            ) from error
        yield data  # type: ignore[misc]  # verified


def _check_parquet(game: str) -> None:
    try:
        import_module("pyarrow")
    except ImportError as error:
        raise CommandFailed(
            "Parquet needs the extra `parquet` (pyarrow), which is not installed.",
            try_next=f"pip install pyarrow, then pentathlon dataset {game} --parquet",
        ) from error


def _convert(folder: Path) -> None:
    """Write a Parquet file for each table of a dataset."""
    if not (folder / SUMS).exists():
        return
    write = import_module("pentathlon_engines.dataset.parquet").write_parquet
    for table in TABLES:
        part = folder / f".{table}.parquet.part"
        write(part, read_table(folder, table), table=table)
        part.replace(folder / f"{table}.parquet")
