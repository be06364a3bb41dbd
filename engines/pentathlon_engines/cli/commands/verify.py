"""`pentathlon verify`: play a match again, or check how a tournament was drawn."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any, Final

import typer

from pentathlon_engines import strict_json
from pentathlon_engines.cli.client.connection import connect, split_address
from pentathlon_engines.cli.failure import CHECK_FAILED, HOST_OR_SERVER, CommandFailed
from pentathlon_engines.cli.options import AsJson, SiteOption
from pentathlon_engines.cli.output.streams import print_json
from pentathlon_engines.cli.receipts import Logged, check_receipt
from pentathlon_engines.cli.records import describe_outcome, download_record, read_record
from pentathlon_engines.commentary.words import count
from pentathlon_engines.contract.game import State
from pentathlon_engines.errors import BadJson, BadRecord
from pentathlon_engines.record.record import verify_record
from pentathlon_engines.record.shape import Record
from pentathlon_engines.tournament.proof import (
    FAILED,
    SEALED,
    BadProof,
    Check,
    check_proof,
    join_parts,
    planned_matches,
)
from pentathlon_engines.tournament.proof_schedule import Proof

_ADDRESS: Final = re.compile(r"(https?://.+?)/(?:api/v1/)?tournaments/(\d+)(?:[/?#].*)?")
_MOST_PARTS: Final = 1000
_TIMEOUT_S: Final = 30.0
_AGAIN: Final = "pentathlon verify --tournament http://HOST/tournaments/1/"


def verify_tournament(
    source: str, *, records: Path | None, fetch: bool, noted: str | None, as_json: bool
) -> None:
    """Check the proof in a file or on a server; exit with 1 if a check failed."""
    address = _ADDRESS.fullmatch(source)
    site, number = address.groups() if address else ("", "")
    if fetch and not address:
        raise CommandFailed("--fetch needs the address of a server.", try_next=_AGAIN)
    try:
        proof = _fetch_proof(site, number) if address else _read(Path(source))
        told = list(_read_records(records)) if records else []
        told += _fetch_records(site, proof) if fetch else []
        checks = check_proof(proof, records=told, noted=noted)
    except BadProof as error:
        raise CommandFailed(f"{source} cannot be checked: {error}.", try_next=_AGAIN) from error
    _show_proof(proof, checks, as_json=as_json)
    if any(check.state == FAILED for check in checks):
        raise typer.Exit(CHECK_FAILED)


def _show_proof(proof: Proof, checks: list[Check], *, as_json: bool) -> None:
    is_valid = all(check.state != FAILED for check in checks)
    if as_json:
        is_complete = all(check.state != SEALED for check in checks)
        found = [check._asdict() for check in checks]
        print_json({"valid": is_valid, "complete": is_complete, "checks": found})
        return
    for check in checks:
        typer.echo(f"{check.state:7} {check.name}: {check.detail}")
    verdict = "nothing is wrong" if is_valid else "IT DOES NOT VERIFY"
    typer.echo(f"{proof.get('name')}, {proof.get('state')}: {verdict}")


def _read(path: Path) -> Any:  # Any: JSON
    try:
        return strict_json.loads(path.read_bytes())
    except (OSError, BadJson) as error:
        raise CommandFailed(f"{path} cannot be read: {error}.", try_next=_AGAIN) from error


def _fetch_proof(site: str, number: str) -> Proof:
    address = f"{site}/api/v1/tournaments/{number}/proof/"
    first = _get(address)
    count = first.get("parts", 1) if isinstance(first, dict) else 1
    if not isinstance(count, int) or not 1 < count <= _MOST_PARTS:
        return first  # type: ignore[no-any-return]  # JSON, checked later
    return join_parts([first, *(_get(f"{address}?part={part}") for part in range(2, count + 1))])


def _read_records(folder: Path) -> Iterator[Any]:  # Any: JSON
    paths = sorted(folder.glob("*.json"))
    if not paths:
        raise CommandFailed(f"There are no records (*.json) in {folder}.", try_next=_AGAIN)
    yield from map(_read, paths)


def _fetch_records(site: str, proof: Proof) -> Iterator[Any]:  # Any: JSON
    try:
        matches = planned_matches(proof)
    except (KeyError, TypeError) as error:
        raise BadProof("the proof is damaged") from error
    for match in matches:
        if match.state == "done" and match.seed is not None:
            yield _get(f"{site}/api/v1/replays/{match.match}/")


def _get(address: str) -> Any:  # Any: JSON
    import urllib3  # noqa: PLC0415  # importing it takes as long as the rest of a start

    try:
        answer = urllib3.request(
            "GET",
            address,
            headers={"Accept": "application/json"},
            timeout=_TIMEOUT_S,
            # A server with a throttle says when to try again.
            retries=urllib3.Retry(3, status_forcelist=(429, 503), respect_retry_after_header=True),
        )
        told = strict_json.loads(answer.data)
    except urllib3.exceptions.HTTPError as error:
        raise _no_answer(address, str(error)) from error
    except BadJson as error:
        raise _no_answer(address, f"the answer is not JSON: {error}") from error
    if answer.status != 200:  # noqa: PLR2004  # OK
        detail = told.get("detail") if isinstance(told, dict) else ""
        raise _no_answer(address, f"{answer.status} {detail or ''}".strip().rstrip("."))
    return told


def _no_answer(address: str, reason: str) -> CommandFailed:
    return CommandFailed(
        f"{address} cannot be read: {reason}.",
        try_next="the address of the tournament's page",
        exit_code=HOST_OR_SERVER,
    )


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
        local: Record = read_record(Path(match))
        _show(match, local, _play_again(match, local, as_json=as_json), as_json=as_json)
        return
    server = connect(origin or site)
    record: Record = download_record(server, number, again=f"pentathlon watch {match}")
    state = _play_again(match, record, as_json=as_json)
    _show(match, record, state, as_json=as_json, logged=check_receipt(server, number, record))


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
