"""The site that a command uses, its user and their credentials, and bots there by name.

The environment comes first (`PENTATHLON_SITE`, `PENTATHLON_TOKEN`: for scripts), then what
`pentathlon login` has stored, then the site that this very package was installed from.
"""

from __future__ import annotations

import json
import os
import re
import stat
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Self
from urllib.parse import SplitResult, urlsplit

from pentathlon_engines.cli.failure import HOST_OR_SERVER, CommandFailed, cannot_write
from pentathlon_engines.manifest import manifest_path, read_manifest

if TYPE_CHECKING:
    from pentathlon_engines.cli.client.http_site import Site

_FOLDER: Final = "pentathlon"
_FILE: Final = "credentials.json"
SITE_VARIABLE: Final = "PENTATHLON_SITE"
TOKEN_VARIABLE: Final = "PENTATHLON_TOKEN"  # noqa: S105  the name of a variable
_LOOPBACK = re.compile(r"localhost|127(\.\d+){3}|\[::1\]")
_NUMBER = re.compile(r"\d{1,18}")
Json = dict[str, Any]  # Any: JSON
_WITH_NUMBER: Final = re.compile(r"(.+?)(?:@| v)(\d{1,9})")


def write_private(path: Path, text: str, *, try_next: str) -> None:
    """Write a file atomically, readable only by its owner."""
    draft = path.with_name(f"{path.name}.{os.getpid()}")
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL
        with os.fdopen(os.open(draft, flags, 0o600), "w", encoding="utf-8") as file:
            file.write(text)
        draft.replace(path)
    except OSError as error:
        draft.unlink(missing_ok=True)
        raise cannot_write(path, error, try_next=try_next) from error


@dataclass(frozen=True, slots=True, kw_only=True)
class Credential:
    """A token and its owner."""

    token: str = field(repr=False)
    username: str


@dataclass(slots=True)
class Credentials:
    """The known sites: the one in use, and a token for each."""

    site: str | None = None
    """The site that was signed in to last; None if there is none."""
    by_site: dict[str, Credential] = field(default_factory=dict)

    @property
    def username(self) -> str | None:
        """The last sign-in, or None."""
        last = self.by_site.get(self.site or "")
        return last.username if last else None

    @classmethod
    def load(cls) -> Self:
        """Read the file; if there is none, no site is known."""
        path = credentials_path()
        try:
            _check_private(path)
            stored: Any = json.loads(path.read_bytes())  # Any: JSON
            tokens = {
                site: Credential(token=row["token"], username=row["username"])
                for site, row in stored["tokens"].items()
            }
            return cls(site=stored["site"], by_site=tokens)
        except FileNotFoundError:
            return cls()
        except (OSError, ValueError, LookupError, TypeError, AttributeError) as error:
            raise CommandFailed(
                f"{path} cannot be read: {error}.", try_next=f"rm {path}; pentathlon login"
            ) from error

    def save(self) -> None:
        """Write the file atomically, with mode 0600."""
        tokens = {
            site: {"token": credential.token, "username": credential.username}
            for site, credential in self.by_site.items()
        }
        write_private(
            credentials_path(),
            json.dumps({"site": self.site, "tokens": tokens}, indent=2),
            try_next="PENTATHLON_TOKEN in the environment keeps a token without a file",
        )


def credentials_path() -> Path:
    """Return the path of the token file."""
    import platformdirs  # noqa: PLC0415  # a quarter of the start of a command without a site

    return platformdirs.user_config_path(_FOLDER) / _FILE


def _check_private(path: Path) -> None:
    if os.name == "posix" and stat.S_IMODE(path.stat().st_mode) & 0o077:
        raise CommandFailed(
            f"Others can read your tokens in {path}.",
            try_next=f"chmod 600 {path}",
            exit_code=HOST_OR_SERVER,
        )


def connect(address: str | None = None) -> Site:
    """Return the site at this address, or the default one, with the stored token."""
    from pentathlon_engines.cli.client.http_site import Site  # noqa: PLC0415  # loads urllib3

    known = Credentials.load()
    origin = origin_of(address) if address else usual_site(known)
    token = os.environ.get(TOKEN_VARIABLE)
    if token and (not address or origin == _site_of_environment()):
        return Site(origin, token=token.strip(), named_by=TOKEN_VARIABLE)
    stored = known.by_site.get(origin)
    return Site(origin, token=stored.token if stored else None)


def connect_as_person(address: str | None = None) -> Site:
    """Return the site as `connect` does; fail if the user has not signed in there."""
    site = connect(address)
    if site.token is None:
        raise CommandFailed(
            f"You have not signed in to {site.origin}.", try_next=f"pentathlon login {site.origin}"
        )
    return site


def usual_site(known: Credentials) -> str:
    """Return the default site."""
    found = _site_of_environment() or known.site or _installed_from()
    if found is None:
        raise CommandFailed(
            "No site is given, and none is known from an earlier login.",
            try_next="pentathlon login http://localhost:8000",
        )
    return found


def origin_of(address: str) -> str:
    """Return scheme, host and port of a pasted address: a page or a bare host."""
    try:
        if "://" not in address:
            scheme = "http" if _is_loopback(urlsplit(f"//{address}")) else "https"
            address = f"{scheme}://{address}"
        parts = urlsplit(address)
        _ = parts.port
    except ValueError:
        parts = urlsplit("")
    if parts.scheme not in ("http", "https") or not parts.hostname or "@" in parts.netloc:
        raise CommandFailed(
            f"{address} is not the address of a site.",
            try_next="pentathlon login http://localhost:8000",
        )
    return f"{parts.scheme}://{parts.netloc.lower()}"


def is_private_line(origin: str) -> bool:
    """Return whether the connection to this site is private."""
    parts = urlsplit(origin)
    return parts.scheme == "https" or _is_loopback(parts)


def split_address(text: str, kind: str) -> tuple[str | None, int | None]:
    """Return the origin and number of an object, from its address or its number alone."""
    if _NUMBER.fullmatch(text):
        return None, int(text)
    found = re.fullmatch(rf"(https?://[^/]+)/(?:api/v1/)?{kind}/(\d{{1,18}})(?:[/?#].*)?", text)
    return (found[1], int(found[2])) if found else (None, None)


def _is_loopback(parts: SplitResult) -> bool:
    host = parts.netloc.removesuffix(f":{parts.port}")
    return bool(_LOOPBACK.fullmatch(host))


def _site_of_environment() -> str | None:
    named = os.environ.get(SITE_VARIABLE)
    return origin_of(named) if named else None


def _installed_from() -> str | None:
    """Return the site that served this wheel, as recorded by pip."""
    from importlib.metadata import PackageNotFoundError, distribution  # noqa: PLC0415  # the same

    try:
        noted = distribution("pentathlon-engines").read_text("direct_url.json")
        address = json.loads(noted or "{}").get("url", "")
    except (PackageNotFoundError, ValueError, OSError):
        return None
    is_kit = address.startswith(("http://", "https://")) and "/kit/" in address
    return origin_of(address) if is_kit else None


def me(site: Site) -> str:
    """Return the name of the token's owner."""
    name: str = site.get("tokens/current/")["username"]
    return name


def find_bot_named(site: Site, name: str) -> Json:
    """Return the bot of this name, whoever owns it; names are unique on a site.

    The folder of a bot stands for the name in its bot.toml, as in commands for the desk.
    """
    if manifest_path(Path(name)).is_file():
        name = read_manifest(Path(name)).name
    found = site.rows("bots/", most=1, name=name)
    if not found:
        raise CommandFailed(
            f"There is no bot {name!r} on {site.origin}.", try_next="pentathlon bots --all"
        )
    bot: Json = found[0]
    return bot


def find_version(site: Site, name: str) -> Json:
    """Return the version with this name: `bot`, its newest one, or `bot@3`."""
    with_number = _WITH_NUMBER.fullmatch(name)
    bot = find_bot_named(site, with_number[1] if with_number else name)
    if with_number is None:
        version: Json | None = bot["latest_version"]
    else:
        number = int(with_number[2])
        rows = site.rows("versions/", most=1000, bot=bot["id"])
        version = next((row for row in rows if row["number"] == number), None)
    if version is None:
        raise CommandFailed(
            f"{bot['name']} has no such version.", try_next=f"pentathlon logs {bot['name']}"
        )
    return version


def describe_match(match: Json) -> str:
    """Return the players and the result of a match in one line."""
    seats = match["seats"]
    if match["state"] != "done":
        names = " – ".join(seat["version"]["label"] for seat in seats)
        return f"{match['game']}: {names}, {match['state']}"
    ordered = sorted(seats, key=lambda seat: (seat["rank"], seat["seat"]))
    places = ", ".join(f"{seat['rank'] + 1}. {seat['version']['label']}" for seat in ordered)
    return f"{match['game']}: {places} ({match['outcome_reason']})"
