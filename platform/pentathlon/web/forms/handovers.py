"""Forms that hand a tournament over to another organiser."""

from typing import Any

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


class ShareForm(OfferForm):
    """The person who is asked to organise a tournament together with others."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:  # Any: what Django's forms take
        super().__init__(*args, **kwargs)
        self.fields["person"].label = "Another organiser"


class AssignForm(OfferForm):
    """The new organiser of a tournament, and the reason."""

    reason = forms.CharField(
        label="Why", max_length=LONGEST_REASON, help_text="Everybody can read it."
    )
