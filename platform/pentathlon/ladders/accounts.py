"""The account that owns ladders and reference bots. Nobody can sign in to it."""

from __future__ import annotations

from typing import Final

from pentathlon.accounts.models import User

USERNAME: Final = "reference bots"
"""A name with a space, which nobody can register."""


def platform_account() -> User:
    """Return the account of the platform itself, made if need be."""
    account, _ = User.objects.get_or_create(
        username=USERNAME,
        defaults={"is_staff": True, "is_organiser": True, "password": "!"},
    )
    return account
