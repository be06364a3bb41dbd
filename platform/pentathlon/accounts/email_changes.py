"""Changing the e-mail address of an account: the new one is confirmed, the old one is told."""

from datetime import timedelta

from django.db import transaction
from django.db.models.functions import Now
from structlog.stdlib import get_logger

from pentathlon.accounts.letters import notify, write_letter
from pentathlon.accounts.links import find_by_email_link
from pentathlon.accounts.models import EmailChange, LetterKind, User
from pentathlon.accounts.no_mail import demand_mail
from pentathlon.accounts.passwords import check_email, check_own_password
from pentathlon.accounts.verification import check_mailbox
from pentathlon.core.errors import Conflict, InvalidInput

_SENT_AGAIN = timedelta(seconds=10)
"""How long a form that is sent again is the same form."""
_log = get_logger(__name__)


def ask_for_email_change(*, actor: User, email: str, password: str, site: str) -> EmailChange:
    """Send a letter to the new address and one to the old; only the link changes it."""
    demand_mail()
    check_own_password(actor, password)
    email = check_email(email)
    if email == actor.email and actor.has_verified_email:
        raise InvalidInput(
            "This is already your address. Type another one.",
            code="same_email",
            field="email",
        )
    with transaction.atomic():
        asked = EmailChange.objects.filter(person=actor)
        same = asked.filter(email=email, asked_at__gte=Now() - _SENT_AGAIN).first()
        if same is not None:  # a double click sends one letter
            return same
        asked.delete()
        change = EmailChange.objects.create(person=actor, email=email)
        write_letter(LetterKind.CONFIRM_EMAIL, person=actor, email=email, site=site)
        notify(LetterKind.EMAIL_CHANGING, actor, site=site)
    return change


@transaction.atomic
def cancel_email_change(*, actor: User) -> None:
    """Forget the address that the actor has asked for, if there is one."""
    EmailChange.objects.filter(person=actor).delete()


@transaction.atomic
def confirm_email_change(*, link: str, site: str) -> User:
    """Give a person the address that a link to it was sent to; return the person."""
    change = find_by_email_link(link)
    if change.email != change.person.verified_email:
        check_mailbox(change.email)
    person, before = change.person, change.person.email
    is_told = person.has_verified_email and before != change.email
    changed = User.objects.filter(pk=person.pk, email=before, password=person.password)
    if not changed.update(email=change.email, verified_email=change.email):
        raise Conflict(
            "The account was changed at the same moment. Ask for the new address again.",
            code="account_changed",
        )
    change.delete()
    person.email = person.verified_email = change.email
    if is_told:
        write_letter(LetterKind.EMAIL_CHANGED, person=person, email=before, site=site)
    _log.info("e-mail address changed", person=person.pk)
    return person
