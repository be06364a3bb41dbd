"""Verifying the e-mail address that an account has: letters go to no other.

An address to be verified waits like one that a person wants to change to: the same letter, and the
same link, confirm both.
"""

from django.db import transaction

from pentathlon.accounts.letters import write_letter
from pentathlon.accounts.models import EmailChange, LetterKind, User
from pentathlon.accounts.no_mail import demand_mail
from pentathlon.common.errors import Conflict


@transaction.atomic
def ask_for_verification(*, actor: User, site: str) -> EmailChange:
    """Send an e-mail to the actor's own address; its link verifies the address."""
    demand_mail()
    if not actor.email:
        raise Conflict(
            "Your account has no e-mail address. Enter one on your account page.", code="no_email"
        )
    if actor.has_verified_email:
        raise Conflict(f"{actor.email} is verified already.", code="email_verified")
    wanted, _ = EmailChange.objects.update_or_create(person=actor, defaults={"email": actor.email})
    write_letter(LetterKind.CONFIRM_EMAIL, person=actor, email=actor.email, site=site)
    return wanted
