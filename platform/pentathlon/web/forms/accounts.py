"""Forms about a person: signing in and up, tokens."""

from django import forms
from django.contrib.auth.forms import AuthenticationForm

from pentathlon.accounts.models import Scope, User
from pentathlon.accounts.passwords import check_new_password
from pentathlon.accounts.services import LONGEST_TOKEN_DAYS, check_token_fields, check_username
from pentathlon.web.forms.errors import check_field


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
