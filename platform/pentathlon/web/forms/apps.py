"""The form of an app that acts for people."""

from django import forms

from pentathlon.accounts.oauth.models import LONGEST_HOMEPAGE, LONGEST_NAME
from pentathlon.accounts.oauth.redirects import LONGEST, MOST


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
