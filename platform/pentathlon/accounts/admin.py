from __future__ import annotations

from typing import Any, Final

from django.contrib import admin, messages
from django.contrib.auth.admin import UserAdmin
from django.db.models import Exists, OuterRef, QuerySet
from django.http import HttpRequest
from oauth2_provider.models import (
    get_access_token_model,
    get_device_grant_model,
    get_grant_model,
    get_id_token_model,
    get_refresh_token_model,
)

from pentathlon.accounts.audit.admin import AuditedAdmin
from pentathlon.accounts.models import ApiToken, NameKind, Passkey, TotpKey, User
from pentathlon.accounts.names import take_name
from pentathlon.accounts.oauth.models import OAuthApp
from pentathlon.accounts.oauth.services import block_app
from pentathlon.accounts.roles import is_staff, note_roles
from pentathlon.accounts.second_factors import reset_second_factors
from pentathlon.core.admin import ReadOnlyAdmin
from pentathlon.core.errors import DomainError
from pentathlon.core.texts import site_of

_ROLES: Final = ("is_organiser", "is_vouched", "is_staff", "is_superuser", "is_active")
_OF_SUPERUSERS: Final = ("is_staff", "is_superuser", "groups", "user_permissions")
_OF_THE_PACKAGE: Final = (
    get_access_token_model,
    get_device_grant_model,
    get_grant_model,
    get_id_token_model,
    get_refresh_token_model,
)


@admin.register(User)
class PersonAdmin(AuditedAdmin, UserAdmin):  # type: ignore[type-arg]  # generic in the stubs only
    """People, with the organiser's right beside the rights that Django knows."""

    list_display = (
        "username",
        "email",
        "is_organiser",
        "is_staff",
        "is_active",
        "has_second_factor",
    )
    actions = ("reset_factors",)
    list_filter = (*UserAdmin.list_filter, "is_organiser")
    fieldsets = (
        *(UserAdmin.fieldsets or ()),
        ("Tournaments", {"fields": ("is_organiser", "is_vouched")}),
    )

    def get_queryset(self, request: HttpRequest) -> QuerySet[User]:
        """Return people, each annotated with whether they have a second factor."""
        totp = Exists(TotpKey.objects.filter(person=OuterRef("pk")))
        passkey = Exists(Passkey.objects.filter(person=OuterRef("pk")))
        people: QuerySet[User] = super().get_queryset(request)
        return people.annotate(second_factor=totp | passkey)

    @admin.display(boolean=True, description="second factor")
    def has_second_factor(self, person: User) -> bool:
        """Return whether the person is asked for more than a password."""
        return bool(getattr(person, "second_factor", False))

    @admin.action(
        description="Remove the second factors: the password alone is enough to sign in",
        permissions=("change",),
    )
    def reset_factors(self, request: HttpRequest, people: QuerySet[User]) -> None:
        """Remove the second factors of people who have lost theirs."""
        if not isinstance(request.user, User):
            return
        site = site_of(request)
        taken_off = sum(
            reset_second_factors(actor=request.user, person=person, site=site)
            for person in people
            if self.has_change_permission(request, person)
        )
        self.message_user(request, f"Accounts that no longer have a second factor: {taken_off}.")

    def get_readonly_fields(
        self, request: HttpRequest, obj: User | None = None
    ) -> Any:  # Any: as Django
        """Allow only superusers to appoint staff."""
        shown = super().get_readonly_fields(request, obj)
        is_super = isinstance(request.user, User) and request.user.is_superuser
        return shown if is_super else (*shown, *_OF_SUPERUSERS)

    def has_change_permission(self, request: HttpRequest, obj: User | None = None) -> bool:
        """Leave accounts of staff to superusers: whoever sets a password can sign in with it."""
        user = request.user
        is_super = isinstance(user, User) and user.is_superuser
        if obj is not None and not is_super and is_staff(obj):
            return False
        return super().has_change_permission(request, obj)

    def has_delete_permission(self, request: object, obj: object = None) -> bool:
        """Allow nobody, because results belong to people; clear "active" instead."""
        return False

    def save_model(
        self, request: HttpRequest, obj: User, form: Any, change: bool
    ) -> None:  # Any: a form
        """Store a person, and write down the roles that were given or taken."""
        before = dict.fromkeys(_ROLES, False) | {"is_active": True}
        if change:
            before = User.objects.filter(pk=obj.pk).values(*_ROLES).get()
        super().save_model(request, obj, form, change)
        take_name(kind=NameKind.AUTHOR, name=obj.username, holder=obj)
        if isinstance(request.user, User):
            note_roles(actor=request.user, person=obj, before=before)


@admin.register(ApiToken)
class ApiTokenAdmin(AuditedAdmin):
    """Tokens, to be viewed and revoked; their secrets are not stored."""

    list_display = ("name", "user", "created", "expiry", "last_used_at")
    list_select_related = ("user",)
    fields = readonly_fields = (
        "public_id",
        "name",
        "user",
        "scopes",
        "created",
        "expiry",
        "last_used_at",
    )

    def has_add_permission(self, request: object) -> bool:
        """Allow nobody: owners make their tokens, because they alone may see the secret."""
        return False

    def has_change_permission(self, request: object, obj: object = None) -> bool:
        """Allow nobody: a token stays as its owner made it, until it is deleted."""
        return False


class OAuthAppAdmin(ReadOnlyAdmin):
    """Apps that people have registered."""

    list_display = ("name", "user", "homepage", "client_type", "is_blocked", "created")
    list_filter = ("is_blocked", "client_type")
    list_select_related = ("user",)
    search_fields = ("name", "user__username", "client_id")
    fields = (
        "name",
        "user",
        "homepage",
        "redirect_uris",
        "client_type",
        "client_id",
        "is_blocked",
    )
    actions = ("block",)

    @admin.action(description="Block these apps: they lose all access")
    def block(self, request: HttpRequest, queryset: QuerySet[OAuthApp]) -> None:
        """Block apps at once; the audit log names each."""
        for app in queryset:
            try:
                if isinstance(request.user, User):
                    block_app(actor=request.user, app_id=app.pk, reason="In the administration.")
            except DomainError as error:
                self.message_user(request, str(error), messages.ERROR)


for find in _OF_THE_PACKAGE:
    if admin.site.is_registered(find()):
        admin.site.unregister(find())
if admin.site.is_registered(OAuthApp):
    admin.site.unregister(OAuthApp)
admin.site.register(OAuthApp, OAuthAppAdmin)
