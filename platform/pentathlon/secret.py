"""The key that signs sessions: handed in for production, made once for a local installation."""

import os
import secrets
from pathlib import Path

from pentathlon.env import BadEnvironment, Environment, Mode

_SHORTEST = 32


def secret_key(environment: Environment) -> str:
    """Return the key, making a private one in the data folder for a local installation."""
    if environment.secret_key is not None:
        return _checked(environment.secret_key)
    if environment.mode is Mode.PRODUCTION:
        raise BadEnvironment(
            "PENTATHLON_SECRET_KEY", "must be set when PENTATHLON_MODE=production."
        )
    return _kept(environment.data / "secret_key")


def _checked(key: str) -> str:
    if len(key) < _SHORTEST:
        raise BadEnvironment(
            "PENTATHLON_SECRET_KEY", f"must have at least {_SHORTEST} characters."
        )
    return key


def _kept(path: Path) -> str:
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    if not path.exists():
        draft = path.with_name(f"{path.name}.{os.getpid()}")
        draft.touch(mode=0o600)
        draft.write_text(secrets.token_urlsafe(48))
        _publish(draft, path)
    return path.read_text()


def _publish(draft: Path, path: Path) -> None:
    # A link fails if another process was first: then its key counts.
    try:
        os.link(draft, path)
    except FileExistsError:
        pass
    finally:
        draft.unlink()
