"""`pentathlon login`, `logout` and `whoami`."""

from __future__ import annotations

import os
import socket
import sys
import webbrowser
from typing import Annotated, Any

import typer

from pentathlon_engines.cli.client.connection import (
    TOKEN_VARIABLE,
    connect_as_person,
    is_private_line,
    origin_of,
    usual_site,
)
from pentathlon_engines.cli.client.credentials import Credential, Credentials
from pentathlon_engines.cli.client.device_login import await_token, begin_login
from pentathlon_engines.cli.client.http_site import Site
from pentathlon_engines.cli.failure import CommandFailed
from pentathlon_engines.cli.options import AsJson, SiteOption
from pentathlon_engines.cli.output.streams import print_json, print_text, say

_SCOPES = ("bots:write", "private:read")
_LONGEST_NAME = 60


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
