"""Apps by OAuth: those that a person lets act for them, and those that they have made."""

from __future__ import annotations

from functools import wraps
from http import HTTPStatus
from importlib.resources import files
from typing import Any, Final
from urllib.parse import urlencode

from django import forms
from django.conf import settings
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods, require_POST, require_safe
from oauth2_provider.exceptions import OAuthToolkitError
from oauth2_provider.http import OAuth2ResponseRedirect
from oauth2_provider.models import Grant
from oauth2_provider.views import RevokeTokenView
from oauth2_provider.views.mixins import OAuthLibMixin
from oauthlib.oauth2 import InvalidRequestError

from pentathlon.accounts.oauth.access import IDENTITY, SCOPES, in_words
from pentathlon.accounts.oauth.models import (
    LONGEST,
    LONGEST_HOMEPAGE,
    LONGEST_NAME,
    MOST,
    OAuthApp,
    origin_of,
)
from pentathlon.accounts.oauth.protocol import CHALLENGE
from pentathlon.accounts.oauth.services import (
    MOST_APPS,
    allowed_apps,
    change_app,
    delete_app,
    end_access,
    register_app,
    rotate_app_secret,
)
from pentathlon.core.texts import site_of
from pentathlon.web import examples
from pentathlon.web.requests import (
    call_service,
    say,
    signed_in_form,
    signed_in_post,
    signed_in_user,
)
from pentathlon.web.throttle import View

_DAY_S: Final = 86_400
_GRANTS: Final = ("authorization_code", "refresh_token")
_CLIENT_AUTH: Final = ("client_secret_basic", "client_secret_post", "none")
_SCHEMES: Final = "ALLOWED_REDIRECT_URI_SCHEMES"
_protocol: Final = OAuthLibMixin()
_revoke: View = RevokeTokenView.as_view()


class AppForm(forms.Form):
    """The data of an app for people and the protocol."""

    name = forms.CharField(
        max_length=LONGEST_NAME, help_text="People see it before they allow it."
    )
    homepage = forms.CharField(
        max_length=LONGEST_HOMEPAGE,
        help_text="Where people find out what it is, such as https://example.org/.",
        widget=forms.URLInput,
    )
    redirect_uris = forms.CharField(
        label="Sent back to",
        max_length=MOST * (LONGEST + 2),
        widget=forms.Textarea({"rows": 3, "spellcheck": "false"}),
        help_text="Addresses, one on each line, that match to the letter: "
        "https://example.org/callback, "
        "or http://127.0.0.1/callback for a program on a user’s machine, at any port.",
    )

    def clean_redirect_uris(self) -> list[str]:
        """Return the addresses, one a line."""
        return str(self.cleaned_data["redirect_uris"]).splitlines()


class NewAppForm(AppForm):
    """The data of a new app, and whether it can keep a secret."""

    is_confidential = forms.TypedChoiceField(
        label="Kind",
        choices=[
            ("yes", "runs on a server of yours, which keeps a secret"),
            ("no", "runs on people’s machines, in a browser or on a desk, and keeps none"),
        ],
        coerce=lambda value: value == "yes",
    )


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


@never_cache
@login_required
@require_http_methods(["GET", "POST"])
def authorize(request: HttpRequest) -> HttpResponse:
    """Ask the user whether an app may act for them; send the answer to the app.

    The app's request stands in the query, also of the address to which the answer is posted.
    """
    if any("\0" in value for _, values in request.GET.lists() for value in values):
        return _refused(request, "A value in the address has a character that is not allowed.")
    try:
        scopes, asked = _protocol.validate_authorization_request(request)
        _check_challenge(request, asked)
        if request.method == "POST":
            allows = request.POST.get("allow") == "yes"
            address, *_ = _protocol.create_authorization_response(
                request, " ".join(scopes), asked, allows
            )
            return _sent_to(address)
    except OAuthToolkitError as error:
        return _told(request, error)
    app = OAuthApp.objects.select_related("user").get(client_id=asked["client_id"])
    origin = origin_of(asked["redirect_uri"])
    context = {"app": app, "may": in_words(scopes), "origin": origin}
    page = render(request, "web/apps/consent.html", context)
    # To browsers, the address to which the answer redirects is a target of the form.
    policy = {**settings.CONTENT_SECURITY_POLICY, "form-action": f"'self' {origin}"}
    page["Content-Security-Policy"] = "; ".join(f"{name} {of}" for name, of in policy.items())
    return page


def _check_challenge(request: HttpRequest, asked: dict[str, Any]) -> None:  # Any: texts
    """Refuse an authorization request without an S256 challenge."""
    challenge = request.GET.get("code_challenge", "")
    method = request.GET.get("code_challenge_method", "")
    if method == "S256" and CHALLENGE.fullmatch(challenge):
        return
    raise OAuthToolkitError(
        error=InvalidRequestError(
            description="Send code_challenge_method=S256 and a code_challenge of 43 characters.",
            state=asked.get("state"),
        ),
        redirect_uri=asked["redirect_uri"],
    )


def _told(request: HttpRequest, error: Any) -> HttpResponse:  # Any: without types
    """Send the error to the app, or show it to the user if the app is not certain."""
    may_be_told, facts = _protocol.error_response(error)
    if not may_be_told:
        return _refused(request, facts["error"].description or facts["error"].error)
    address = f"{facts['url']}&{urlencode({'iss': site_of(request)})}"
    return _sent_to(address)


def _sent_to(address: str) -> HttpResponse:
    answer: HttpResponse = OAuth2ResponseRedirect(address, settings.OAUTH2_PROVIDER[_SCHEMES])
    return answer


def _refused(request: HttpRequest, detail: str) -> HttpResponse:
    return render(request, "web/apps/refused.html", {"detail": detail}, status=400)


def _for_programs(view: View) -> View:
    """Let programs of any origin post to a view; refuse values that no database can look up."""

    @wraps(view)
    def answer(request: HttpRequest) -> HttpResponseBase:
        if any("\0" in value for _, values in request.POST.lists() for value in values):
            return JsonResponse({"error": "invalid_request"}, status=400)
        response = view(request)
        response["Access-Control-Allow-Origin"] = "*"
        response.headers.setdefault("Cache-Control", "no-store")
        return response

    return answer


@csrf_exempt
@sensitive_post_parameters("client_secret", "code", "code_verifier", "refresh_token")
@require_POST
@_for_programs
def token(request: HttpRequest) -> HttpResponseBase:
    """Exchange a code or a refresh token for tokens."""
    if request.POST.get("grant_type") not in _GRANTS:
        return JsonResponse({"error": "unsupported_grant_type"}, status=400)
    try:
        _, headers, body, status = _protocol.create_token_response(request)
    except Grant.DoesNotExist:  # another request has used the code since this one looked at it
        return JsonResponse({"error": "invalid_grant"}, status=400)
    as_json = {"Content-Type": "application/json", **headers}
    return HttpResponse(body, status=status, headers=as_json)


@csrf_exempt
@sensitive_post_parameters("client_secret", "token")
@require_POST
@_for_programs
def revoke(request: HttpRequest) -> HttpResponseBase:
    """Revoke a token, and everything that belongs to it."""
    return _revoke(request)


@require_safe
def metadata(request: HttpRequest) -> JsonResponse:
    """Describe the server in the form of RFC 8414."""
    site = site_of(request)
    answer = JsonResponse(
        {
            "issuer": site,
            "authorization_endpoint": site + reverse("oauth_authorize"),
            "token_endpoint": site + reverse("oauth_token"),
            "revocation_endpoint": site + reverse("oauth_revoke"),
            "service_documentation": site + reverse("apps_guide"),
            "scopes_supported": list(SCOPES),
            "response_types_supported": ["code"],
            "response_modes_supported": ["query"],
            "grant_types_supported": list(_GRANTS),
            "code_challenge_methods_supported": ["S256"],
            "token_endpoint_auth_methods_supported": list(_CLIENT_AUTH),
            "revocation_endpoint_auth_methods_supported": list(_CLIENT_AUTH),
            "authorization_response_iss_parameter_supported": True,
        }
    )
    answer["Access-Control-Allow-Origin"] = "*"
    return answer


@require_safe
def apps_guide(request: HttpRequest) -> HttpResponse:
    """Explain how an app asks and what it gets, with a working program."""
    protocol = settings.OAUTH2_PROVIDER
    context = {
        "section": "docs",
        "site": site_of(request),
        "scopes": SCOPES,
        "identity": IDENTITY,
        "code_s": protocol["AUTHORIZATION_CODE_EXPIRE_SECONDS"],
        "access_minutes": protocol["ACCESS_TOKEN_EXPIRE_SECONDS"] // 60,
        "refresh_days": protocol["REFRESH_TOKEN_EXPIRE_SECONDS"] // _DAY_S,
        "example": files(examples).joinpath("sign_in.py").read_text(encoding="utf-8"),
    }
    return render(request, "web/docs/apps_guide.html", context)
