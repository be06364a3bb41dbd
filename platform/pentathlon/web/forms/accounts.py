"""Forms about a person: signing in and up, tokens, credentials."""

from __future__ import annotations

from collections.abc import Mapping

from django import forms
from django.contrib.auth.forms import AuthenticationForm

from pentathlon.accounts.models import Scope, User
from pentathlon.accounts.passkeys import LARGEST_ANSWER, LONGEST_NAME
from pentathlon.accounts.passwords import check_new_password
from pentathlon.accounts.services import LONGEST_TOKEN_DAYS, check_token_fields, check_username
from pentathlon.web.requests import check_field


class SignInForm(AuthenticationForm):
    """Name and password of somebody who has an account."""

    error_messages = {
        "invalid_login": "No account has this username and password. Check both; capital "
        "letters matter in the password.",
        "inactive": "This account is closed.",
    }


class SignUpForm(forms.Form):
    """The data of a new account."""

    username = forms.CharField(
        max_length=30,
        help_text="3 to 30 letters, digits, hyphens or underscores. Everybody sees it.",
        widget=forms.TextInput({"autocomplete": "username", "autocapitalize": "none"}),
    )
    email = forms.EmailField(
        label="E-mail",
        help_text="Only the operators of this site see it.",
        widget=forms.EmailInput({"autocomplete": "email"}),
    )
    password = forms.CharField(
        strip=False,
        help_text="At least 10 characters.",
        widget=forms.PasswordInput({"autocomplete": "new-password"}),
    )

    @property
    def typed(self) -> dict[str, str]:
        """The texts of a posted form as they were typed, also where they are refused."""
        return {name: str(self[name].data or "") for name in self.fields}

    def clean_username(self) -> str:
        """Refuse a forbidden name, and one that is taken."""
        return check_field(lambda: check_username(self.cleaned_data["username"]))

    def clean_password(self) -> str:
        """Refuse a password that is easy to guess."""
        known = {name: self.cleaned_data.get(name, "") for name in ("username", "email")}
        person = User(**known)
        return check_field(lambda: check_new_password(self.cleaned_data["password"], person))


class TokenForm(forms.Form):
    """The scopes and lifetime of a new API token."""

    name = forms.CharField(max_length=60, help_text="Where you use it, such as “laptop”.")
    scopes = forms.MultipleChoiceField(
        label="It may",
        choices=[(value, label) for value, label in Scope.choices],
        widget=forms.CheckboxSelectMultiple,
        initial=Scope.values,
        error_messages={"required": "Choose at least one thing that the token may do."},
    )
    days = forms.IntegerField(
        label="Days",
        min_value=1,
        max_value=LONGEST_TOKEN_DAYS,
        initial=90,
        help_text=f"1 to {LONGEST_TOKEN_DAYS}; then it stops working.",
    )

    def clean_name(self) -> str:
        """Refuse a name that cannot be shown."""
        given = self.cleaned_data["name"]
        return check_field(lambda: check_token_fields(name=given, scopes=()))[0]


class CodeForm(forms.Form):
    """The code that a terminal shows."""

    code = forms.CharField(
        max_length=20,
        help_text="Eight letters, such as BCDF-GHJK. Small letters will do.",
        widget=forms.TextInput(
            {
                "autocomplete": "one-time-code",
                "autocapitalize": "characters",
                "spellcheck": "false",
            }
        ),
    )


def password_field(label: str, *, is_new: bool, help_text: str = "") -> forms.CharField:
    """Return the field of a password that a browser may fill in, or remember."""
    complete = "new-password" if is_new else "current-password"
    return forms.CharField(
        label=label,
        strip=False,
        help_text=help_text,
        widget=forms.PasswordInput({"autocomplete": complete}),
    )


class _TokensForm(forms.Form):
    """Asks somebody who has API tokens whether to revoke them, too."""

    revokes_tokens = forms.BooleanField(required=False, label="Revoke all API tokens, too")

    def __init__(self, data: Mapping[str, str] | None = None, *, tokens: int = 0) -> None:
        super().__init__(data)
        count = "one API token, which works" if tokens == 1 else f"{tokens} API tokens, which work"
        self.fields["revokes_tokens"].help_text = (
            f"This account has {count} on with a new password. Revoke them if somebody "
            "else may have had the old one."
        )
        if not tokens:
            del self.fields["revokes_tokens"]

    @property
    def wants_tokens_revoked(self) -> bool:
        """Whether the box is ticked."""
        return bool(self.cleaned_data.get("revokes_tokens"))


class ChangePasswordForm(_TokensForm):
    """The old password and a new one."""

    old = password_field("Your current password", is_new=False)
    new = password_field("New password", is_new=True, help_text="At least 10 characters.")
    field_order = ("old", "new", "revokes_tokens")


class ResetPasswordForm(_TokensForm):
    """A new password for somebody who followed a link."""

    new = password_field("New password", is_new=True, help_text="At least 10 characters.")
    field_order = ("new", "revokes_tokens")


class ForgottenPasswordForm(forms.Form):
    """The address of somebody who forgot the password."""

    email = forms.EmailField(
        label="E-mail", max_length=254, widget=forms.EmailInput({"autocomplete": "email"})
    )


class EmailForm(forms.Form):
    """Another e-mail address."""

    email = forms.EmailField(
        label="New e-mail address",
        max_length=254,
        widget=forms.EmailInput({"autocomplete": "email"}),
    )
    password = password_field("Your password", is_new=False)


class OwnPasswordForm(forms.Form):
    """The password of somebody who has signed in, once more."""

    password = password_field("Your password", is_new=False)


class SecondFactorForm(forms.Form):
    """A code of an authenticator app, or a recovery code."""

    code = forms.CharField(
        max_length=20,
        help_text="The six digits that your app shows now, or one of your recovery codes.",
        widget=forms.TextInput(
            {"autocomplete": "one-time-code", "autocapitalize": "none", "spellcheck": "false"}
        ),
    )


class TotpForm(forms.Form):
    """The first code of an authenticator app."""

    code = forms.CharField(
        label="Code",
        max_length=20,
        help_text="The six digits that the app shows now.",
        widget=forms.TextInput({"autocomplete": "one-time-code", "inputmode": "numeric"}),
    )


class PasskeyAnswerForm(forms.Form):
    """A browser's answer about a passkey; a script fills it in."""

    answer = forms.CharField(max_length=LARGEST_ANSWER, widget=forms.HiddenInput)


class NewPasskeyForm(PasskeyAnswerForm):
    """The name of a new passkey, and what the browser says about it."""

    name = forms.CharField(
        label="Name of the new passkey",
        max_length=LONGEST_NAME,
        help_text="How you recognise it, such as “phone” or “blue key”.",
        widget=forms.TextInput({"autocomplete": "off"}),
    )
    field_order = ("name", "answer")
