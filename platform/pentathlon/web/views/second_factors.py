"""Pages about second factors: an authenticator app, passkeys, recovery codes."""

import time
from collections.abc import Callable
from functools import wraps
from http import HTTPStatus
from ipaddress import ip_address
from itertools import groupby
from typing import Any, Concatenate, Final, ParamSpec
from urllib.parse import urlencode

import segno
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from pentathlon.accounts.passkeys import add_passkey, begin_passkey, remove_passkey
from pentathlon.accounts.passwords import check_own_password
from pentathlon.accounts.second_factors import (
    add_totp,
    new_totp_salt,
    remove_totp,
    renew_recovery_codes,
    totp_address,
    totp_secret,
)
from pentathlon.core.texts import host_of, site_of
from pentathlon.web.form_keys import takes_password
from pentathlon.web.forms.accounts import NewPasskeyForm, OwnPasswordForm, TotpForm
from pentathlon.web.requests import (
    call_service,
    local_address,
    say,
    signed_in_post,
    signed_in_user,
)
from pentathlon.web.throttle import throttle_sign_ins

_MARGIN: Final = 4
"""The white margin that readers need around a code, in modules."""
_PAPER, _INK = "#ffffff", "#000000"
"""The colours in both themes: many readers do not recognise codes that are light on dark."""
P = ParamSpec("P")
View = Callable[Concatenate[HttpRequest, P], HttpResponse]
CONFIRMED_S: Final = 600
"""How long a password that was typed again counts, within the same session."""
_KEY: Final = "confirmed_at"
_SALT: Final = "totp_salt"
_CHALLENGE: Final = "passkey_to_add"
Context = dict[str, Any]  # Any: what templates take


def draw_qr_code(text: str, *, label: str) -> SafeString:
    """Draw a text as a QR code."""
    rows = list(segno.make(text, error="m", micro=False).matrix_iter(border=_MARGIN))
    outline = "".join(_runs(y, bytes(row)) for y, row in enumerate(rows))
    return format_html(
        '<svg class="qr" viewBox="0 0 {0} {0}" role="img" aria-label="{1}" '
        'shape-rendering="crispEdges"><rect fill="{2}" width="{0}" height="{0}"/>'
        '<path fill="{3}" d="{4}"/></svg>',
        len(rows),
        label,
        _PAPER,
        _INK,
        outline,
    )


def _runs(y: int, row: bytes) -> str:
    """Return the outlines of the dark stretches of a row."""
    outline, x = "", 0
    for is_dark, modules in groupby(row):
        width = len(list(modules))
        if is_dark:
            outline += f"M{x} {y}h{width}v1h-{width}z"
        x += width
    return outline


def note_confirmed(request: HttpRequest) -> None:
    """Remember that the password was typed again."""
    request.session[_KEY] = time.time()


def is_confirmed(request: HttpRequest) -> bool:
    """Return whether the password was typed again some minutes ago."""
    confirmed_at: float = request.session.get(_KEY, 0)
    return 0 <= time.time() - confirmed_at < CONFIRMED_S


def confirmed_first(view: View[P]) -> View[P]:
    """Ask for the password before the view; a posted form has to be posted again."""

    @wraps(view)
    def answer(request: HttpRequest, /, *args: P.args, **kwargs: P.kwargs) -> HttpResponse:
        if is_confirmed(request):
            return view(request, *args, **kwargs)
        back = request.path if request.method == "GET" else reverse("second_factors")
        return redirect(f"{reverse('confirm')}?{urlencode({'next': back})}")

    return answer


@never_cache
@login_required
@require_safe
def second_factors(request: HttpRequest) -> HttpResponse:
    """Show which second factors the user has."""
    return _overview(request, NewPasskeyForm())


@takes_password
@throttle_sign_ins
@sensitive_post_parameters("password")
@never_cache
@login_required
@require_http_methods(["GET", "POST"])
def confirm(request: HttpRequest) -> HttpResponse:
    """Ask for the password again, and go on."""
    user = signed_in_user(request)
    form = OwnPasswordForm(request.POST or None)
    if form.is_valid():
        given = form.cleaned_data["password"]
        call_service(form, lambda: check_own_password(user, given))
        if form.is_valid():
            note_confirmed(request)
            return redirect(local_address(request))
    wanted = request.POST.get("next") or request.GET.get("next", "")
    return render(request, "web/credentials/confirm.html", {"form": form, "next": wanted})


@never_cache
@login_required
@confirmed_first
@require_http_methods(["GET", "POST"])
def totp(request: HttpRequest) -> HttpResponse:
    """Show the key of a new authenticator app, and take its first code."""
    user = signed_in_user(request)
    salt = request.session.setdefault(_SALT, new_totp_salt())
    form = TotpForm(request.POST or None)
    if form.is_valid():
        code = form.cleaned_data["code"]
        codes = call_service(
            form, lambda: add_totp(actor=user, salt=salt, code=code, site=site_of(request))
        )
        if codes is not None:
            request.session.pop(_SALT, None)
            return _added(request, codes, "The authenticator app is set up.")
    address = totp_address(salt, user, site_name=host_of(request))
    context = {
        "form": form,
        "secret": totp_secret(salt),
        "drawing": draw_qr_code(address, label="QR code of the key below"),
    }
    return render(request, "web/credentials/totp.html", context)


@signed_in_post
@confirmed_first
def totp_remove(request: HttpRequest) -> HttpResponse:
    """Remove the authenticator app."""
    remove_totp(actor=signed_in_user(request), site=site_of(request))
    return say(request, "The authenticator app is removed.", "second_factors")


@never_cache
@signed_in_post
@confirmed_first
def recovery_codes(request: HttpRequest) -> HttpResponse:
    """Make new recovery codes and show them just once."""
    codes = renew_recovery_codes(actor=signed_in_user(request))
    return _codes_page(request, codes, "Your old recovery codes no longer work.")


@never_cache
@login_required
@confirmed_first
@require_POST
def passkey_add_options(request: HttpRequest) -> HttpResponse:
    """Return the options with which a browser makes a passkey."""
    options, state = begin_passkey(signed_in_user(request), host=host_of(request))
    request.session[_CHALLENGE] = state
    return JsonResponse(options)


@never_cache
@login_required
@confirmed_first
@require_POST
def passkey_add(request: HttpRequest) -> HttpResponse:
    """Store a passkey that the browser has made."""
    user, state = signed_in_user(request), request.session.pop(_CHALLENGE, None)
    form = NewPasskeyForm(request.POST)
    if form.is_valid():
        given, site = form.cleaned_data, site_of(request)
        added = call_service(
            form, lambda: add_passkey(actor=user, state=state, site=site, **given)
        )
        if added is not None:
            passkey, codes = added
            return _added(request, codes, f"The passkey “{passkey.name}” is added.")
    return _overview(request, form)


@signed_in_post
@confirmed_first
def passkey_remove(request: HttpRequest, passkey_id: int) -> HttpResponse:
    """Remove one of the user's passkeys."""
    remove_passkey(actor=signed_in_user(request), passkey_id=passkey_id, site=site_of(request))
    return say(request, "The passkey is removed. Delete it on your device, too.", "second_factors")


def has_a_name(host: str) -> bool:
    """Return whether a host has a name; browsers make no passkeys for bare IP addresses."""
    try:
        ip_address(host.strip("[]"))
    except ValueError:
        return True
    return False


def _overview(request: HttpRequest, form: NewPasskeyForm) -> HttpResponse:
    user, host = signed_in_user(request), host_of(request)
    context: Context = {
        "form": form,
        "totp": getattr(user, "totp_key", None),
        "passkeys": user.passkeys.order_by("pk"),
        "codes_left": user.recovery_codes.count(),
        "is_confirmed": is_confirmed(request),
        "host": host,
        "can_have_passkeys": has_a_name(host),
    }
    return render(request, "web/credentials/second_factors.html", context)


def _added(request: HttpRequest, codes: list[str], said: str) -> HttpResponse:
    if codes:
        return _codes_page(request, codes, said)
    return say(request, said, "second_factors")


def _codes_page(request: HttpRequest, codes: list[str], said: str) -> HttpResponse:
    context = {"codes": "\n".join(codes), "said": said}
    page = "web/credentials/recovery_codes.html"
    return render(request, page, context, status=HTTPStatus.CREATED)
