"""Submits a bot to the site as a version, and follows it until it may play."""

import re
import shlex
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

import typer

from pentathlon_engines.archive.archives import CheckedArchive, read_archive
from pentathlon_engines.archive.packing import pack_bot, top_folder
from pentathlon_engines.cli.client.connection import Json, describe_match, me
from pentathlon_engines.cli.client.http_site import Site
from pentathlon_engines.cli.client.patience import Patience
from pentathlon_engines.cli.failure import CHECK_FAILED, HOST_OR_SERVER, CommandFailed, SiteRefused
from pentathlon_engines.cli.output.streams import (
    is_terminal,
    say,
    say_end_of_log,
    say_log,
    say_repairs,
)
from pentathlon_engines.commentary.words import count
from pentathlon_engines.errors import BadArchive, BadManifest
from pentathlon_engines.manifest import (
    FILE_NAME,
    is_placeholder,
    manifest_path,
    parse_manifest,
    read_manifest,
)
from pentathlon_engines.repairs import plain_manifest

_NAME_LINE: Final = re.compile(
    r"""^([ \t]*name[ \t]*=[ \t]*)("[^"\n]*"|'[^'\n]*')""", re.MULTILINE
)
_LADDER: Final = "ladder"
_MOST_VERSIONS: Final = 1000
_TO_BE_RATED_S: Final = 30.0


def rename_bot(folder: Path, name: str) -> None:
    """Write a new name into the bot.toml of a folder, leaving the rest of the file unchanged."""
    if not folder.is_dir():
        raise CommandFailed(
            f"{folder} is not a folder, so its name cannot be changed here.",
            try_next=f"another name in the {FILE_NAME} of {folder}",
        )
    folder = top_folder(folder)
    before = read_manifest(folder)
    path = manifest_path(folder)
    old = plain_manifest(path.read_bytes())[0].decode()
    text = _NAME_LINE.sub(lambda found: f'{found[1]}"{name}"', old, count=1)
    try:
        after = parse_manifest(text.encode(), has_file=lambda file: (folder / file).is_file())
    except BadManifest as error:
        raise CommandFailed(str(error), try_next="pentathlon submit --help") from error
    if after != replace(before, name=name):
        raise CommandFailed(
            f"The line with the name was not found in {path}.",
            try_next=f'name = "{name}" in that file',
        )
    path.write_bytes(text.encode())


def pack(source: Path) -> CheckedArchive:
    """Return the files of a bot, from its folder or from a zip of it, as the site keeps them."""
    has_bot = source.is_file() or manifest_path(top_folder(source)).is_file()
    if not has_bot:
        raise CommandFailed(
            f"There is no {FILE_NAME} in {source.resolve()}.", try_next="pentathlon init GAME"
        )
    try:
        archive = read_archive(source.read_bytes()) if source.is_file() else pack_bot(source)
    except BadArchive as error:
        raise CommandFailed(
            str(error), try_next=f"pentathlon check {source}", exit_code=CHECK_FAILED
        ) from error
    size = len(archive.whole())
    say_repairs(archive.repairs)
    say(f"{archive.manifest.name}: {count(len(archive.files), 'file')}, {size:,} bytes packed")
    return archive


def upload_version(
    site: Site, archive: CheckedArchive, *, source: Path, notes: str = "", candidate: bool = False
) -> Json:
    """Upload the archive as a new bot or the next version; return the version.

    Files that the site already has are not sent again; if they are those of a candidate, it is
    activated unless `candidate` is true. If another author has the name, the bot gets a new name,
    in bot.toml too: at once if it is a name like my-bot, otherwise if the person at the terminal
    agrees.
    """
    name = archive.manifest.name
    own = site.rows("bots/", most=1, owner=me(site), name=name)
    if own:
        sent = _same(site, own[0], archive)
        if sent is not None:
            say(f"{sent['label']} has exactly these files: nothing to upload.")
            is_to_play = sent["is_candidate"] and not candidate
            return _activate(site, sent) if is_to_play else sent
    fields = {"notes": notes, "candidate": str(candidate).lower()}
    try:
        if own:
            version = site.upload("versions/", archive.whole(), **fields, bot=str(own[0]["id"]))
        else:
            version = site.upload("bots/", archive.whole(), **fields)["latest_version"]
    except SiteRefused as error:
        free = _free_name(error)
        if free is None or not source.is_dir() or not _may_rename(name, free):
            raise _refused(error, site, source, candidate=candidate) from error
        rename_bot(source, free)
        say(f"{name} belongs to another author: yours is {free} now, in bot.toml too.")
        again = pack(source)
        return upload_version(site, again, source=source, notes=notes, candidate=candidate)
    say(f"Uploaded as {version['label']}: {site.page('versions/')}{version['id']}/")
    return version  # type: ignore[no-any-return]  # JSON


def _activate(site: Site, version: Json) -> Json:
    active: Json = site.post(f"versions/{version['id']}/activate/")
    say(f"{active['label']} was a candidate; now it plays for its bot.")
    return active


def _same(site: Site, bot: Json, archive: CheckedArchive) -> Json | None:
    versions = site.rows("versions/", most=_MOST_VERSIONS, bot=bot["id"])
    same = (row for row in versions if row["content_hash"] == archive.content_hash)
    return next(same, None)


def _free_name(error: SiteRefused) -> str | None:
    """Return the name that a site suggests for one that is taken."""
    if error.refusal != "name_taken" or not error.allowed:
        return None
    return str(error.allowed[0])


def _may_rename(name: str, free: str) -> bool:
    """Return whether a bot may be renamed: `init` generated its name, no person chose it."""
    if is_placeholder(name):
        return True
    if not (sys.stdin.isatty() and is_terminal()):
        return False
    return typer.confirm(f"The name {name} is taken. Submit it as {free}?", True, err=True)


def _refused(error: SiteRefused, site: Site, source: Path, *, candidate: bool) -> CommandFailed:
    """Turn a refusal of the upload into a failed check with the next command."""
    option = " --no-activate" if candidate else ""
    renamed = f"pentathlon submit {source} --name {shlex.quote(_free_name(error) or 'OTHER')}"
    advice = {
        "name_taken": f"{renamed}{option}",
        "too_many_validating": "pentathlon bots",
        "quota_exceeded": "pentathlon bots",
        "no_worker_for_build": f"a program built here: {site.page('docs/first-bot/#binary')}",
    }
    is_ours = error.exit_code == HOST_OR_SERVER or error.refusal in ("", "missing_scope")
    if is_ours or error.status == 401:  # noqa: PLR2004  unauthorized
        return error
    return CommandFailed(
        str(error),
        try_next=advice.get(error.refusal, f"pentathlon check {source}"),
        exit_code=CHECK_FAILED,
    )


def out_of_time(version: Json) -> dict[str, str]:
    """Describe what happens to a version after the wait has timed out."""
    label, name = version["label"], version["bot"]["name"]
    return {
        "what": f"{label} has not finished in time. The site continues without you.",
        "try_next": f"pentathlon watch {name}",
    }


def new_lines(before: Sequence[str], now: Sequence[str]) -> Sequence[str]:
    """Return the lines that a log has got since the last look.

    The site keeps only the end of a long log, which may begin within a line.

    >>> new_lines(["a", "b", "c"], ["b", "c", "d"])
    ['d']
    """
    common = _overlap(before, now)
    if not common and before and now:
        common = (shared := _overlap(before, now[1:])) and shared + 1
    return now[common:]


def _overlap(before: Sequence[str], now: Sequence[str]) -> int:
    """Return how many lines at the end of `before` are those at the beginning of `now`."""
    borders: list[int] = []
    matched = 0
    # As Knuth, Morris and Pratt: a log may be one line thousands of times.
    for line in now:
        while matched and (not borders or line != now[matched]):
            matched = borders[matched - 1]
        matched += bool(borders) and line == now[matched]
        borders.append(matched)
    matched = 0
    for line in before:
        while matched and (matched == len(now) or line != now[matched]):
            matched = borders[matched - 1]
        matched += matched < len(now) and line == now[matched]
    return matched


class Follower:
    """Reports the progress of a version."""

    def __init__(self, site: Site, version: Json, patience: Patience) -> None:
        self._site = site
        self._version = version
        self._patience = patience
        self._may_read = True
        self._shown: list[str] = []
        self._said: tuple[str, int | str] | None = None

    def to_its_verdict(self) -> Json:
        """Wait until the version may play; fail with the reason if it may not."""
        address = f"versions/{self._version['id']}/"
        version = self._wait(lambda: self._settled(address))
        self._show_build(is_over=True)
        state, label = version["state"], version["label"]
        if state == "eligible":
            say(f"{label} may play.")
            return version
        say_end_of_log(self._private_log("validation_log"))
        name = version["bot"]["name"]
        is_ours = state == "unchecked"
        raise CommandFailed(
            f"{label} may not play ({state}): {version['state_reason']}",
            try_next=self._site.page(address) if is_ours else f"pentathlon logs {name}",
            exit_code=HOST_OR_SERVER if is_ours else CHECK_FAILED,
        )

    def to_its_first_match(self) -> Json | None:
        """Wait for the first rated match on a ladder; return None if no ladder takes the bot."""
        games = set(self._version["games"])
        ladders = self._site.all_rows("ladders/")
        if not any(row["takes_all"] and row["game"] in games for row in ladders):
            say("It joins no ladder of this site automatically.")
            return None
        match = self._wait(self._rated)
        say(f"First rated match: {describe_match(match)}")
        return match

    def to_its_place(self, game: str) -> Json | None:
        """Wait until the first match counts on the table of a game; return the version's line.

        None if the table does not list it within half a minute.
        """
        own = {"owner": self._version["bot"]["owner"]["username"]}
        patience = Patience(_TO_BE_RATED_S, **out_of_time(self._version))
        try:
            for rows in patience.answers(
                lambda: self._site.rows(f"leaderboards/{game}/", most=_MOST_VERSIONS, **own)
            ):
                for row in rows:
                    if row["version"]["id"] == self._version["id"]:
                        mark = ", provisional" if row["provisional"] else ""
                        say(f"Rank {row['rank']} in {game}, strength {row['strength']:.1f}{mark}.")
                        return row  # type: ignore[no-any-return]  # JSON
        except CommandFailed:
            say("It is not on the table yet.")
        return None

    def _settled(self, address: str) -> Json | None:
        version: Json = self._site.get(address)
        if version["state"] != "validating":
            return version
        self._show_build()
        self._say_why(version)
        return None

    def _rated(self) -> Json | None:
        query = {"version": self._version["id"], "kind": _LADDER}
        found = self._site.rows("matches/", most=1, state="done", **query)
        if found:
            return found[0]  # type: ignore[no-any-return]  # JSON
        self._say_why(self._site.get(f"versions/{self._version['id']}/"))
        return None

    def _show_build(self, *, is_over: bool = False) -> None:
        """Show the build's new lines."""
        log = self._private_log("build_log")
        lines = (log if is_over else log[: log.rfind("\n") + 1]).splitlines()
        new = new_lines(self._shown, lines)
        say_log(new)
        if new:
            self._patience.note_news()
            self._shown = lines

    def _private_log(self, name: str) -> str:
        if not self._may_read:
            return ""
        try:
            log: str = self._site.get(f"versions/{self._version['id']}/log/")[name]
        except SiteRefused as error:
            if error.refusal != "missing_scope":
                raise
            say("The token may not read logs: it lacks the scope private:read.")
            self._may_read = False
            return ""
        return log

    def _say_why(self, version: Json) -> None:
        """Print why the version waits, if the reason or the number of matches before it is new."""
        reason = version["waiting"]
        if not reason:
            return
        before = reason["before"]
        # The time that they take changes with every look.
        fact = before["matches"] if before else reason["sentence"]
        if (reason["code"], fact) != self._said:
            say(f"Waiting: {reason['sentence']}")
            self._said = reason["code"], fact

    def _wait(self, look: Callable[[], Json | None]) -> Json:
        found = next(row for row in self._patience.answers(look) if row is not None)
        self._patience.note_news()
        return found
