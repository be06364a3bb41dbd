"""`manage.py worker_token create | list | rotate | revoke`: the tokens of workers without keys."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db.models import Count

from pentathlon.core.errors import DomainError
from pentathlon.fleet.announcements import DEFAULT_SLOTS, MOST_SLOTS, Work
from pentathlon.fleet.models import WorkerToken
from pentathlon.fleet.tokens import create_worker_token, rotate_worker_token
from pentathlon.matches.models import Attempt
from pentathlon.matches.worker_tokens import revoke_worker_token


class Command(BaseCommand):
    """Makes, lists, rotates and revokes worker tokens."""

    help = "Create, list, rotate and revoke the tokens of machines that work for this site."

    def add_arguments(self, parser: CommandParser) -> None:
        """Declare the four actions."""
        actions = parser.add_subparsers(dest="action", required=True)
        create = actions.add_parser("create", help="create a token and print its secret once")
        create.add_argument("name", help="name of the machine or its operator")
        create.add_argument(
            "--work",
            nargs="+",
            choices=[work.value for work in Work],
            default=[work.value for work in Work],
            help="the work it may do; everything by default",
        )
        create.add_argument(
            "--slots",
            type=int,
            default=DEFAULT_SLOTS,
            help=f"the matches that all its workers together may play at a time, at most "
            f"{MOST_SLOTS}; {DEFAULT_SLOTS} by default",
        )
        rotate = actions.add_parser(
            "rotate", help="give a token another secret; the one that it has is worth nothing then"
        )
        rotate.add_argument("name")
        for each in (create, rotate):
            each.add_argument(
                "--to", type=Path, metavar="FILE", help="write the secret there, not to the screen"
            )
        actions.add_parser("list", help="show the tokens and how much each has played")
        revoke = actions.add_parser(
            "revoke", help="revoke a token at once; other workers get its matches"
        )
        revoke.add_argument("name")

    def handle(self, *, action: str, **options: Any) -> None:  # Any: of the action
        """Do what was asked."""
        try:
            if action == "create":
                self._create(**{key: options[key] for key in ("name", "work", "slots", "to")})
            elif action == "rotate":
                token = self._valid(options["name"])
                self._hand_over(lambda: rotate_worker_token(token), to=options["to"])
            elif action == "revoke":
                self._revoke(options["name"])
            else:
                self._list()
        except DomainError as error:
            raise CommandError(str(error)) from error

    def _create(self, *, name: str, work: list[str], slots: int, to: Path | None) -> None:
        if to is not None and to.exists():
            raise CommandError(f"{to} is there already. `rotate` replaces it.")
        make = partial(create_worker_token, actor=None, name=name, work=work, slots=slots)
        self._hand_over(lambda: make()[1], to=to)

    def _hand_over(self, make: Callable[[], str], *, to: Path | None) -> None:
        """Print a secret, or write it to a file that is replaced only if all went well."""
        if to is None:
            self.stdout.write(make())
            return
        draft = to.with_name(f"{to.name}.new")
        try:
            descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
            with os.fdopen(descriptor, "w") as file:
                file.write(f"{make()}\n")
            draft.replace(to)
        except OSError as error:
            raise CommandError(f"{to} cannot be written: {error.strerror}.") from error
        finally:
            draft.unlink(missing_ok=True)

    def _valid(self, name: str) -> WorkerToken:
        token = WorkerToken.objects.filter(name=name).first()
        if token is None:
            raise CommandError(f"There is no worker token {name}. `list` shows all.")
        return token

    def _revoke(self, name: str) -> None:
        returned = revoke_worker_token(self._valid(name))
        self.stdout.write(f"Revoked. Matches that went back to the queue: {returned}.")

    def _list(self) -> None:
        counts = Attempt.objects.filter(worker_token__isnull=False).values_list("worker_token")
        played = dict(counts.annotate(count=Count("pk")))
        for token in WorkerToken.objects.order_by("name"):
            state = "in quarantine" if token.quarantined_at else "valid"
            state = "revoked" if token.revoked_at else state
            used = f"{token.last_used_at:%Y-%m-%d %H:%M}" if token.last_used_at else "never"
            self.stdout.write(
                f"{token.name}: {state}, slots {token.slots}, trusted with "
                f"{token.is_trusted_with}, last used {used}, attempts {played.get(token.pk, 0)}"
            )
