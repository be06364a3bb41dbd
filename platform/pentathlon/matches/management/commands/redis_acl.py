"""`manage.py redis_acl`: write an ACL file, for workers that read the queue themselves."""

from __future__ import annotations

import os
import secrets
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser

from pentathlon.core.errors import DomainError
from pentathlon.fleet.queues import QUEUES, WORKER, acl_file


class Command(BaseCommand):
    """Writes the file that Redis reads with `aclfile`."""

    help = "Write an ACL file with a user who may take hints and do nothing else."

    def add_arguments(self, parser: CommandParser) -> None:
        """Declare where the file goes."""
        parser.add_argument("file", type=Path, help="the file that `aclfile` in redis.conf names")

    def handle(self, *, file: Path, **_: Any) -> None:  # Any: Django's own options
        """Write the file; print the broker's address for workers, with a new password, once."""
        parts = urlsplit(settings.REDIS_URL or "")
        password = parts.password
        if password is None:
            raise CommandError("REDIS_URL has no password: everybody can do everything there.")
        worker_password = secrets.token_urlsafe(32)
        try:
            text = acl_file(
                platform_password=password,
                worker_password=worker_password,
                queues=QUEUES,
            )
        except DomainError as error:
            raise CommandError(str(error)) from error
        with os.fdopen(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as opened:
            opened.write(text)
        host = f"{WORKER}:{worker_password}@{parts.netloc.rpartition('@')[2]}"
        address = parts._replace(netloc=host).geturl()
        self.stdout.write(f"PENTATHLON_WORKER_BROKER={address}")
