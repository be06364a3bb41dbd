from django.contrib import admin
from django.contrib.auth.admin import UserAdmin

from pentathlon.accounts.models import ApiToken, User


@admin.register(User)
class PersonAdmin(UserAdmin):  # type: ignore[type-arg]  # generic in the stubs only
    """People, with the organiser's right beside the rights that Django knows."""

    list_display = ("username", "email", "is_organiser", "is_staff", "is_active")
    list_filter = (*UserAdmin.list_filter, "is_organiser")
    fieldsets = (
        *(UserAdmin.fieldsets or ()),
        ("Tournaments", {"fields": ("is_organiser",)}),
    )

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
