"""The device flow of RFC 8628, from the terminal's side."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from pentathlon_engines.cli.client.http_site import Site, SiteRefused
from pentathlon_engines.cli.failure import CHECK_FAILED, HOST_OR_SERVER, CommandFailed

_PENDING: Final = "authorization_pending"
_SLOW_DOWN: Final = "slow_down"
_DENIED: Final = "access_denied"
_EXPIRED: Final = "expired_token"
_SLOWER_S: Final = 5
_LONGEST_OUTAGE_S: Final = 60.0


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
