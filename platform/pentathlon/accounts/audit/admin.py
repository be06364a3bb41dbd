"""The audit log as the admin shows it, and the recording of edits made in the admin."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.contrib.admin.models import LogEntry
from django.contrib.auth.admin import GroupAdmin
from django.contrib.auth.models import AbstractBaseUser, Group
from django.db import transaction
from django.db.models import Model, QuerySet
from django.http import HttpRequest

from pentathlon.accounts.audit.models import AuditAction, AuditedKind, AuditEvent
from pentathlon.accounts.audit.services import note_action
from pentathlon.core.admin import ReadOnlyAdmin


class AuditedAdmin(admin.ModelAdmin):  # type: ignore[type-arg]  # generic in the stubs only
    """Writes into the audit log which rows are added, changed and deleted here.

    An event is written in the transaction of its edit.
    """

    def log_addition(
        self,
        request: HttpRequest,
        obj: Model,
        message: Any,  # Any: JSON
    ) -> LogEntry:
        """Note that a row was added."""
        _note(AuditAction.ADMIN_ADD, request, obj)
        return super().log_addition(request, obj, message)

    def log_change(
        self,
        request: HttpRequest,
        obj: Model,
        message: Any,  # Any: JSON
    ) -> LogEntry:
        """Note which fields of a row were changed."""
        told = {"done": message} if isinstance(message, str) else {}
        _note(AuditAction.ADMIN_CHANGE, request, obj, fields=_changed_fields(message), **told)
        return super().log_change(request, obj, message)

    def delete_model(self, request: HttpRequest, obj: Model) -> None:
        """Delete a row, and note it."""
        _note(AuditAction.ADMIN_DELETE, request, obj)
        super().delete_model(request, obj)

    def delete_queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> None:  # Any: rows
        """Delete rows, and note each of them."""
        with transaction.atomic():
            for obj in queryset:
                _note(AuditAction.ADMIN_DELETE, request, obj)
            super().delete_queryset(request, queryset)


@admin.register(AuditEvent)
class AuditEventAdmin(ReadOnlyAdmin):
    """The audit log, read-only."""

    list_display = ("at", "actor", "action", "kind", "object_id", "object_name", "reason")
    list_filter = ("action", "kind")
    list_select_related = ("actor",)
    search_fields = ("actor__username", "person__username", "object_name")


class AuditedGroupAdmin(AuditedAdmin, GroupAdmin):
    """Groups of rights, whose changes are audited."""


admin.site.unregister(Group)
admin.site.register(Group, AuditedGroupAdmin)


def _note(
    action: AuditAction, request: HttpRequest, obj: Model, **details: Any
) -> None:  # Any: JSON
    actor = request.user if isinstance(request.user, AbstractBaseUser) else None
    is_person = isinstance(obj, AbstractBaseUser)
    note_action(
        action,
        actor=actor,
        kind=AuditedKind.PERSON if is_person else AuditedKind.ROW,
        # The key of a token is the digest of its secret.
        object_id=obj.pk
        if is_person
        else f"{obj._meta.label_lower} {getattr(obj, 'public_id', obj.pk)}",
        object_name="" if is_person else f"{obj._meta.verbose_name}",
        person=obj if isinstance(obj, AbstractBaseUser) else getattr(obj, "user_id", None),
        **details,
    )


def _changed_fields(message: Any) -> list[str]:  # Any: JSON
    parts = message if isinstance(message, list) else []
    return [name for part in parts for name in part.get("changed", {}).get("fields", ())]
