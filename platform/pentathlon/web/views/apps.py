"""Apps by OAuth: those that a person lets act for them, and those that they have made."""

from http import HTTPStatus

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from pentathlon.accounts.oauth.models import OAuthApp
from pentathlon.accounts.oauth.services import (
    MOST_APPS,
    allowed_apps,
    change_app,
    delete_app,
    end_access,
    register_app,
    rotate_app_secret,
)
from pentathlon.web.forms.apps import AppForm, NewAppForm
from pentathlon.web.forms.errors import call_service
from pentathlon.web.requests import signed_in_user
from pentathlon.web.responses import say, signed_in_form, signed_in_post


@never_cache
@login_required
@require_http_methods(["GET"])
def apps(request: HttpRequest) -> HttpResponse:
    """List the apps that act for the user, and those that the user has made."""
    user = signed_in_user(request)
    context = {
        "allowed": allowed_apps(user),
        "own": OAuthApp.objects.owned_by(user),
        "most": MOST_APPS,
    }
    return render(request, "web/apps/list.html", context)


@never_cache
@login_required
@require_http_methods(["GET", "POST"])
def app_new(request: HttpRequest) -> HttpResponse:
    """Register an app; show its secret just once."""
    user = signed_in_user(request)
    form = NewAppForm(request.POST or None)
    if form.is_valid():
        made = call_service(form, lambda: register_app(actor=user, **form.cleaned_data))
        if made is not None:
            return _page(request, made[0], secret=made[1], is_new=True)
    return render(request, "web/apps/new.html", {"form": form})


@never_cache
@login_required
@require_http_methods(["GET", "POST"])
def app(request: HttpRequest, app_id: int) -> HttpResponse:
    """Show an app of the user; a post changes it."""
    user = signed_in_user(request)
    found = get_object_or_404(OAuthApp.objects.owned_by(user), pk=app_id)
    form = None
    if request.method == "POST":
        form = AppForm(request.POST)
        if form.is_valid():
            facts = form.cleaned_data
            changed = call_service(form, lambda: change_app(actor=user, app_id=app_id, **facts))
            if changed is not None:
                return say(request, "The app is changed.", "app", app_id)
    return _page(request, found, form=form)


@never_cache
@signed_in_post
def app_secret(request: HttpRequest, app_id: int) -> HttpResponse:
    """Make a new secret and show it just once."""
    found, secret = rotate_app_secret(actor=signed_in_user(request), app_id=app_id)
    return _page(request, found, secret=secret)


@signed_in_form
def app_delete(request: HttpRequest, app_id: int) -> HttpResponse:
    """Ask whether to delete an app, and do it."""
    user = signed_in_user(request)
    found = get_object_or_404(OAuthApp.objects.owned_by(user), pk=app_id)
    if request.method != "POST":
        return render(request, "web/apps/delete.html", {"app": found})
    delete_app(actor=user, app_id=app_id)
    return say(request, "The app is deleted.", "apps")


@signed_in_post
def app_end_access(request: HttpRequest, app_id: int) -> HttpResponse:
    """End what the user lets an app do."""
    end_access(actor=signed_in_user(request), app_id=app_id)
    return say(request, "The app no longer acts for you.", "apps")


def _page(
    request: HttpRequest,
    found: OAuthApp,
    *,
    secret: str = "",
    is_new: bool = False,
    form: AppForm | None = None,
) -> HttpResponse:
    facts = {
        "name": found.name,
        "homepage": found.homepage,
        "redirect_uris": "\n".join(found.redirects),
    }
    context = {
        "app": found,
        "secret": secret,
        "is_new": is_new,
        "form": form or AppForm(initial=facts),
        "is_confidential": found.client_type == OAuthApp.CLIENT_CONFIDENTIAL,
    }
    status = HTTPStatus.CREATED if secret or is_new else HTTPStatus.OK
    return render(request, "web/apps/app.html", context, status=status)
