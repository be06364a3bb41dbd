"""Apps in the administration, to be viewed and blocked; their tokens are not shown."""

from __future__ import annotations

from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest
from oauth2_provider.models import (
    get_access_token_model,
    get_device_grant_model,
    get_grant_model,
    get_id_token_model,
    get_refresh_token_model,
)

from pentathlon.accounts.models import User
from pentathlon.accounts.oauth.models import OAuthApp
from pentathlon.accounts.oauth.services import block_app
from pentathlon.core.admin import ReadOnlyAdmin
from pentathlon.core.errors import DomainError

_OF_THE_PACKAGE = (
    get_access_token_model,
    get_device_grant_model,
    get_grant_model,
    get_id_token_model,
    get_refresh_token_model,
)


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
