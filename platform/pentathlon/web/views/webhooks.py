"""A person's webhooks: the list, one with its deliveries, and the actions on them."""

import json
from hashlib import sha256
from http import HTTPStatus
from typing import Any, Final
from urllib.parse import urlencode

from django import forms
from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.db.models import Prefetch
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from pentathlon.core.texts import site_of
from pentathlon.web.requests import (
    PLACES,
    call_service,
    check_field,
    cursor_page,
    posted_number,
    query_text,
    say,
    signed_in_form,
    signed_in_post,
    signed_in_user,
    wants_part,
)
from pentathlon.webhooks.addresses import PORTS, check_url
from pentathlon.webhooks.attempt_results import DISABLED_AFTER_S, JITTER, RETENTION_S, RETRIES_S
from pentathlon.webhooks.event_types import ALL_TYPES, EVENT_TYPES, MAILED, USUAL
from pentathlon.webhooks.http_client import CONNECT_S, TOTAL_S
from pentathlon.webhooks.models import LONGEST_URL, DeliveryAttempt, WebhookEndpoint
from pentathlon.webhooks.outbox import MOST_WAITING
from pentathlon.webhooks.services import (
    MOST_ENDPOINTS,
    change_endpoint,
    choose_mail,
    create_endpoint,
    delete_endpoint,
    mail_events,
    ping_endpoint,
    redeliver,
    rotate_secret,
)

_DAY_S: Final = 86400
_MARK: Final = 16
Context = dict[str, Any]  # Any: what templates take


def _choices(names: tuple[str, ...]) -> list[tuple[str, str]]:
    return [(name, f"{name} – {EVENT_TYPES[name].meaning}") for name in names]


class WebhookForm(forms.Form):
    """The address of a webhook, and its events."""

    url = forms.CharField(
        label="Address",
        max_length=LONGEST_URL,
        help_text="An https address that everybody can reach, on port "
        f"{' or '.join(map(str, PORTS))}.",
        widget=forms.TextInput(
            {"inputmode": "url", "autocapitalize": "none", "spellcheck": "false"}
        ),
    )
    events = forms.MultipleChoiceField(
        choices=_choices(tuple(EVENT_TYPES)),
        widget=forms.CheckboxSelectMultiple,
        initial=USUAL,
        error_messages={"required": "Choose at least one event."},
    )

    def clean_url(self) -> str:
        """Refuse an address to which nothing can be posted."""
        loopback = settings.WEBHOOKS_ALLOW_LOOPBACK
        return check_field(lambda: check_url(self.cleaned_data["url"], allows_loopback=loopback))


class MailForm(forms.Form):
    """The events that are sent by e-mail."""

    events = forms.MultipleChoiceField(
        label="Tell me by e-mail",
        choices=_choices(MAILED),
        required=False,
        widget=forms.CheckboxSelectMultiple,
    )


@never_cache
@login_required
@require_http_methods(["GET", "POST"])
def webhooks(request: HttpRequest) -> HttpResponse:
    """List the user's webhooks; a post chooses the events that are sent by e-mail."""
    user = signed_in_user(request)
    form = MailForm(request.POST or None, initial={"events": mail_events(user)})
    if request.method == "POST":
        form = MailForm(request.POST)
        if form.is_valid():
            asked: Context = {"actor": user, "site": site_of(request), **form.cleaned_data}
            if call_service(form, lambda: choose_mail(**asked)) is not None:
                return say(request, "Your choice of e-mails is saved.", "webhooks")
    owned = WebhookEndpoint.objects.owned_by(user).prefetch_related("subscriptions")
    context = {"webhooks": owned.order_by("pk"), "form": form, "most": MOST_ENDPOINTS}
    return render(request, "web/webhooks/list.html", context)


@never_cache
@login_required
@require_http_methods(["GET", "POST"])
def webhook_new(request: HttpRequest) -> HttpResponse:
    """Make a webhook; show its secret just once."""
    user = signed_in_user(request)
    form = WebhookForm(request.POST or None)
    if form.is_valid():
        asked: Context = {"actor": user, "site": site_of(request), **form.cleaned_data}
        made = call_service(form, lambda: create_endpoint(**asked))
        if made is not None:
            return _page(request, made[0], secret=made[1])
    return render(request, "web/webhooks/new.html", {"form": form})


@never_cache
@login_required
@require_http_methods(["GET", "POST"])
def webhook(request: HttpRequest, webhook_id: int) -> HttpResponse:
    """Show a webhook and its deliveries; a post changes it."""
    endpoint = _get_own(request, webhook_id)
    form = None
    if request.method == "POST":
        form = WebhookForm(request.POST)
        asked: Context = {"actor": signed_in_user(request), "endpoint_id": endpoint.pk}
        if form.is_valid():
            asked |= form.cleaned_data
            changed = call_service(form, lambda: change_endpoint(**asked))
            if changed is not None:
                return say(request, "The webhook is changed.", "webhook", endpoint.pk)
    if wants_part(request):
        shown = _deliveries(request, endpoint)
        if query_text(request, "mark") == shown["mark"]:
            return HttpResponse(status=204)
        return render(request, "web/parts/deliveries.html", shown)
    return _page(request, endpoint, form=form)


@never_cache
@signed_in_post
def webhook_rotate(request: HttpRequest, webhook_id: int) -> HttpResponse:
    """Make a new secret and show it just once."""
    user = signed_in_user(request)
    found, secret = rotate_secret(actor=user, endpoint_id=webhook_id)
    return _page(request, found, secret=secret)


@signed_in_post
def webhook_ping(request: HttpRequest, webhook_id: int) -> HttpResponse:
    """Send a test event."""
    ping_endpoint(actor=signed_in_user(request), endpoint_id=webhook_id)
    messages.success(request, "A test event is on its way. Its delivery appears below.")
    return redirect("webhook", webhook_id)


@signed_in_post
def webhook_redeliver(request: HttpRequest, webhook_id: int) -> HttpResponse:
    """Send an event again."""
    delivery_id = posted_number(request, "delivery")
    redeliver(actor=signed_in_user(request), endpoint_id=webhook_id, delivery_id=delivery_id)
    return say(request, "It is sent again. Its delivery appears below.", "webhook", webhook_id)


@signed_in_post
def webhook_enable(request: HttpRequest, webhook_id: int) -> HttpResponse:
    """Enable a webhook again."""
    change_endpoint(actor=signed_in_user(request), endpoint_id=webhook_id, is_enabled=True)
    return say(request, "The webhook is enabled.", "webhook", webhook_id)


@signed_in_post
def webhook_disable(request: HttpRequest, webhook_id: int) -> HttpResponse:
    """Disable a webhook."""
    change_endpoint(actor=signed_in_user(request), endpoint_id=webhook_id, is_enabled=False)
    messages.success(request, "The webhook is disabled; its waiting deliveries are given up.")
    return redirect("webhook", webhook_id)


@signed_in_form
def webhook_delete(request: HttpRequest, webhook_id: int) -> HttpResponse:
    """Ask whether to delete a webhook, and do it."""
    endpoint = _get_own(request, webhook_id)
    if request.method != "POST":
        return render(request, "web/webhooks/delete.html", {"webhook": endpoint})
    delete_endpoint(actor=signed_in_user(request), endpoint_id=endpoint.pk)
    return say(request, "The webhook is deleted.", "webhooks")


@require_safe
def webhooks_guide(request: HttpRequest) -> HttpResponse:
    """Explain the types of events, their signatures and retries."""
    context = {
        "section": "docs",
        "events": ALL_TYPES.values(),
        "mailed": MAILED,
        "retries": RETRIES_S,
        "jitter": JITTER,
        "days_failing": round(DISABLED_AFTER_S / _DAY_S),
        "days_kept": round(RETENTION_S / _DAY_S),
        "most": MOST_ENDPOINTS,
        "most_waiting": MOST_WAITING,
        "example": json.dumps(EVENT_TYPES["version.validated"].example, indent=2),
        "ports": PORTS,
        "connect_s": CONNECT_S,
        "total_s": TOTAL_S,
    }
    return render(request, "web/docs/webhooks_guide.html", context)


def _get_own(request: HttpRequest, webhook_id: int) -> WebhookEndpoint:
    owned = WebhookEndpoint.objects.owned_by(signed_in_user(request))
    return get_object_or_404(owned.prefetch_related("subscriptions"), pk=webhook_id)


def _page(
    request: HttpRequest,
    found: WebhookEndpoint,
    *,
    secret: str = "",
    form: WebhookForm | None = None,
) -> HttpResponse:
    context: Context = {
        **_deliveries(request, found),
        "secret": secret,
        "form": form or WebhookForm(initial={"url": found.url, "events": found.events}),
    }
    status = HTTPStatus.CREATED if secret else HTTPStatus.OK
    return render(request, "web/webhooks/webhook.html", context, status=status)


def _deliveries(request: HttpRequest, found: WebhookEndpoint) -> Context:
    """Return the part of a webhook's page that changes, and a mark that changes with it."""
    attempts = Prefetch("attempts", DeliveryAttempt.objects.order_by("pk"))
    rows = found.deliveries.select_related("event").prefetch_related(attempts)
    page = cursor_page(request, rows)
    state = (found.is_enabled, found.disabled_reason, found.failing_since, found.missed)
    shown = [(row.pk, row.state, row.next_at, len(row.attempts.all())) for row in page.rows]
    facts = repr((state, found.waiting, shown, page.newer, page.older))
    mark = sha256(facts.encode()).hexdigest()[:_MARK]
    place = {key: request.GET[key] for key in PLACES if key in request.GET}
    return {"webhook": found, "page": page, "place": urlencode(place), "mark": mark}
