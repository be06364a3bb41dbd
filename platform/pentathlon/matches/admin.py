"""Worker tokens in the admin: to be made, viewed with their latest attempts, and revoked."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.html import format_html_join
from django.utils.safestring import SafeString

from pentathlon.accounts.models import User
from pentathlon.core.errors import DomainError
from pentathlon.fleet.announcements import DEFAULT_SLOTS, MOST_SLOTS, Work
from pentathlon.fleet.models import WorkerToken
from pentathlon.fleet.tokens import LONGEST_NAME, check_token_name, create_worker_token
from pentathlon.matches.models import Attempt
from pentathlon.matches.worker_tokens import revoke_worker_token

_SHOWN = 50
_TIMES = ("last_used_at", "quarantined_at", "revoked_at")


class WorkerTokenForm(forms.ModelForm):  # type: ignore[type-arg]  # generic in the stubs only
    """A new token: its name, what it is trusted with, and its slots."""

    name = forms.CharField(max_length=LONGEST_NAME)
    work = forms.MultipleChoiceField(
        choices=[(work.value, work.value) for work in Work],
        widget=forms.CheckboxSelectMultiple,
        help_text="Rated matches only for machines that you run yourself.",
    )

    slots = forms.IntegerField(
        min_value=1,
        max_value=MOST_SLOTS,
        initial=DEFAULT_SLOTS,
        help_text="How many matches all its workers together may play at a time.",
    )

    class Meta:
        model = WorkerToken
        fields = ("name", "work", "slots")

    def clean_name(self) -> str:
        """Refuse a bad or taken name before a token is made."""
        try:
            return check_token_name(self.cleaned_data["name"])
        except DomainError as error:
            raise forms.ValidationError(error.detail) from error


@admin.register(WorkerToken)
class WorkerTokenAdmin(admin.ModelAdmin):  # type: ignore[type-arg]  # generic in the stubs only
    """Tokens; a secret is shown only once, when its token is made."""

    form = WorkerTokenForm
    list_display = ("name", "slots", "is_trusted_with", "created_by", *_TIMES)
    list_select_related = ("created_by",)
    actions = ("revoke",)
    readonly_fields = (
        *("slots", "is_trusted_with", "created_by", "created_at", *_TIMES),
        "latest_attempts",
    )

    def get_fields(self, request: HttpRequest, obj: WorkerToken | None = None) -> tuple[str, ...]:
        """Ask for what a new token needs; show everything of an existing one."""
        return ("name", "work", "slots") if obj is None else ("name", *self.readonly_fields)

    def get_readonly_fields(
        self, request: HttpRequest, obj: WorkerToken | None = None
    ) -> tuple[str, ...]:
        """Allow no change of an existing token."""
        return () if obj is None else ("name", *self.readonly_fields)

    def save_model(
        self, request: HttpRequest, obj: WorkerToken, form: Any, change: bool
    ) -> None:  # Any: a form
        """Make the token, and show its secret for the only time."""
        if change:
            return
        actor = request.user if isinstance(request.user, User) else None
        facts = {name: form.cleaned_data[name] for name in ("name", "work", "slots")}
        token, secret = create_worker_token(actor=actor, **facts)
        obj.pk = token.pk
        self.message_user(request, f"The secret, shown only now: {secret}", messages.WARNING)

    def has_delete_permission(self, request: HttpRequest, obj: object = None) -> bool:
        """Allow nobody, because it has to stay known what was played by a token."""
        return False

    @admin.action(description="Revoke these tokens; their matches go to others")
    def revoke(self, request: HttpRequest, queryset: QuerySet[WorkerToken]) -> None:
        """End tokens at once and for good."""
        actor = request.user if isinstance(request.user, User) else None
        returned = sum(revoke_worker_token(token, actor=actor) for token in queryset)
        self.message_user(request, f"Revoked. Matches that went back to the queue: {returned}.")

    @admin.display(description="latest attempts")
    def latest_attempts(self, obj: WorkerToken) -> SafeString:
        """Show the latest attempts of the token's workers."""
        latest = Attempt.objects.filter(worker_token=obj.pk).order_by("-pk")[:_SHOWN]
        lines = (
            (each.match_id, each.number, each.get_state_display(), each.worker, each.reason)
            for each in latest
        )
        return format_html_join("", "<p>match {}, attempt {}: {}, {} {}</p>", lines)
