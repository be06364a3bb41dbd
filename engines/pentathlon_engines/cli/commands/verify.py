"""`pentathlon verify`: play a match again, or check how a tournament was drawn."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from pentathlon_engines.cli.client.connection import connect, split_address
from pentathlon_engines.cli.client.http_site import Site
from pentathlon_engines.cli.failure import CHECK_FAILED, CommandFailed
from pentathlon_engines.cli.options import AsJson, SiteOption
from pentathlon_engines.cli.output.streams import print_json
from pentathlon_engines.cli.receipts import Logged, check_receipt
from pentathlon_engines.cli.records import describe_outcome, read_record
from pentathlon_engines.cli.tournament.proof import verify_tournament
from pentathlon_engines.commentary.words import count
from pentathlon_engines.contract.game import State
from pentathlon_engines.errors import BadRecord
from pentathlon_engines.record.record import verify_record
from pentathlon_engines.record.shape import Record


def verify(
    match: Annotated[
        str | None,
        typer.Argument(metavar="FILE|MATCH", help="A record, or a match: its number or address."),
    ] = None,
    *,
    tournament: Annotated[
        str | None, typer.Option(metavar="FILE|URL", help="Check a tournament instead.")
    ] = None,
    commitment: Annotated[
        str | None, typer.Option(help="The commitment that you saved before the start.")
    ] = None,
    records: Annotated[
        Path | None,
        typer.Option(help="A folder with records of the tournament to verify as well."),
    ] = None,
    fetch: Annotated[
        bool, typer.Option("--fetch", help="Download and verify all records of the tournament.")
    ] = False,
    site: SiteOption = None,
    as_json: AsJson = False,
) -> None:
    """Verify a record by playing it again, or check how a tournament was drawn."""
    if (match is None) == (tournament is None):
        raise CommandFailed(
            "Name a record or a match, or a tournament with --tournament.",
            try_next="pentathlon verify match.json",
        )
    if tournament is not None:
        verify_tournament(
            tournament, records=records, fetch=fetch, noted=commitment, as_json=as_json
        )
    elif match is not None:
        _verify_match(match, site, as_json=as_json)


def _verify_match(match: str, site: str | None, *, as_json: bool) -> None:
    origin, number = split_address(match, "matches")
    if number is None or Path(match).exists():
        record: Record = read_record(Path(match))
        _show(match, record, _play_again(match, record, as_json=as_json), as_json=as_json)
        return
    server = connect(origin or site)
    record = _download(server, number, match)
    state = _play_again(match, record, as_json=as_json)
    _show(match, record, state, as_json=as_json, logged=check_receipt(server, number, record))


def _download(server: Site, number: int, match: str) -> Record:
    record = server.get(f"replays/{number}/")
    # A server could show one chain on its page and hand out the record of another match.
    shown = server.get(f"matches/{number}/")["chain"]
    if not isinstance(record, dict) or record.get("chain") != shown:
        raise CommandFailed(
            f"The record of match {number} has a different chain from the one its page shows.",
            try_next=f"pentathlon verify {match} --json",
            exit_code=CHECK_FAILED,
        )
    return record  # type: ignore[return-value]  # JSON, verified next


def _play_again(source: str, record: Record, *, as_json: bool) -> State:
    try:
        return verify_record(record)
    except BadRecord as error:
        if as_json:
            print_json({"valid": False, "code": error.code, "detail": str(error)})
            raise typer.Exit(CHECK_FAILED) from error
        raise CommandFailed(
            f"{source} does not verify: {error}.",
            try_next=f"pentathlon replay {source}",
            exit_code=CHECK_FAILED,
        ) from error


def _show(
    source: str, record: Record, state: State, *, as_json: bool, logged: Logged | None = None
) -> None:
    fork = record.get("fork")
    summary = {name: record[name] for name in ("game", "seed", "bots", "outcome", "chain")}
    if as_json:
        facts = {"plies": len(record["events"]), "fork": fork}
        receipt = {"log": logged.to_json()} if logged else {}
        print_json({"valid": True, **summary, **facts, **receipt})
        return
    typer.echo(
        f"{source} verifies: {count(len(record['events']), 'ply')} of {state.game.info.title}"
    )
    if fork is not None:
        typer.echo(f"forked at ply {fork['ply']} from {fork['chain']}: unrated")
    typer.echo(f"outcome: {describe_outcome(record)}")
    typer.echo(f"chain: {record['chain']}")
    if logged is not None:
        typer.echo(f"log: {logged.to_text()}")
