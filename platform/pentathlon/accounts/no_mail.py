"""A production site without a mail server: it offers no letters, and prints none to a log."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from django.conf import settings
from django.core.mail import EmailMessage
from django.core.mail.backends.base import BaseEmailBackend

from pentathlon.core.errors import Conflict

NO_MAIL: Final = "pentathlon.accounts.no_mail.NoMail"
"""What `pentathlon.connections.mail` names where production has no server."""


class NoMail(BaseEmailBackend):
    """Refuses every e-mail, so that whoever wants to send one fails and says so."""

    def send_messages(self, email_messages: Sequence[EmailMessage]) -> int:
        """Refuse."""
        raise ConnectionError("This site has no mail server: set PENTATHLON_MAIL.")


def can_send_letters() -> bool:
    """Return whether letters of this site arrive anywhere."""
    return settings.EMAIL_BACKEND != NO_MAIL


def demand_mail() -> None:
    """Refuse what only a letter can do."""
    if not can_send_letters():
        raise Conflict(
            "This site has no mail server, so it sends no letters. Ask the people who run it.",
            code="no_mail_server",
        )
