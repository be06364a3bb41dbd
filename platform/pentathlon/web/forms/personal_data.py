"""The forms that ask before an account is deleted."""

from django import forms

from pentathlon.accounts.roles import LONGEST_REASON

_LONGEST_NAME = 150


class DeleteOwnForm(forms.Form):
    """Name and password, typed once more."""

    username = forms.CharField(
        label="Name of the account",
        max_length=_LONGEST_NAME,
        help_text="As it stands at the top of your account page.",
        widget=forms.TextInput({"autocomplete": "off", "autocapitalize": "none"}),
    )
    password = forms.CharField(
        strip=False, widget=forms.PasswordInput({"autocomplete": "current-password"})
    )


class DeleteOtherForm(forms.Form):
    """The name of the account, and why staff delete it."""

    username = forms.CharField(
        label="Name of the account",
        max_length=_LONGEST_NAME,
        widget=forms.TextInput({"autocomplete": "off", "autocapitalize": "none"}),
    )
    reason = forms.CharField(max_length=LONGEST_REASON, help_text="Kept in the audit log.")
