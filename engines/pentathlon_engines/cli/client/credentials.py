"""The user's tokens, one per site, in a file that no one else can read."""

from __future__ import annotations

import json
import os
import stat
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, Self

import platformdirs

from pentathlon_engines.cli.client.kept_files import write_private
from pentathlon_engines.cli.failure import HOST_OR_SERVER, CommandFailed

_FOLDER: Final = "pentathlon"
_FILE: Final = "credentials.json"


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
    return platformdirs.user_config_path(_FOLDER) / _FILE


def _check_private(path: Path) -> None:
    if os.name == "posix" and stat.S_IMODE(path.stat().st_mode) & 0o077:
        raise CommandFailed(
            f"Others can read your tokens in {path}.",
            try_next=f"chmod 600 {path}",
            exit_code=HOST_OR_SERVER,
        )
