from django.contrib import admin
from django.contrib.auth.admin import UserAdmin
from django.db.models import Exists, OuterRef, QuerySet
from django.http import HttpRequest

from pentathlon.accounts.models import ApiToken, Passkey, TotpKey, User
from pentathlon.accounts.second_factors import reset_second_factors


@admin.register(User)
class PersonAdmin(UserAdmin):  # type: ignore[type-arg]  # generic in the stubs only
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
        ("Tournaments", {"fields": ("is_organiser",)}),
    )

    def get_queryset(self, request: HttpRequest) -> QuerySet[User]:
        """Return people with whether they have a second factor."""
        totp = Exists(TotpKey.objects.filter(person=OuterRef("pk")))
        passkey = Exists(Passkey.objects.filter(person=OuterRef("pk")))
        people: QuerySet[User] = super().get_queryset(request)
        return people.annotate(second_factor=totp | passkey)

    @admin.display(boolean=True, description="second factor")
    def has_second_factor(self, person: User) -> bool:
        """Tell whether the person is asked for more than a password."""
        return bool(getattr(person, "second_factor", False))

    @admin.action(
        description="Take the second factors off: the password alone signs in",
        permissions=("change",),
    )
    def reset_factors(self, request: HttpRequest, people: QuerySet[User]) -> None:
        """Let people in who have lost their device and their recovery codes."""
        if not isinstance(request.user, User):
            return
        site = request.build_absolute_uri("/").rstrip("/")
        for person in people:
            if reset_second_factors(actor=request.user, person=person, site=site):
                self.log_change(request, person, "Took the second factors off.")
        self.message_user(request, "They sign in with their passwords alone now.")

    def has_delete_permission(self, request: object, obj: object = None) -> bool:
        """Nobody: bots, tournaments and results belong to people. Take "active" away instead."""
        return False


@admin.register(ApiToken)
class ApiTokenAdmin(admin.ModelAdmin):  # type: ignore[type-arg]  # generic in the stubs only
    """Tokens, to be seen and revoked; the secret is nowhere."""

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
        """Tokens are made by their owners, who alone may see the secret."""
        return False

    def has_change_permission(self, request: object, obj: object = None) -> bool:
        """Nobody: a token is what its owner has made, until it is deleted."""
        return False
