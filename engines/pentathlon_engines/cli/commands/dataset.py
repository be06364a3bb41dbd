"""`pentathlon dataset`: training data from a site or from records on this machine."""

import gzip
import zlib
from collections.abc import Collection, Iterator
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any, Final

import typer

from pentathlon_engines import strict_json
from pentathlon_engines.cli.arguments import find_game
from pentathlon_engines.cli.client.connection import connect
from pentathlon_engines.cli.client.http_site import Site
from pentathlon_engines.cli.failure import CHECK_FAILED, CommandFailed, cannot_write
from pentathlon_engines.cli.options import AsJson, SiteOption, complete_game
from pentathlon_engines.cli.output.streams import is_terminal, print_json, say, show_on_one_line
from pentathlon_engines.commentary.words import count
from pentathlon_engines.dataset.folder import (
    LINES,
    PARQUET,
    SUMS,
    describe_folder,
    digest_of,
    pack_lines,
    parts_of,
    read_part,
    write_dataset,
)
from pentathlon_engines.dataset.rows import TABLES, VERSION
from pentathlon_engines.desk.record_files import write_whole
from pentathlon_engines.errors import BadJson, BadRecord
from pentathlon_engines.record.record import verify_record
from pentathlon_engines.record.shape import Record

Json = dict[str, Any]  # Any: JSON
_LOCAL: Final = "local"


def download_dataset(site: Site, row: Json, to: Path, *, formats: Collection[str]) -> Json:
    """Download one dataset of a list, in formats by suffix, into its own folder.

    Returns a summary.

    Raises:
        CommandFailed: a part does not have the hash that it should have, or the dataset is of a
            newer schema.
    """
    if row["schema_version"] > VERSION:
        raise CommandFailed(
            f"Dataset {row['id']} has schema version {row['schema_version']}; this pentathlon "
            f"knows {VERSION}.",
            try_next=f"the install command on {site.page('kit/')}",
        )
    folder = to / f"dataset-{row['id']}"
    sums = site.download(f"datasets/{row['id']}/SHA256SUMS")
    if digest_of(sums) != row["sha256"]:
        raise _changed(f"{SUMS} of dataset {row['id']}")
    parts = [part for part in _read_sums(sums) if Path(part[0]).suffix in formats]
    for done, (name, digest) in enumerate(parts, start=1):
        if not _is_right(folder, name, digest):
            table, _, number = Path(name).stem.partition("-")
            suffix = Path(name).suffix
            content = site.download(f"datasets/{row['id']}/{table}/{int(number)}{suffix}")
            if digest_of(content) != digest:
                raise _changed(f"{name} of dataset {row['id']}")
            _write_part(folder, name, content)
        if is_terminal():
            show_on_one_line(f"dataset {row['id']}: {done} of {len(parts)} parts")
    # This file comes last: a folder that has it is complete.
    write_whole(folder / SUMS, sums)
    return {
        "folder": str(folder),
        **{name: row[name] for name in ("id", "matches", "decisions", "sha256")},
    }


def _read_sums(sums: bytes) -> Iterator[tuple[str, str]]:
    for line in sums.decode().splitlines():
        digest, _, name = line.partition("  ")
        yield Path(name).name, digest


def _write_part(folder: Path, name: str, content: bytes) -> None:
    """Write lines packed, anything else as it is."""
    if name.endswith(LINES):
        write_whole(folder / f"{name}.gz", pack_lines(content))
    else:
        write_whole(folder / name, content)


def _is_right(folder: Path, name: str, digest: str) -> bool:
    try:
        if name.endswith(LINES):
            return digest_of(gzip.decompress((folder / f"{name}.gz").read_bytes())) == digest
        return digest_of((folder / name).read_bytes()) == digest
    except (OSError, EOFError, zlib.error):
        return False


def _changed(what: str) -> CommandFailed:
    say("Earlier downloads are kept.")
    return CommandFailed(
        f"{what} does not have its hash: it was changed on the way.",
        try_next="the same command again",
        exit_code=CHECK_FAILED,
    )


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

    A stopped download resumes where it was. Every part is checked against its hash. Parquet comes
    from the site if it has it, else it is made here, which needs the extra `parquet`.

    Example: pentathlon dataset tuned --records tuned-records
    """
    rules = find_game(game)
    to = folder or Path(f"{game}-data")
    if records is not None:
        datasets = [_make(to, records, game=game, parquet=parquet)]
    else:
        datasets = _download(connect(site), to, most=most, game=rules.info.key, parquet=parquet)
    if as_json:
        print_json(datasets)
        return
    for made in datasets:
        held = f"{count(made['matches'], 'match')}, {count(made['decisions'], 'decision')}"
        say(f"{made['folder']}: {held}.")
    if not datasets:
        say(
            f"No tournament or season of {game} has closed there yet. "
            f"Next: pentathlon dataset {game} --records DIR"
        )


def _download(server: Site, to: Path, *, most: int, game: str, parquet: bool) -> list[Json]:
    rows = server.rows("datasets/", most=most, game=game, newest="true")
    if parquet and any(row["parquet_bytes"] is None for row in rows):
        _check_parquet(game)
    describe_folder(to)
    formats = (LINES, PARQUET) if parquet else (LINES,)
    datasets = []
    for row in rows:
        datasets.append(download_dataset(server, row, to, formats=formats))
        if parquet and row["parquet_bytes"] is None:
            _convert(Path(datasets[-1]["folder"]))
    return datasets


def _make(folder: Path, records: Path, *, game: str, parquet: bool) -> Json:
    if parquet:
        _check_parquet(game)
    describe_folder(folder)
    to = folder / _LOCAL
    for old in (*to.glob(f"*-*{LINES}.gz"), *to.glob(f"*-*{PARQUET}")):
        old.unlink()
    found = _read_records(records, game=game)
    try:
        matches, decisions = write_dataset(to, found)
    except OSError as error:
        again = "the same command with another --folder"
        raise cannot_write(to, error, try_next=again) from error
    if not matches:
        raise CommandFailed(
            f"There is no record of {game} in {records}.",
            try_next=f"pentathlon play {game} greedy random --games 10 --records {records}",
        )
    if parquet:
        _convert(to)
    return {"folder": str(to), "matches": matches, "decisions": decisions}


def _read_records(folder: Path, *, game: str) -> Iterator[Record]:
    """Yield the verified records of a game below a folder."""
    for path in sorted(folder.rglob("*.json")):
        try:
            data = strict_json.loads(path.read_bytes())
        except (OSError, BadJson):
            continue
        if not isinstance(data, dict) or data.get("game") != game or "events" not in data:
            continue
        try:
            verify_record(data)
        except BadRecord as error:
            raise CommandFailed(
                f"{path}: {error}.", try_next=f"pentathlon verify {path}", exit_code=CHECK_FAILED
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
    """Write a Parquet file beside the lines of each part of a dataset."""
    pack = import_module("pentathlon_engines.dataset.parquet").pack_parquet
    for table in TABLES:
        for path in parts_of(folder, table):
            name = path.name.removesuffix(f"{LINES}.gz") + PARQUET
            write_whole(folder / name, pack(read_part(path), table=table))
