"""The forms that ask before an account is deleted."""

from collections.abc import Mapping

from django import forms

from pentathlon.accounts.passkeys import LARGEST_ANSWER
from pentathlon.accounts.roles import LONGEST_REASON

_LONGEST_NAME = 150


class DeleteOwnForm(forms.Form):
    """Name and password, typed once more."""

    username = forms.CharField(
        label="Name of the account",
        max_length=_LONGEST_NAME,
        help_text="As shown at the top of your account page.",
        widget=forms.TextInput({"autocomplete": "off", "autocapitalize": "none"}),
    )
    password = forms.CharField(
        strip=False, widget=forms.PasswordInput({"autocomplete": "current-password"})
    )
    code = forms.CharField(
        max_length=20,
        required=False,
        help_text="Six digits of your authenticator app, or one of your recovery codes.",
        widget=forms.TextInput(
            {"autocomplete": "one-time-code", "autocapitalize": "none", "spellcheck": "false"}
        ),
    )
    answer = forms.CharField(max_length=LARGEST_ANSWER, required=False, widget=forms.HiddenInput)
    """The browser's answer for a passkey; a script fills it in."""

    def __init__(
        self, data: Mapping[str, str] | None = None, *, has_second_factor: bool = False
    ) -> None:
        super().__init__(data)
        if not has_second_factor:
            del self.fields["code"], self.fields["answer"]


class DeleteOtherForm(forms.Form):
    """The name of the account, and why staff delete it."""

    username = forms.CharField(
        label="Name of the account",
        max_length=_LONGEST_NAME,
        widget=forms.TextInput({"autocomplete": "off", "autocapitalize": "none"}),
    )
    reason = forms.CharField(max_length=LONGEST_REASON, help_text="Kept in the audit log.")
