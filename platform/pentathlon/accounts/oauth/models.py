from __future__ import annotations

from typing import Final, Self
from urllib.parse import SplitResult, urlsplit

from django.db import models
from oauth2_provider.models import AbstractApplication

from pentathlon.accounts.models import User
from pentathlon.core.errors import InvalidInput

MOST: Final = 10
LONGEST: Final = 300
_LOOPBACK: Final = ("127.0.0.1", "::1")
LONGEST_NAME = 60
LONGEST_HOMEPAGE = 200


def checked_redirects(addresses: list[str]) -> list[str]:
    """Return the addresses without duplicates, or refuse them.

    Raises:
        InvalidInput: `bad_redirect_uri`, or `required`.
    """
    wanted = list(dict.fromkeys(address.strip() for address in addresses if address.strip()))
    if not 1 <= len(wanted) <= MOST:
        raise InvalidInput(
            f"Name 1 to {MOST} addresses to which people are sent back.",
            code="required",
            field="redirect_uris",
        )
    for address in wanted:
        if (fault := _fault(address)) is not None:
            raise InvalidInput(
                f"{address[:80]!r} {fault}", code="bad_redirect_uri", field="redirect_uris"
            )
    return wanted


def is_allowed(registered: list[str], asked: str) -> bool:
    """Return whether an app may send people to this address."""
    return asked in registered or any(_differ_in_port(each, asked) for each in registered)


def origin_of(address: str) -> str:
    """Return scheme, host and port of an address."""
    parts = urlsplit(address)
    return f"{parts.scheme}://{parts.netloc}"


def _fault(address: str) -> str | None:
    if len(address) > LONGEST or not address.isascii() or not address.isprintable():
        return f"has more than {LONGEST} characters, or characters that are not printable ASCII."
    parts = _parts(address)
    if parts is None or not parts.hostname or set(address) & set(' "<>\\^`{|};,*'):
        return "is not an address. Write it in full, such as https://example.org/callback."
    if "#" in address or "@" in parts.netloc:
        return "has a fragment, a name or a password. Leave them out."
    is_loopback = parts.scheme == "http" and parts.hostname in _LOOPBACK
    if parts.scheme != "https" and not is_loopback:
        return (
            "is neither https nor http://127.0.0.1 or http://[::1], for programs on "
            "a user's machine."
        )
    return None


def _differ_in_port(registered: str, asked: str) -> bool:
    """Return whether two loopback addresses are the same but for their ports."""
    one, other = _parts(registered), _parts(asked)
    if one is None or other is None or one.scheme != "http" or one.hostname not in _LOOPBACK:
        return False
    host = f"[{one.hostname}]" if ":" in (one.hostname or "") else str(one.hostname)
    port = "" if other.port is None else f":{other.port}"
    tail = registered[len(f"http://{one.netloc}") :]
    return asked == f"http://{host}{port}{tail}"


def _parts(address: str) -> SplitResult | None:
    try:
        parts = urlsplit(address)
        _ = parts.port
    except ValueError:
        return None
    return parts


class OAuthAppQuerySet(models.QuerySet["OAuthApp"]):
    """Named queries for apps."""

    def owned_by(self, person: User) -> Self:
        """Return the apps that somebody has registered, the latest first."""
        return self.filter(user=person).order_by("-pk")


class OAuthApp(AbstractApplication):
    """A program of somebody's that people may let act for them here."""

    user = models.ForeignKey(User, on_delete=models.CASCADE, null=True, related_name="+")
    homepage = models.CharField(max_length=LONGEST_HOMEPAGE)
    is_blocked = models.BooleanField(default=False, db_default=False)
    """Whether staff have blocked it; it may do nothing then."""

    objects = OAuthAppQuerySet.as_manager()

    class Meta(AbstractApplication.Meta):
        verbose_name = "app"

    def __str__(self) -> str:
        return str(self.name)

    @property
    def redirects(self) -> list[str]:
        """The addresses to which people may be sent back."""
        return str(self.redirect_uris).split()

    def redirect_uri_allowed(self, uri: str) -> bool:
        """Return whether people may be sent back to this address."""
        return is_allowed(self.redirects, uri)

    def is_usable(self, request: object) -> bool:
        """Return whether the app may do anything."""
        return not self.is_blocked and self.user is not None and self.user.is_active
