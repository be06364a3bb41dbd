"""Everything that changes people and their tokens; credentials have modules of their own."""

import re
from collections.abc import Collection
from datetime import timedelta
from typing import Final
from uuid import UUID

from django.conf import settings
from django.db import IntegrityError, transaction
from django.db.models.functions import Now
from django.utils import timezone

from pentathlon.accounts.letters import can_send_letters
from pentathlon.accounts.models import ApiToken, NameKind, Scope, User
from pentathlon.accounts.names import free_names, take_name
from pentathlon.accounts.passwords import check_email, check_new_password
from pentathlon.accounts.second_factors import has_second_factor
from pentathlon.accounts.verification import ask_for_verification
from pentathlon.core.errors import Conflict, InvalidInput, NotFound
from pentathlon.core.names import is_of_the_house, name_key
from pentathlon.core.quotas import Quota

MOST_TOKENS: Final = 50
MOST_PASSKEYS: Final = 10
LONGEST_NAME = 60
LONGEST_TOKEN_DAYS = 365
_USERNAME = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9_-]{1,28})[A-Za-z0-9]")
_SENT_AGAIN = timedelta(minutes=1)
"""How long a form of a new account that is sent again is the same form."""
_USE_NOTED_EVERY = timedelta(minutes=1)


def token_quota(person: User) -> Quota:
    """Return how many tokens there are, expired ones included."""
    return Quota(
        key="tokens",
        about="API tokens",
        limit=MOST_TOKENS,
        used=person.auth_token_set.count(),
        code="too_many_tokens",
    )


def passkey_quota(person: User) -> Quota:
    """Return how many passkeys there are."""
    return Quota(
        key="passkeys",
        about="passkeys",
        limit=MOST_PASSKEYS,
        used=person.passkeys.count(),
        code="too_many_passkeys",
    )


def register(*, username: str, email: str, password: str, site: str | None = None) -> User:
    """Make an account for a new person.

    A letter with a link to `site` asks whether the address is theirs; without a site none is sent.
    The password is hashed outside of the transaction, as in `passwords`.
    """
    check_username(username)
    person = User(
        username=username,
        email=check_email(email),
        is_organiser=settings.ORGANISERS_ARE_EVERYBODY,
    )
    check_new_password(password, person)
    person.set_password(password)
    try:
        with transaction.atomic():
            person.save()
            if not take_name(kind=NameKind.AUTHOR, name=username, holder=person):
                raise _username_taken(username)
            if site is not None and can_send_letters():
                ask_for_verification(actor=person, site=site)
    except IntegrityError as error:  # somebody took it meanwhile
        raise _username_taken(username) from error
    return person


def find_just_registered(*, username: str, email: str, password: str) -> User | None:
    """Return the account that the same form has made a moment ago; None if there is none.

    A new account has no second factor, so the password alone shows that it is the same person.
    """
    recently = timezone.now() - _SENT_AGAIN
    made = User.objects.filter(
        username=username, email__iexact=email, date_joined__gte=recently
    ).first()
    if made is None or has_second_factor(made) or not made.check_password(password):
        return None
    return made


@transaction.atomic
def change_settings(*, actor: User, takes_organiser_entries: bool | None = None) -> User:
    """Change what the actor decides for all of their bots; None leaves it as it is."""
    if takes_organiser_entries is not None:
        actor.takes_organiser_entries = takes_organiser_entries
        actor.save(update_fields=("takes_organiser_entries",))
    return actor


@transaction.atomic
def create_token(
    *, actor: User, name: str, scopes: Collection[str], days: int
) -> tuple[ApiToken, str]:
    """Make a token and return it with its secret, which nobody can read again."""
    name, known = check_token_fields(name=name, scopes=scopes)
    if not 1 <= days <= LONGEST_TOKEN_DAYS:
        raise InvalidInput(
            f"A token lasts 1 to {LONGEST_TOKEN_DAYS} days, not {days}.", field="days"
        )
    # Two requests at once must not both find the last place free.
    User.objects.select_for_update().get(pk=actor.pk)
    tokens = token_quota(actor)
    tokens.check_left(f"You have {tokens.limit} tokens, the maximum. Revoke one first.")
    made: tuple[ApiToken, str] = ApiToken.objects.create(  # type: ignore[no-untyped-call]  # knox
        user=actor, expiry=timedelta(days=days), name=name, scopes=known
    )
    return made


def check_token_fields(*, name: str, scopes: Collection[str]) -> tuple[str, list[str]]:
    """Return the name and the scopes for a new token, or refuse them."""
    name = name.strip()
    if not 1 <= len(name) <= LONGEST_NAME or not name.isprintable():
        raise InvalidInput(
            f"A token has a name of 1 to {LONGEST_NAME} printable characters.", field="name"
        )
    return name, _known_scopes(scopes)


@transaction.atomic
def revoke_token(*, actor: User, public_id: UUID) -> None:
    """Delete one of the actor's own tokens: it stops working at once."""
    deleted, _ = ApiToken.objects.filter(user=actor, public_id=public_id).delete()
    if not deleted:
        raise NotFound("You have no token with this id.")


def note_token_use(*, token: ApiToken) -> None:
    """Remember that a token was used, at most once a minute."""
    last = token.last_used_at
    if last is None or timezone.now() - last > _USE_NOTED_EVERY:
        ApiToken.objects.filter(pk=token.pk).update(last_used_at=Now())


def check_username(username: str) -> str:
    """Return a username that a new person may have, or refuse it."""
    if not _USERNAME.fullmatch(username):
        raise InvalidInput(
            "A username has 3 to 30 letters, digits, hyphens or underscores, and starts and "
            "ends with a letter or digit.",
            code="bad_username",
            field="username",
        )
    if is_of_the_house(username):
        raise InvalidInput(
            f"The name {username} belongs to the platform itself. Choose another one.",
            code="bad_username",
            field="username",
        )
    is_free = bool(free_names(kind=NameKind.AUTHOR, names=[username]))
    if not is_free or _is_like_staff(username) or find_person(username) is not None:
        raise _username_taken(username)
    return username


def find_person(username: str) -> User | None:
    """Return the person with this name, ignoring case; None if there is none."""
    return User.objects.filter(username__iexact=username).first()


def _is_like_staff(username: str) -> bool:
    """Return whether a name looks like that of staff, whose accounts a command may have made."""
    names = User.objects.filter(is_staff=True).values_list("username", flat=True)
    return name_key(username) in map(name_key, names)


def _username_taken(username: str) -> Conflict:
    return Conflict(
        f"The username {username} is taken. Choose one that does not look like it.",
        code="username_taken",
        field="username",
    )


def _known_scopes(scopes: Collection[str]) -> list[str]:
    unknown = sorted(set(scopes) - set(Scope.values))
    if unknown:
        raise InvalidInput(
            f"No such scope: {', '.join(unknown)}. There are: {', '.join(Scope.values)}.",
            code="unknown_scope",
            field="scopes",
        )
    return [scope for scope in Scope.values if scope in scopes]
