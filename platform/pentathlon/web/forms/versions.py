"""Forms about bot versions."""

from django import forms

from pentathlon.bots.services import LONGEST_REASON


class ReasonForm(forms.Form):
    """Why a version is disqualified."""

    reason = forms.CharField(max_length=LONGEST_REASON, help_text="Everybody will read it.")
