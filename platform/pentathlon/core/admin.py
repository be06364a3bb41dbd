"""Base classes for the admins of several apps."""

from django.contrib import admin


class ReadOnlyAdmin(admin.ModelAdmin):  # type: ignore[type-arg]  # generic in the stubs only
    """A base for rows that nobody adds, changes or deletes in the admin."""

    show_full_result_count = False

    def has_add_permission(self, request: object) -> bool:
        """Allow nobody."""
        return False

    def has_change_permission(self, request: object, obj: object = None) -> bool:
        """Allow nobody."""
        return False

    def has_delete_permission(self, request: object, obj: object = None) -> bool:
        """Allow nobody."""
        return False
