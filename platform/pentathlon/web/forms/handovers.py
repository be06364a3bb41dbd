"""Forms that hand a tournament over to another organiser."""

from django import forms

from pentathlon.accounts.roles import LONGEST_REASON


class OfferForm(forms.Form):
    """The person to whom a tournament is offered."""

    person = forms.CharField(
        label="Organiser",
        max_length=150,
        help_text="The username of another organiser who does not play in it.",
        widget=forms.TextInput({"autocomplete": "off", "autocapitalize": "none"}),
    )


class AssignForm(OfferForm):
    """The new organiser of a tournament, and the reason."""

    reason = forms.CharField(
        label="Why", max_length=LONGEST_REASON, help_text="Everybody can read it."
    )
