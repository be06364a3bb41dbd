"""Everything that changes apps and what people have allowed them."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from django.db import transaction
from django.utils import timezone
from oauth2_provider.generators import generate_client_secret
from oauth2_provider.models import get_access_token_model, get_grant_model, get_refresh_token_model

from pentathlon.accounts.audit.models import AuditAction, AuditedKind
from pentathlon.accounts.audit.services import note_action
from pentathlon.accounts.models import User
from pentathlon.accounts.oauth.access import in_words
from pentathlon.accounts.oauth.models import (
    LONGEST_HOMEPAGE,
    LONGEST_NAME,
    OAuthApp,
    checked_redirects,
)
from pentathlon.accounts.roles import is_staff
from pentathlon.core.errors import Conflict, InvalidInput, NotAllowed, NotFound

MOST_APPS: Final = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class AllowedApp:
    """An app that somebody lets act for them."""

    app: OAuthApp
    may: list[str]
    """What it may do, in words."""
    since: datetime
    last: datetime
    """When it got its latest token."""


@transaction.atomic
def register_app(
    *, actor: User, name: str, homepage: str, redirect_uris: list[str], is_confidential: bool
) -> tuple[OAuthApp, str]:
    """Register an app of the actor; return it with its secret, which nobody can read again.

    The secret is empty for an app that cannot keep one, such as a program on people's machines.
    """
    User.objects.select_for_update().get(pk=actor.pk)
    if OAuthApp.objects.owned_by(actor).count() >= MOST_APPS:
        raise Conflict(
            f"You have {MOST_APPS} apps, the maximum. Delete one first.",
            code="too_many_apps",
        )
    secret = generate_client_secret()
    app = OAuthApp.objects.create(
        user=actor,
        name=_check_name(name),
        homepage=_check_homepage(homepage),
        redirect_uris=" ".join(checked_redirects(redirect_uris)),
        client_type=(OAuthApp.CLIENT_CONFIDENTIAL if is_confidential else OAuthApp.CLIENT_PUBLIC),
        authorization_grant_type=OAuthApp.GRANT_AUTHORIZATION_CODE,
        client_secret=secret,
    )
    return app, secret if is_confidential else ""


@transaction.atomic
def change_app(
    *, actor: User, app_id: int, name: str, homepage: str, redirect_uris: list[str]
) -> OAuthApp:
    """Change an app of the actor; people's permissions for it stay."""
    app = _get_own(actor, app_id)
    app.name, app.homepage = _check_name(name), _check_homepage(homepage)
    app.redirect_uris = " ".join(checked_redirects(redirect_uris))
    app.save(update_fields=("name", "homepage", "redirect_uris", "updated"))
    return app


@transaction.atomic
def rotate_app_secret(*, actor: User, app_id: int) -> tuple[OAuthApp, str]:
    """Give an app of the actor a new secret; the old one stops working."""
    app = _get_own(actor, app_id)
    if app.client_type != OAuthApp.CLIENT_CONFIDENTIAL:
        raise Conflict(f"{app.name} is an app without a secret.", code="public_app")
    secret: str = generate_client_secret()
    app.client_secret = secret
    app.save(update_fields=("client_secret", "updated"))
    return app, secret


@transaction.atomic
def delete_app(*, actor: User, app_id: int) -> None:
    """Delete an app of the actor; whatever it was allowed ends at once."""
    _get_own(actor, app_id).delete()


@transaction.atomic
def block_app(*, actor: User, app_id: int, reason: str) -> OAuthApp:
    """Block an app, with a reason; only staff may."""
    if not is_staff(actor):
        raise NotAllowed("Only for the staff of this site.", code="staff_only")
    app = OAuthApp.objects.select_for_update().filter(pk=app_id).first()
    if app is None:
        raise NotFound(f"There is no app {app_id}.")
    if app.is_blocked:
        raise Conflict(f"{app.name} is blocked already.", code="no_change")
    app.is_blocked = True
    app.save(update_fields=("is_blocked", "updated"))
    note_action(
        AuditAction.APP_BLOCK,
        actor=actor,
        kind=AuditedKind.APP,
        object_id=app.pk,
        object_name=str(app.name),
        person=app.user_id,
        reason=reason,
    )
    return app


def allowed_apps(person: User) -> list[AllowedApp]:
    """Return the apps that somebody lets act for them now, by name."""
    refreshing = get_refresh_token_model().objects.filter(user=person, revoked=None)
    tokens = get_access_token_model().objects.filter(user=person)
    alive = list(tokens.filter(expires__gt=timezone.now()).select_related("application__user"))
    ids = {each.pk for each in alive}
    alive += [
        each.access_token
        for each in refreshing.select_related("access_token__application__user")
        if each.access_token is not None and each.access_token_id not in ids
    ]
    found: dict[int, list[Any]] = {}  # Any: access tokens, without types
    for token in alive:
        found.setdefault(token.application_id, []).append(token)
    return sorted((_allowed(each) for each in found.values()), key=lambda row: str(row.app.name))


@transaction.atomic
def end_access(*, actor: User, app_id: int) -> None:
    """End what the actor lets an app do: its tokens and codes stop working at once."""
    gone = 0
    for model in (get_grant_model(), get_refresh_token_model(), get_access_token_model()):
        deleted, _ = model.objects.filter(user=actor, application=app_id).delete()
        gone += deleted
    if not gone:
        raise NotFound("You have not allowed any such app to act for you.")


def _allowed(tokens: list[Any]) -> AllowedApp:  # Any: access tokens, without types
    scopes = {scope for token in tokens for scope in token.scope.split()}
    return AllowedApp(
        app=tokens[0].application,
        may=in_words(scopes),
        since=min(token.created for token in tokens),
        last=max(token.created for token in tokens),
    )


def _get_own(actor: User, app_id: int) -> OAuthApp:
    app = OAuthApp.objects.owned_by(actor).select_for_update().filter(pk=app_id).first()
    if app is None:
        raise NotFound(f"You have no app {app_id}.")
    return app


def _check_name(name: str) -> str:
    name = " ".join(name.split())
    if not 1 <= len(name) <= LONGEST_NAME or not name.isprintable():
        raise InvalidInput(
            f"An app has a name of 1 to {LONGEST_NAME} printable characters.",
            code="bad_name",
            field="name",
        )
    return name


def _check_homepage(homepage: str) -> str:
    homepage = homepage.strip()
    is_plain = homepage.isascii() and homepage.isprintable() and not set(homepage) & set(' "<>\\')
    if not homepage.startswith("https://") or not is_plain or len(homepage) > LONGEST_HOMEPAGE:
        raise InvalidInput(
            f"The homepage is an https address of at most {LONGEST_HOMEPAGE} characters: people "
            "see it before they allow the app anything.",
            code="bad_homepage",
            field="homepage",
        )
    return homepage
