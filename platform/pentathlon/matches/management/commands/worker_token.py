"""`manage.py worker_token create | list | revoke`: manage the tokens of workers without keys."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db.models import Count

from pentathlon.common.errors import DomainError
from pentathlon.fleet.announcements import DEFAULT_SLOTS, MOST_SLOTS, Work
from pentathlon.fleet.models import WorkerToken
from pentathlon.fleet.tokens import create_worker_token
from pentathlon.matches.models import Attempt
from pentathlon.matches.worker_tokens import revoke_worker_token


class Command(BaseCommand):
    """Makes, lists and revokes worker tokens."""

    help = "Create, list and revoke the tokens of machines that work for this site."

    def add_arguments(self, parser: CommandParser) -> None:
        """Declare the three actions."""
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
        actions.add_parser("list", help="show the tokens and how much each has played")
        revoke = actions.add_parser(
            "revoke", help="revoke a token at once; other workers get its matches"
        )
        revoke.add_argument("name")

    def handle(self, *, action: str, **options: Any) -> None:  # Any: of the action
        """Do what was asked."""
        try:
            if action == "create":
                self._create(**{name: options[name] for name in ("name", "work", "slots")})
            elif action == "revoke":
                self._revoke(options["name"])
            else:
                self._list()
        except DomainError as error:
            raise CommandError(str(error)) from error

    def _create(self, *, name: str, work: list[str], slots: int) -> None:
        _, secret = create_worker_token(actor=None, name=name, work=work, slots=slots)
        self.stdout.write(secret)

    def _revoke(self, name: str) -> None:
        token = WorkerToken.objects.filter(name=name).first()
        if token is None:
            raise CommandError(f"There is no worker token {name}. `list` shows all.")
        returned = revoke_worker_token(token)
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
