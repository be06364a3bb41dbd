"""The key that signs sessions: set for production, made once for a local installation."""

import os
import secrets
from pathlib import Path

from pentathlon.env import BadEnvironment, Environment, Mode

_SHORTEST = 32
_FILE = "secret_key"


def secret_key(environment: Environment) -> str:
    """Return the key, making a private one in the data folder for a local installation."""
    if environment.secret_key is not None:
        return _checked(environment.secret_key)
    if environment.mode is Mode.PRODUCTION:
        raise BadEnvironment(
            "PENTATHLON_SECRET_KEY", "must be set when PENTATHLON_MODE=production."
        )
    return _read_or_make(environment.data / _FILE)


def holds_key(data: Path, key: str) -> bool:
    """Return whether this key is the one that is kept in a data folder."""
    path = data / _FILE
    return path.is_file() and path.read_text() == key


def replace_key(data: Path, key: str) -> None:
    """Store this key in a data folder for the next start."""
    _draft(data / _FILE, key).replace(data / _FILE)


def _checked(key: str) -> str:
    if len(key) < _SHORTEST:
        raise BadEnvironment(
            "PENTATHLON_SECRET_KEY", f"must have at least {_SHORTEST} characters."
        )
    return key


def _read_or_make(path: Path) -> str:
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    if not path.exists():
        _publish(_draft(path, secrets.token_urlsafe(48)), path)
    return path.read_text()


def _draft(path: Path, key: str) -> Path:
    draft = path.with_name(f"{path.name}.{os.getpid()}")
    draft.touch(mode=0o600)
    draft.write_text(key)
    return draft


def _publish(draft: Path, path: Path) -> None:
    # The link fails if another process was first; then that process's key counts.
    try:
        os.link(draft, path)
    except FileExistsError:
        pass
    finally:
        draft.unlink()
