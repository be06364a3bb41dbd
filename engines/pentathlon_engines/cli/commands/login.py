"""`pentathlon login`, `logout` and `whoami`."""

import os
import socket
import sys
import time
import webbrowser
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Final

import typer

from pentathlon_engines.cli.client.connection import (
    TOKEN_VARIABLE,
    Credential,
    Credentials,
    connect_as_person,
    is_private_line,
    origin_of,
    usual_site,
)
from pentathlon_engines.cli.client.http_site import Site
from pentathlon_engines.cli.failure import CHECK_FAILED, HOST_OR_SERVER, CommandFailed, SiteRefused
from pentathlon_engines.cli.options import AsJson, SiteOption
from pentathlon_engines.cli.output.streams import print_json, print_text, say

_PENDING: Final = "authorization_pending"
_SLOW_DOWN: Final = "slow_down"
_DENIED: Final = "access_denied"
_EXPIRED: Final = "expired_token"
_SLOWER_S: Final = 5
_LONGEST_OUTAGE_S: Final = 60.0
_SCOPES = ("bots:write", "private:read")
_LONGEST_NAME = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class DeviceCode:
    """The codes that the site issued to this terminal."""

    device_code: str
    user_code: str
    page: str
    """The address where a person confirms the code, with the code filled in."""
    expires_s: int
    interval_s: int


def begin_login(site: Site, *, name: str, scopes: Sequence[str]) -> DeviceCode:
    """Ask the site for a code."""
    codes = site.post_once("device/", {"name": name, "scopes": list(scopes)})
    return DeviceCode(
        device_code=codes["device_code"],
        user_code=codes["user_code"],
        page=site.address(codes["verification_uri_complete"]),
        expires_s=codes["expires_in"],
        interval_s=codes["interval"],
    )


def await_token(
    site: Site, code: DeviceCode, *, sleep: Callable[[float], None] = time.sleep
) -> Any:  # Any: JSON
    """Poll until a person has confirmed the code; return the token's facts."""
    again = f"pentathlon login {site.origin}"
    interval_s, out_s, waited_s = code.interval_s, 0.0, 0.0
    while waited_s < code.expires_s:
        sleep(interval_s)
        waited_s += interval_s
        try:
            return site.post_once("device/token/", {"device_code": code.device_code})
        except CommandFailed as error:
            refusal = error.refusal if isinstance(error, SiteRefused) else ""
            if refusal == _DENIED:
                raise CommandFailed(
                    "The login was denied in the browser.", try_next=again, exit_code=CHECK_FAILED
                ) from error
            if refusal == _EXPIRED:
                break
            if refusal in (_PENDING, _SLOW_DOWN):
                interval_s += _SLOWER_S if refusal == _SLOW_DOWN else 0
                out_s = 0.0
                continue
            # The site may be restarting; the code is still good then.
            out_s += interval_s
            if error.exit_code != HOST_OR_SERVER or out_s > _LONGEST_OUTAGE_S:
                raise
    raise CommandFailed(
        "The code was not confirmed in time.", try_next=again, exit_code=CHECK_FAILED
    )


def login(
    site: Annotated[
        str | None,
        typer.Argument(metavar="SITE", help="Its address. Default: the site of this package."),
    ] = None,
    *,
    scope: Annotated[
        list[str] | None,
        typer.Option(help="What the token may do, such as tournaments:write; repeatable."),
    ] = None,
    name: Annotated[
        str | None, typer.Option(help="The name of this login in your account.")
    ] = None,
    browser: Annotated[bool, typer.Option(help="Open the page that asks for the code.")] = True,
    token_stdin: Annotated[
        bool,
        typer.Option(
            "--token-stdin", help="Read a token from standard input instead, for scripts."
        ),
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Sign in to a site: confirm a code in the browser, without a password here."""
    known = Credentials.load()
    origin = origin_of(site) if site else usual_site(known)
    if not is_private_line(origin):
        say(
            f"Note: the connection to {origin} is not encrypted; others on the way can "
            "read your token."
        )
    if token_stdin:
        token = sys.stdin.readline().strip()
        if not token:
            raise CommandFailed(
                "There was no token on standard input.",
                try_next=f"pentathlon login {origin} --token-stdin < FILE",
            )
    else:
        token = _ask_person(Site(origin), name or _name(), scope or _SCOPES, browser=browser)
    facts = Site(origin, token=token).get("tokens/current/")
    _revoke_old(known, origin, token)
    known.site = origin
    known.by_site[origin] = Credential(token=token, username=facts["username"])
    known.save()
    if as_json:
        print_json(_facts(origin, facts))
        return
    print_text(f"Signed in to {origin} as {facts['username']}.")
    print_text("Next: pentathlon init GAME, or pentathlon submit FOLDER --wait")


def logout(
    site: Annotated[str | None, typer.Argument(metavar="SITE", help="Its address.")] = None,
    as_json: AsJson = False,
) -> None:
    """Sign out of a site: revoke the token there and delete it here."""
    known = Credentials.load()
    origin = origin_of(site) if site else usual_site(known)
    stored = known.by_site.pop(origin, None)
    if stored is None:
        raise CommandFailed(
            f"You have not signed in to {origin}.", try_next=f"pentathlon login {origin}"
        )
    try:
        Site(origin, token=stored.token).delete("tokens/current/")
    except CommandFailed as error:
        say(f"{error} The token is deleted from this machine anyway.")
    known.site = None if known.site == origin else known.site
    known.save()
    if as_json:
        print_json({"site": origin, "username": stored.username})
        return
    print_text(f"Signed out of {origin}.")


def whoami(site: SiteOption = None, as_json: AsJson = False) -> None:
    """Show who you are on a site, and what your token may do."""
    server = connect_as_person(site)
    facts = server.get("tokens/current/")
    if as_json:
        print_json(_facts(server.origin, facts))
        return
    print_text(f"{facts['username']} at {server.origin}")
    print_text(
        f"token “{facts['name']}”, may {', '.join(facts['scopes']) or 'only read'}, "
        f"until {facts['expires_at'][:10]}"
    )
    if os.environ.get(TOKEN_VARIABLE):
        say(f"The token comes from {TOKEN_VARIABLE}.")


def _ask_person(site: Site, name: str, scopes: Any, *, browser: bool) -> str:  # Any: texts
    site.kit()
    code = begin_login(site, name=name, scopes=list(scopes))
    say(f"Open {code.page}")
    say(f"and approve the code {code.user_code}. Waiting ...")
    if browser and sys.stderr.isatty() and _has_desktop():
        webbrowser.open(code.page)
    token: str = await_token(site, code)["token"]
    return token


def _has_desktop() -> bool:
    # Without a desktop, Python would start a browser in this very terminal.
    is_unix = os.name == "posix" and sys.platform != "darwin"
    return not is_unix or bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))


def _name() -> str:
    host = "".join(sign for sign in socket.gethostname() if sign.isascii() and sign.isprintable())
    return f"pentathlon on {host or 'a terminal'}"[:_LONGEST_NAME].strip()


def _revoke_old(known: Credentials, origin: str, token: str) -> None:
    """Revoke the token of an earlier login, which is no longer used."""
    old = known.by_site.get(origin)
    if old is None or old.token == token:
        return
    try:
        Site(origin, token=old.token).delete("tokens/current/")
    except CommandFailed as error:
        say(f"The token of your earlier login was not revoked: {error}")


def _facts(origin: str, facts: Any) -> dict[str, object]:  # Any: JSON
    names = ("username", "name", "scopes", "expires_at")
    return {"site": origin, **{name: facts[name] for name in names}}
