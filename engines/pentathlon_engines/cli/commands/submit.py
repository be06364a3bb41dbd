"""`pentathlon submit`: from a folder, or several, to the first rated match."""

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from pentathlon_engines.archive.archives import CheckedArchive
from pentathlon_engines.cli.client.connection import Json, connect_as_person
from pentathlon_engines.cli.client.http_site import Site
from pentathlon_engines.cli.client.patience import Patience
from pentathlon_engines.cli.client.submission import (
    Follower,
    out_of_time,
    pack,
    rename_bot,
    upload_version,
)
from pentathlon_engines.cli.failure import CHECK_FAILED, CommandFailed
from pentathlon_engines.cli.options import AsJson, SiteOption
from pentathlon_engines.cli.output.streams import print_json, print_text, say
from pentathlon_engines.cli.output.tables import print_table
from pentathlon_engines.errors import BadManifest


@dataclass(frozen=True, slots=True, kw_only=True)
class Submitting:
    """Options of a submission."""

    site: Site
    began: float
    wait: bool
    candidate: bool
    notes: str
    timeout_s: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Submitted:
    """A bot on the site."""

    source: Path
    archive: CheckedArchive
    version: Json


def submit(
    folders: Annotated[
        list[Path] | None, typer.Argument(metavar="[FOLDER]…", help="Folders or zips of bots.")
    ] = None,
    *,
    wait: Annotated[
        bool,
        typer.Option("--wait", help="Wait for the build, the checks and the first rated match."),
    ] = False,
    no_activate: Annotated[
        bool, typer.Option("--no-activate", help="Keep it as a candidate, which joins no ladder.")
    ] = False,
    name: Annotated[
        str | None, typer.Option(help="Give the bot this name, also in bot.toml.")
    ] = None,
    notes: Annotated[str, typer.Option(help="What changed; everybody can read it.")] = "",
    timeout: Annotated[
        float, typer.Option(min=1, help="The maximum number of seconds to wait.")
    ] = 600,
    site: SiteOption = None,
    as_json: AsJson = False,
) -> None:
    """Upload a bot, or the next version of it; with --wait follow it to its first rated match.

    With --no-activate the version stays a candidate: it does not take the place of the version
    that plays for the bot. To let it play, submit the same files again without --no-activate.
    Names are unique on a site. If yours is taken, the site suggests a free one.
    Several bots are submitted independently of each other; a table shows the result of each.

    Example: pentathlon submit ./my-bot --wait
    """
    sources = folders or [Path()]
    began = time.monotonic()
    if name is not None:
        if len(sources) > 1:
            raise CommandFailed(
                "--name is for one bot.", try_next=f"pentathlon submit {sources[0]} --name {name}"
            )
        rename_bot(sources[0], name)
    server = connect_as_person(site)
    server.kit()
    submitting = Submitting(
        site=server, began=began, wait=wait, candidate=no_activate, notes=notes, timeout_s=timeout
    )
    if len(sources) > 1:
        _submit_all(submitting, sources, as_json=as_json)
        return
    told = _follow(submitting, _upload(submitting, sources[0]))
    if as_json:
        print_json(told)
        return
    print_text(told.get("first_match") or told["url"])
    if not wait:
        say(f"Next: pentathlon watch {told['bot']}")


def _upload(how: Submitting, source: Path) -> Submitted:
    archive = pack(source)
    version = upload_version(
        how.site, archive, source=source, notes=how.notes, candidate=how.candidate
    )
    return Submitted(source=source, archive=archive, version=version)


def _follow(how: Submitting, submitted: Submitted) -> Json:
    """Return the state of a version, after waiting if requested."""
    version, server = submitted.version, how.site
    told: Json = {
        "bot": version["bot"]["name"],
        "version": version["number"],
        "state": version["state"],
        "candidate": version.get("is_candidate", False),
        "content_hash": version["content_hash"],
        "url": server.page(f"versions/{version['id']}/"),
    }
    if how.wait:
        follow = Follower(server, version, Patience(how.timeout_s, **out_of_time(version)))
        told["state"] = follow.to_its_verdict()["state"]
        told["may_play_s"] = round(time.monotonic() - how.began, 1)
        plays = submitted.archive.manifest.plays_on_ladders and not told["candidate"]
        match = follow.to_its_first_match() if plays else None
        told["first_match"] = match and server.page(f"matches/{match['id']}/")
        told["first_match_s"] = match and round(time.monotonic() - how.began, 1)
        place = follow.to_its_place(match["game"]) if match else None
        told |= {name: place and place[name] for name in ("rank", "strength")}
    if told["candidate"]:
        again = f"pentathlon submit {submitted.source}"
        say(f"It is a candidate; {again} lets it play for {told['bot']}.")
    return told


def _submit_all(how: Submitting, sources: Sequence[Path], *, as_json: bool) -> None:
    """Submit the bots independently; exit with the worst of their codes."""
    lines = [_Line(source=source) for source in sources]
    for line in lines:
        with _noting_failure(line):
            line.submitted = _upload(how, line.source)
    for line in lines:
        if line.submitted is not None:
            with _noting_failure(line):
                line.told = _follow(how, line.submitted)
    if as_json:
        print_json([line.to_json() for line in lines])
    else:
        print_table(("folder", "bot", "version", "state", "next"), [line.row() for line in lines])
    if worst := max(line.failure.exit_code if line.failure else 0 for line in lines):
        raise typer.Exit(worst)


@dataclass(slots=True, kw_only=True)
class _Line:
    """One of several bots, and its progress."""

    source: Path
    submitted: Submitted | None = None
    told: Json | None = None
    failure: CommandFailed | None = None

    def to_json(self) -> Json:
        """Return the result for programs."""
        if self.failure is not None:
            failed = {"error": str(self.failure), "try_next": self.failure.try_next}
            return {"folder": str(self.source), **failed}
        return {"folder": str(self.source), **(self.told or {})}

    def row(self) -> tuple[str, ...]:
        """Return the result for people."""
        version = self.submitted.version if self.submitted else None
        name, number = (version["bot"]["name"], str(version["number"])) if version else ("", "")
        if self.failure is not None:
            state = "refused" if version is None else "failed"
            return str(self.source), name, number, state, self.failure.try_next
        told = self.told or {}
        place = told.get("first_match") or told.get("url", "")
        return str(self.source), name, number, told.get("state", ""), place


@contextmanager
def _noting_failure(line: _Line) -> Iterator[None]:
    try:
        yield
    except CommandFailed as error:
        line.failure = error
    except BadManifest as error:
        again = f"pentathlon check {line.source}"
        line.failure = CommandFailed(f"{error}.", try_next=again, exit_code=CHECK_FAILED)
    if line.failure is not None:
        say(f"{line.source}: {line.failure}")
