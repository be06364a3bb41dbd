"""The audit log, the audit events of one tournament, and decisions of staff about a person."""

from collections.abc import Callable
from datetime import datetime, time, timedelta
from typing import Any, Final

from django import forms
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.db.models import Q
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from pentathlon.accounts.audit.models import (
    AuditAction,
    AuditedKind,
    AuditEvent,
    AuditEventQuerySet,
)
from pentathlon.accounts.models import User
from pentathlon.accounts.roles import (
    LONGEST_REASON,
    PersonRole,
    check_may_manage_person,
    close_account,
    give_role,
    has_role,
    is_staff,
    reopen_account,
    take_role,
)
from pentathlon.insight.rivalry.scores import author_residuals
from pentathlon.tournaments.organising.audit_log import audit_events_of
from pentathlon.web.requests import (
    call_service,
    cursor_page,
    person,
    person_or_404,
    signed_in_form,
    signed_in_user,
)
from pentathlon.web.views.tournaments import load_tournament

_SHOWN: Final = 20
_SAID: Final = {
    "give-organiser": "{} is an organiser now.",
    "take-organiser": "{} is no longer an organiser.",
    "give-staff": "{} is staff now.",
    "take-staff": "{} is no longer staff.",
    "give-vouched": "{} is a vouched author now.",
    "take-vouched": "Nobody vouches for {} any more.",
    "close": "The account of {} is closed.",
    "reopen": "The account of {} is open again.",
}
_SERVICES: Final[dict[str, Callable[..., User]]] = {
    "close": close_account,
    "reopen": reopen_account,
}


class AuditFilterForm(forms.Form):
    """A filter of events; empty fields match everything."""

    person = forms.CharField(
        max_length=60, required=False, help_text="The person who did it, or whom it affected."
    )
    action = forms.ChoiceField(
        required=False,
        choices=[("", "every action"), *((each.value, each.value) for each in AuditAction)],
    )
    kind = forms.ChoiceField(
        label="Object",
        required=False,
        choices=[("", "every kind"), *((each.value, each.label) for each in AuditedKind)],
    )
    object_id = forms.CharField(label="Its number", max_length=60, required=False)
    since = forms.DateField(
        label="From", required=False, widget=forms.DateInput({"type": "date"}), help_text="UTC."
    )
    until = forms.DateField(
        label="To", required=False, widget=forms.DateInput({"type": "date"}), help_text="UTC."
    )


class DecisionForm(forms.Form):
    """A decision of staff, or an organiser's word, about a person, with its reason."""

    decision = forms.ChoiceField()
    reason = forms.CharField(
        max_length=LONGEST_REASON, help_text="Kept in the audit log; staff and the person read it."
    )

    def __init__(self, data: Any, *, actor: User, person: User) -> None:  # Any: what was posted
        super().__init__(data)
        choices = [("", "choose…"), *decisions_about(person, actor=actor)]
        self.fields["decision"] = forms.ChoiceField(choices=choices)


def decisions_about(person: User, *, actor: User) -> list[tuple[str, str]]:
    """Return the decisions that are possible about a person now, in words."""
    found = []
    for role in PersonRole:
        if role == PersonRole.STAFF and not actor.is_superuser:
            continue
        if role != PersonRole.VOUCHED and not is_staff(actor):
            continue
        has = has_role(person, role)
        verb = "take" if has else "give"
        found.append((f"{verb}-{role.value}", f"{verb} the role of {role.label}"))
    if not is_staff(actor):
        return found
    closing = ("close", "close the account") if person.is_active else ("reopen", "open it again")
    return [*found, closing]


@never_cache
@login_required
@require_safe
def audit_log(request: HttpRequest) -> HttpResponse:
    """Show staff the audit log, the latest events first."""
    _staff(request)
    form = AuditFilterForm(request.GET)
    events = AuditEvent.objects.listed()
    events = _narrowed(events, form.cleaned_data) if form.is_valid() else events.none()
    context = {"form": form, "page": cursor_page(request, events), "section": "status"}
    return render(request, "web/audit/list.html", context)


@require_safe
def tournament_audit(request: HttpRequest, tournament_id: int) -> HttpResponse:
    """Show the audit events of a tournament that this person may read."""
    found, context = load_tournament(request, tournament_id, tab="audit")
    context["page"] = cursor_page(request, audit_events_of(found, reader=person(request)))
    return render(request, "web/tournament/audit.html", context)


@never_cache
@login_required
@require_safe
def residuals(request: HttpRequest) -> HttpResponse:
    """Show staff the pairs of authors whose results are furthest beyond expectation."""
    _staff(request)
    context = {"rows": author_residuals(), "section": "status"}
    return render(request, "web/audit/residuals.html", context)


@never_cache
@signed_in_form
def person_roles(request: HttpRequest, username: str) -> HttpResponse:
    """Show staff the roles of a person, and change one for a reason; organisers may vouch."""
    actor = signed_in_user(request)
    runs_site = is_staff(actor)
    if not (runs_site or actor.is_organiser):
        raise PermissionDenied("Only for organisers and the staff of this site.")
    found = person_or_404(username)
    if request.method == "POST":
        check_may_manage_person(actor, found, role=None if runs_site else PersonRole.VOUCHED)
    form = DecisionForm(request.POST or None, actor=actor, person=found)
    if form.is_valid():
        values = {"actor": actor, "person": found, "reason": form.cleaned_data["reason"]}
        wanted = form.cleaned_data["decision"]
        if call_service(form, lambda: _decide(wanted, values)) is not None:
            messages.success(request, _SAID[wanted].format(found.username))
            return redirect("person_roles", found.username)
    events = AuditEvent.objects.listed().about(found).order_by("-pk")
    context = {
        "person": found,
        "runs_site": runs_site,
        "form": form,
        "roles": {role.value: has_role(found, role) for role in PersonRole},
        "may_decide": actor != found and (actor.is_superuser or not is_staff(found)),
        "events": events[:_SHOWN] if runs_site else [],
        "section": "status",
    }
    return render(request, "web/audit/person.html", context)


def _decide(wanted: str, asked: dict[str, Any]) -> User:  # Any: arguments of a service
    if wanted in _SERVICES:
        return _SERVICES[wanted](**asked)
    step, _, role = wanted.partition("-")
    service = give_role if step == "give" else take_role
    return service(role=PersonRole(role), **asked)


def _narrowed(
    events: AuditEventQuerySet,
    wanted: dict[str, Any],  # Any: of a form
) -> AuditEventQuerySet:
    if name := wanted["person"]:
        events = events.filter(Q(actor__username__iexact=name) | Q(person__username__iexact=name))
    for field in ("action", "kind", "object_id"):
        if wanted[field]:
            events = events.filter(**{field: wanted[field]})
    if wanted["since"]:
        events = events.filter(at__gte=_midnight(wanted["since"]))
    if wanted["until"]:
        events = events.filter(at__lt=_midnight(wanted["until"]) + timedelta(days=1))
    return events


def _midnight(day: Any) -> datetime:  # Any: a date
    return timezone.make_aware(datetime.combine(day, time()))


def _staff(request: HttpRequest) -> User:
    """Return the user if they are staff; refuse everybody else."""
    user = signed_in_user(request)
    if not is_staff(user):
        raise PermissionDenied("Only for the staff of this site.")
    return user
