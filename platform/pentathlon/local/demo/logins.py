"""The people of the demo, with passwords that belong to one data folder."""

import json
import os
import secrets
from dataclasses import asdict, dataclass
from pathlib import Path
from string import digits
from typing import Final

from pentathlon.accounts.models import User
from pentathlon.accounts.services import register

_FILE: Final = "demo_logins.json"
_PEOPLE: Final = (
    ("olivia", "organiser"),
    ("ada", "author"),
    ("bruno", "author"),
    ("chen", "author"),
)
_CONSONANTS, _VOWELS, _GROUPS = "bdfgklmnprstvz", "aeiou", 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Login:
    """The credentials of one of the demo's people."""

    username: str
    role: str
    password: str


def demo_logins(data: Path) -> list[Login]:
    """Return the log-ins of this data folder, making the accounts the first time."""
    path = data / _FILE
    if not path.exists():
        _keep([_open_account(username, role) for username, role in _PEOPLE], path)
    return [Login(**fields) for fields in json.loads(path.read_text())]


def _open_account(username: str, role: str) -> Login:
    login = Login(username=username, role=role, password=_password())
    person = User.objects.filter(username=username).first()
    if person is None:
        register(username=username, email=f"{username}@example.org", password=login.password)
        return login
    # An interrupted start has left the account, but nobody knows its password.
    person.set_password(login.password)
    person.save(update_fields=("password",))
    return login


def _password() -> str:
    # Passwords of letters alone are sometimes too similar to an address, and the start fails.
    def group() -> str:
        return "".join(map(secrets.choice, (_CONSONANTS, _VOWELS, digits, digits)))

    return "-".join(group() for _ in range(_GROUPS))


def _keep(logins: list[Login], path: Path) -> None:
    draft = path.with_suffix(f".{os.getpid()}")
    draft.touch(mode=0o600)
    draft.write_text(json.dumps([asdict(login) for login in logins], indent=1))
    draft.replace(path)
