"""The forms by which staff decide on results of workers."""

from django import forms

from pentathlon.bots.services import LONGEST_REASON
from pentathlon.trust.models import Verdict


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
