"""`pentathlon upload`: upload records of matches played on your machine."""

from pathlib import Path
from typing import Annotated, Final

import typer

from pentathlon_engines.cli.client.connection import Json, connect_as_person
from pentathlon_engines.cli.client.http_site import Site
from pentathlon_engines.cli.failure import CHECK_FAILED, SiteRefused
from pentathlon_engines.cli.options import AsJson, SiteOption
from pentathlon_engines.cli.output.streams import print_json, print_text, say
from pentathlon_engines.cli.records import read_record
from pentathlon_engines.errors import BadRecord
from pentathlon_engines.record.record import forked_at, verify_record

_OF_THE_RECORD: Final = ("bad_record", "forked_record", "record_too_large", "same_record")
"""The codes of refusals that concern one record and say nothing about the next."""


def upload(
    records: Annotated[
        list[Path], typer.Argument(metavar="RECORD...", help="Files written by `play`.")
    ],
    *,
    site: SiteOption = None,
    as_json: AsJson = False,
) -> None:
    """Upload records of matches that you played, so that others can see them, unrated.

    The site replays each one and keeps the record, your name and the time. Everybody can see it,
    with the bot names that it contains. It never counts, neither in ratings nor among the matches
    of a bot. You can delete it on its page.

    Example: pentathlon upload match.json
    """
    server = connect_as_person(site)
    told = [_upload(server, path) for path in records]
    if as_json:
        print_json(told)
    else:
        for each in told:
            if "url" in each:
                print_text(each["url"])
    if any("refused" in each for each in told):
        raise typer.Exit(CHECK_FAILED)


def _upload(site: Site, path: Path) -> Json:
    record = read_record(path)
    try:
        _check(record)
        made = site.post("desk-records/", record)
    except SiteRefused as error:
        if error.refusal not in _OF_THE_RECORD:
            raise
        return _refused(path, error.refusal, str(error))
    except BadRecord as error:
        return _refused(path, error.code, f"{error}.")
    page = site.page(f"records/{made['id']}/")
    say(f"{path} is uploaded.")
    return {"file": str(path), "id": made["id"], "url": page}


def _check(record: Json) -> None:
    """Refuse locally what the site would refuse."""
    verify_record(record)
    if forked_at(record):  # type: ignore[arg-type]  # JSON that verifies
        raise BadRecord("it was forked, so its first moves come from another match")


def _refused(path: Path, code: str, sentence: str) -> Json:
    say(f"{path} is not uploaded: {sentence}")
    return {"file": str(path), "refused": code, "detail": sentence}
