"""The pages on which staff review results of workers that differ from those of others."""

from django import forms
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_safe

from pentathlon.accounts.models import User
from pentathlon.accounts.roles import is_staff
from pentathlon.bots.services import LONGEST_REASON
from pentathlon.trust.models import CheckState, Quarantine, SpotCheck, Verdict
from pentathlon.trust.quarantine import MOST_REVIEWED, end_quarantine, review_results, undecided
from pentathlon.web.requests import (
    call_service,
    cursor_page,
    posted_numbers,
    say,
    signed_in_form,
    signed_in_user,
)
from pentathlon_engines.commentary.words import count

_DISPUTED_SHOWN = 20
_REVIEWS_SHOWN = 100


class ReviewForm(forms.Form):
    """Decisions about results in question."""

    verdict = forms.ChoiceField(
        label="Verdict",
        choices=[
            (Verdict.KEEP.value, "Keep: they still count"),
            (Verdict.REVOKE.value, "Revoke: they are taken back, with their whole blocks"),
        ],
    )
    reason = forms.CharField(max_length=LONGEST_REASON, help_text="Everybody will read it.")


class EndForm(forms.Form):
    """The reason for which a token may work again."""

    end_reason = forms.CharField(label="Why it may work again", max_length=LONGEST_REASON)

    def field_of(self, name: str | None) -> str | None:
        """Return the field that shows an error of the service."""
        return "end_reason" if name == "reason" else None


@login_required
@require_safe
def quarantines(request: HttpRequest) -> HttpResponse:
    """List quarantines of worker tokens, and undecided spot checks."""
    _staff(request)
    disputed = SpotCheck.objects.filter(state=CheckState.DISPUTED).order_by("-pk")
    context = {
        "page": cursor_page(request, Quarantine.objects.listed()),
        "disputed": disputed.prefetch_related("runs")[:_DISPUTED_SHOWN],
        "section": "status",
    }
    return render(request, "web/quarantines.html", context)


@signed_in_form
def quarantine(request: HttpRequest, quarantine_id: int) -> HttpResponse:
    """Show the results in question, decide on them, and end a quarantine."""
    actor = _staff(request)
    found = get_object_or_404(Quarantine.objects.listed(), pk=quarantine_id)
    is_end = "end_reason" in request.POST
    review = ReviewForm(request.POST if request.method == "POST" and not is_end else None)
    end = EndForm(request.POST if is_end else None)
    if review.is_valid():
        facts = review.cleaned_data
        chosen = posted_numbers(request, "match")
        decided = call_service(
            review,
            lambda: review_results(
                actor=actor,
                quarantine=found,
                verdict=Verdict(facts["verdict"]),
                reason=facts["reason"],
                match_ids=None if "all" in request.POST else chosen,
            ),
        )
        if decided is not None:
            return say(request, f"Decided on {count(decided, 'result')}.", "quarantine", found.pk)
    if end.is_valid():
        reason = end.cleaned_data["end_reason"]
        call_service(end, lambda: end_quarantine(actor=actor, quarantine=found, reason=reason))
        if not end.errors:
            messages.success(request, f"{found.token} may work again. Start its worker.")
            return redirect("quarantine", found.pk)
    rows = undecided(found)
    context = {
        "quarantine": found,
        "page": cursor_page(request, rows.select_related("match"), size=100),
        "left": rows.count(),
        "decided": found.reviews.count(),
        "reviews": found.reviews.select_related("actor").order_by("-pk")[:_REVIEWS_SHOWN],
        "most": MOST_REVIEWED,
        "review": review,
        "end": end,
        "section": "status",
    }
    return render(request, "web/quarantine.html", context)


def _staff(request: HttpRequest) -> User:
    """Return the user if they are staff; refuse everybody else."""
    user = signed_in_user(request)
    if not is_staff(user):
        raise PermissionDenied
    return user
